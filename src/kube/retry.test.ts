import { expect, test } from 'vitest';
import { ApiError, NetworkError } from './errors.ts';
import { DEFAULT_RETRY, retryDelay } from './retry.ts';

const delay = (failure: unknown, idempotent: boolean, retries = 0) => retryDelay(failure, retries, idempotent, DEFAULT_RETRY, () => 1);
const api = (code: number, retryAfterMs?: number) => new ApiError('x', code, {}, retryAfterMs);

test('what the server turned away is sent again whatever it is, when the server says', () => {
  expect(delay(api(429, 3000), false)).toBe(3000);
  expect(delay(api(503, 2000), false)).toBe(2000);
  expect(delay(api(429), false)).toBe(100);
});

test('what may have happened is sent again only if it may happen twice', () => {
  for (const failure of [api(500), api(502), api(503), api(504), new NetworkError('x', 'ECONNRESET', true)]) {
    expect([delay(failure, true), delay(failure, false)]).toEqual([100, undefined]);
  }
});

test('what was never sent is sent again', () => {
  expect(delay(new NetworkError('x', 'ECONNREFUSED', false), false)).toBe(100);
});

test('an answer that stays the same is not asked for again', () => {
  for (const code of [400, 401, 403, 404, 409, 410, 422]) expect(delay(api(code), true)).toBeUndefined();
  expect(delay(new ApiError('x', 500, { message: 'failed to create typed patch object: .x: field not declared' }), true)).toBeUndefined();
  expect(delay(new TypeError('a mistake of ours'), true)).toBeUndefined();
});

test('waits double to a limit and retries come to an end', () => {
  const waits = [0, 1, 2, 3, 4, 5].map((retries) => delay(api(503), true, retries));
  expect(waits).toEqual([100, 200, 400, 800, 1600, undefined]);
  expect(retryDelay(api(503), 10, true, { maxRetries: 20, initialMs: 100, maxMs: 5000 }, () => 0)).toBe(2500);
});

test('a server that asks for minutes is not waited for', () => {
  expect(delay(api(429, 61_000), true)).toBeUndefined();
});
