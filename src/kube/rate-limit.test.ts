import { expect, test } from 'vitest';
import { TokenBucket } from './rate-limit.ts';
import { ManualClock } from './testing/manual-clock.ts';

test('a burst goes at once, what follows waits its turn', () => {
  const bucket = new TokenBucket({ qps: 10, burst: 3 }, new ManualClock());
  expect([1, 2, 3, 4, 5, 6].map(() => bucket.reserve())).toEqual([0, 0, 0, 100, 200, 300]);
});

test('the bucket fills with time, and not beyond its size', async () => {
  const clock = new ManualClock();
  const bucket = new TokenBucket({ qps: 10, burst: 2 }, clock);
  bucket.reserve();
  bucket.reserve();
  await clock.advance(100);
  expect([bucket.reserve(), bucket.reserve()]).toEqual([0, 100]);
  await clock.advance(3_600_000);
  expect([bucket.reserve(), bucket.reserve(), bucket.reserve()]).toEqual([0, 0, 100]);
});
