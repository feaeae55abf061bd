import { expect, test } from 'vitest';
import {
  ApiError,
  type ApiStatus,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isNotFound,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
  NetworkError,
  toError,
} from './errors.ts';

const api = (code: number, reason: string, extra: ApiStatus = {}) => new ApiError('GET /x', code, { reason, message: 'm', ...extra });

test('an error says what was asked, what the server answered, and why', () => {
  expect(new ApiError('GET /api/v1/pods', 403, { reason: 'Forbidden', message: 'pods is forbidden' }).message).toBe(
    'GET /api/v1/pods: 403 Forbidden: pods is forbidden',
  );
  expect(new ApiError('GET /x', 502, {}).message).toBe('GET /x: 502: no message');
  expect(new NetworkError('GET /x', 'ECONNRESET', true, new Error('read ECONNRESET')).message).toBe('GET /x: ECONNRESET: read ECONNRESET');
  expect(new NetworkError('GET /x', 'TIMEOUT', true).message).toBe('GET /x: TIMEOUT');
});

test('each predicate knows its errors and no others', () => {
  const table = [
    [isNotFound, api(404, 'NotFound')],
    [isForbidden, api(403, 'Forbidden')],
    [isUnauthorized, api(401, 'Unauthorized')],
    [isTooManyRequests, api(429, 'TooManyRequests')],
    [isAlreadyExists, api(409, 'AlreadyExists')],
    [isConflict, api(409, 'Conflict')],
    [isExpired, api(410, 'Expired')],
    [isTooLargeResourceVersion, api(504, 'Timeout', { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } })],
  ] as const;
  for (const [predicate, own] of table) {
    expect(table.map(([, sample]) => sample).filter(predicate)).toEqual([own]);
    expect(predicate(new Error('something else'))).toBe(false);
  }
});

test('the two spellings of an expired version and of a version from the future are known', () => {
  expect(isExpired(api(500, 'Expired'))).toBe(true);
  expect(isExpired(api(410, 'Gone'))).toBe(true);
  expect(isTooLargeResourceVersion(api(504, 'Timeout', { message: 'Too large resource version: 7, current: 3' }))).toBe(true);
});

test('the wait that the server asks for is taken from the header, else from the status', () => {
  const details = { details: { retryAfterSeconds: 7 } };
  expect(api(429, 'TooManyRequests', details).retryAfterMs).toBe(7000);
  expect(new ApiError('GET /x', 429, details, 2000).retryAfterMs).toBe(2000);
  expect(api(429, 'TooManyRequests').retryAfterMs).toBeUndefined();
});

test('whatever is thrown becomes an error', () => {
  const error = new Error('x');
  expect(toError(error)).toBe(error);
  expect(toError('text').message).toBe('text');
});
