import { expect, test } from 'vitest';
import { Refreshed } from './refreshed.ts';
import { ManualClock } from './testing/manual-clock.ts';

const never = new AbortController().signal;

function source(freshForMs = 1_000) {
  const clock = new ManualClock();
  const stale: string[] = [];
  const loads: PromiseWithResolvers<string>[] = [];
  const load = (signal: AbortSignal) => {
    const pending = Promise.withResolvers<string>();
    loads.push(pending);
    signal.addEventListener('abort', () => pending.reject(signal.reason));
    return pending.promise;
  };
  const value = new Refreshed<string>({ clock, load, freshForMs: () => freshForMs, onStale: (error) => stale.push(error.message) });
  return { clock, stale, loads, value };
}

test('a value is loaded once while it is fresh, and again when it is old', async () => {
  const { clock, loads, value } = source();
  const first = value.get(never);
  loads[0]?.resolve('one');
  expect([await first, await value.get(never), loads.length]).toEqual(['one', 'one', 1]);
  await clock.advance(1_000);
  const second = value.get(never);
  loads[1]?.resolve('two');
  expect([await second, loads.length]).toEqual(['two', 2]);
});

test('an invalid value is loaded again at once', async () => {
  const { loads, value } = source(Number.POSITIVE_INFINITY);
  const first = value.get(never);
  loads[0]?.resolve('one');
  await first;
  value.invalidate();
  const second = value.get(never);
  loads[1]?.resolve('two');
  expect(await second).toBe('two');
});

test('all who ask while it loads share one load, and one who gives up does not end it for the others', async () => {
  const { loads, value } = source();
  const stop = new AbortController();
  const [impatient, patient] = [value.get(stop.signal), value.get(never)];
  stop.abort(new Error('enough'));
  await expect(impatient).rejects.toThrow('enough');
  loads[0]?.resolve('one');
  expect([await patient, loads.length]).toEqual(['one', 1]);
});

test('when a value cannot be read again the old one stays in use, and that is told', async () => {
  const { clock, stale, loads, value } = source();
  const first = value.get(never);
  loads[0]?.resolve('one');
  await first;
  await clock.advance(1_000);
  const second = value.get(never);
  loads[1]?.reject(new Error('no such file'));
  expect([await second, stale]).toEqual(['one', ['no such file']]);
});

test('a first load that fails is an error, and so is one that never ends', async () => {
  const { clock, loads, value } = source();
  const first = value.get(never);
  loads[0]?.reject(new Error('no such file'));
  await expect(first).rejects.toThrow('no such file');
  const second = expect(value.get(never)).rejects.toThrow('timed out');
  await clock.advance(60_000);
  await second;
});
