import { expect, test } from 'vitest';
import { childScope, microTime, onAbort, pause, sleep, systemClock } from './clock.ts';
import { ManualClock } from './testing/manual-clock.ts';

test('a sleep ends when its time is over and not before', async () => {
  const clock = new ManualClock();
  let ended = false;
  const sleeping = sleep(clock, 1000, new AbortController().signal).then(() => {
    ended = true;
  });
  await clock.advance(999);
  expect(ended).toBe(false);
  await clock.advance(1);
  await sleeping;
  expect(ended).toBe(true);
});

test('an abort ends a sleep with its reason, and leaves no timer behind', async () => {
  const clock = new ManualClock();
  const stop = new AbortController();
  const sleeping = sleep(clock, 1000, stop.signal);
  stop.abort(new Error('enough'));
  await expect(sleeping).rejects.toThrow('enough');
  await expect(sleep(clock, 1000, stop.signal)).rejects.toThrow('enough');
  expect(clock.waits).toEqual([]);
});

test('an abort ends a pause quietly', async () => {
  const stop = new AbortController();
  const pausing = pause(new ManualClock(), 1000, stop.signal);
  stop.abort();
  await expect(pausing).resolves.toBeUndefined();
});

test('a scope ends with its parent and with the reason of it', () => {
  const parent = new AbortController();
  const scope = childScope(parent.signal);
  parent.abort('over');
  expect(scope.signal.reason).toBe('over');
  expect(childScope(parent.signal).signal.reason).toBe('over');
});

test('a scope that ends or is closed leaves its parent alone', () => {
  const parent = new AbortController();
  const ended = childScope(parent.signal);
  const closed = childScope(parent.signal);
  ended.abort('early');
  closed.close();
  expect(parent.signal.aborted).toBe(false);
  parent.abort('late');
  expect([ended.signal.reason, closed.signal.aborted]).toEqual(['early', false]);
});

test('a subscription that was taken back is not called', () => {
  const stop = new AbortController();
  const calls: string[] = [];
  onAbort(stop.signal, () => calls.push('kept'));
  onAbort(stop.signal, () => calls.push('taken back'))();
  stop.abort();
  onAbort(stop.signal, () => calls.push('late'));
  expect(calls).toEqual(['kept', 'late']);
});

test('the system clock takes waits that are longer than a timer can be', async () => {
  let fired = false;
  const cancel = systemClock.after(2 ** 40, () => {
    fired = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  cancel();
  expect(fired).toBe(false);
});

test('times for the API have six decimals', () => {
  expect(microTime(Date.parse('2026-01-02T03:04:05.006Z'))).toBe('2026-01-02T03:04:05.006000Z');
});
