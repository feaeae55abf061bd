import { expect, test } from 'vitest';
import { age, duration } from './age.ts';

test.each([
  [0, '0s'],
  [119, '119s'],
  [120, '2m'],
  [125, '2m5s'],
  [11 * 60 + 59, '11m'],
  [3 * 3600, '3h'],
  [3 * 3600 + 125, '3h2m'],
  [30 * 3600, '30h'],
  [5 * 86_400, '5d'],
])('%i seconds are %s', (seconds, said) => expect(duration(seconds)).toBe(said));

test('a clock that is behind the server makes nothing negative, and what is no time is not guessed', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  expect([age('2026-01-01T00:00:09Z', now), age('2025-12-31T23:59:00Z', now), age('yesterday', now)]).toEqual(['0s', '60s', '?']);
});
