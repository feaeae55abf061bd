/** Which failed requests are sent again, and when. A pure decision; the transport carries it out. */
import type { Random } from './clock.ts';
import { ApiError, isTooManyRequests, isUnknownField, NetworkError } from './errors.ts';

export interface RetryPolicy {
  readonly maxRetries: number;
  readonly initialMs: number;
  readonly maxMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { maxRetries: 5, initialMs: 100, maxMs: 5_000 };

/** A server that asks for more patience than this is answered with the error: the caller has better uses of its time. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/**
 * Milliseconds until the next attempt, or undefined to give up.
 *
 * 429, and any 5xx that carries Retry-After, was turned away before it took effect: safe for every method (client-go's rule).
 * A bare 5xx or a broken connection leaves open whether it did: only for requests that may happen twice.
 */
export function retryDelay(
  failure: unknown,
  retriesSoFar: number,
  idempotent: boolean,
  policy: RetryPolicy,
  random: Random,
): number | undefined {
  if (retriesSoFar >= policy.maxRetries) return undefined;
  const backoff = Math.min(policy.initialMs * 2 ** retriesSoFar, policy.maxMs) * (0.5 + random() / 2);
  if (failure instanceof ApiError) {
    const mayRepeat = isTooManyRequests(failure) || (failure.code >= 500 && (idempotent || failure.retryAfterMs !== undefined));
    if (!mayRepeat || isUnknownField(failure)) return undefined;
    const wait = failure.retryAfterMs ?? backoff;
    return wait > LONGEST_RETRY_AFTER_MS ? undefined : wait;
  }
  if (failure instanceof NetworkError) return idempotent || !failure.sent ? backoff : undefined;
  return undefined;
}
