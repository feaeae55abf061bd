import { expect, test } from 'vitest';
import { ManualClock } from '../kube/testing/manual-clock.ts';
import { housekeeping } from './housekeeping.ts';

function setUp() {
  const clock = new ManualClock();
  const state = { finished: 0, running: 0, collected: 0 };
  const collect = () => void state.collected++;
  const stop = new AbortController();
  const done = housekeeping({ clock, finished: () => state.finished, running: () => state.running, collect }).run(stop.signal);
  return { clock, state, stop, done };
}

test('memory is given back once after the start, also by one that never has work', async () => {
  const { clock, state, stop, done } = setUp();
  expect(state.collected).toBe(0);
  await clock.advance(10_000);
  expect(state.collected).toBe(1);
  await clock.advance(600_000);
  expect(state.collected).toBe(1);
  stop.abort();
  await done;
});

test('memory is given back once after work, and not while it goes on', async () => {
  const { clock, state, stop, done } = setUp();
  Object.assign(state, { finished: 500, running: 8 });
  await clock.advance(10_000);
  Object.assign(state, { finished: 900, running: 1 });
  await clock.advance(20_000);
  expect(state.collected).toBe(0);
  Object.assign(state, { finished: 1000, running: 0 });
  await clock.advance(10_000);
  expect(state.collected).toBe(0);
  await clock.advance(10_000);
  expect(state.collected).toBe(1);
  await clock.advance(600_000);
  expect(state.collected).toBe(1);
  stop.abort();
  await done;
  expect(clock.waits).toEqual([]);
});

test('a process that cannot collect by hand is left to V8', async () => {
  const clock = new ManualClock();
  await housekeeping({ clock, finished: () => 0, running: () => 0, collect: undefined }).run(new AbortController().signal);
  expect(clock.waits).toEqual([]);
});
