import { expect, test } from 'vitest';
import { Backoff, REFLECTOR_BACKOFF } from './backoff.ts';
import { ManualClock } from './testing/manual-clock.ts';

test('waits double from 0.8 s and end at 30 s', async () => {
  const clock = new ManualClock();
  const backoff = new Backoff(REFLECTOR_BACKOFF, clock, () => 0);
  const waits: number[] = [];
  for (let failure = 0; failure < 8; failure += 1) {
    waits.push(backoff.next());
    await clock.advance(waits.at(-1) ?? 0);
  }
  expect(waits).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
});

test('jitter stretches a wait to at most its double, and never beyond the longest', () => {
  const backoff = new Backoff(REFLECTOR_BACKOFF, new ManualClock(), () => 1);
  expect([1, 2, 3, 4, 5, 6, 7].map(() => backoff.next())).toEqual([1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
});

test('two quiet minutes make the next failure the first again, a long wait does not', async () => {
  const clock = new ManualClock();
  const backoff = new Backoff({ ...REFLECTOR_BACKOFF, maxMs: 600_000, initialMs: 200_000 }, clock, () => 0);
  await clock.advance(backoff.next());
  const second = backoff.next();
  await clock.advance(second + 120_001);
  expect([second, backoff.next()]).toEqual([400_000, 200_000]);
});
