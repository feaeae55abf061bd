/** Time as a parameter: what is read and waited for goes through a `Clock`, so that tests own both. */

export interface Clock {
  /** Wall time in milliseconds since the epoch: only for what is written into objects or shown to people. */
  now(): number;
  /** Milliseconds that never jump: for judging how long something took or lasted. */
  monotonic(): number;
  /** Calls back once after `ms`; the returned function cancels. */
  after(ms: number, callback: () => void): () => void;
}

export type Random = () => number;

// setTimeout fires at once for anything above 2^31-1 ms.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const cancel = clock.after(ms, () => {
      unsubscribe();
      resolve();
    });
    const unsubscribe = onAbort(signal, () => {
      cancel();
      reject(signal.reason);
    });
  });
}

/** Like `sleep`, but an abort ends the wait quietly: for loops that check the signal themselves. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await sleep(clock, ms, signal).catch((reason: unknown) => {
    if (!signal.aborted) throw reason;
  });
}

/** Calls back when the signal is, or already was, aborted; the returned function unsubscribes. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  signal.addEventListener('abort', callback, { once: true });
  return () => signal.removeEventListener('abort', callback);
}

/** Resolves when the signal is, or already was, aborted. */
export const aborted = (signal: AbortSignal): Promise<void> => new Promise((resolve) => void onAbort(signal, resolve));

export interface Scope {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Takes the scope off its parent. A scope that is not closed stays in the parent's listener list for good. */
  close(): void;
}

/**
 * A signal that ends with its parent, or earlier. By hand and not with AbortSignal.any, because the parent usually
 * lives as long as the process and thousands of short scopes hang on it.
 */
export function childScope(parent: AbortSignal): Scope {
  const controller = new AbortController();
  const close = onAbort(parent, () => controller.abort(parent.reason));
  return { signal: controller.signal, abort: (reason) => controller.abort(reason), close };
}

/** The work under a signal that ends with its parent, or with `why` when it takes longer than `ms`. */
export async function within<T>(
  { clock, ms, why }: { readonly clock: Clock; readonly ms: number; readonly why: string },
  parent: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const scope = childScope(parent);
  const cancel = clock.after(ms, () => scope.abort(new Error(why)));
  try {
    return await work(scope.signal);
  } finally {
    cancel();
    scope.close();
  }
}

/** RFC 3339 with exactly six decimals: the API's MicroTime takes no other. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace(/Z$/, '000Z');
}
