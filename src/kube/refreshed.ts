/** A value that is read again when it gets old: tokens and certificates that others rotate under us. */
import { type Clock, onAbort } from './clock.ts';
import { toError } from './errors.ts';

export interface RefreshedOptions<T> {
  readonly load: (signal: AbortSignal) => Promise<T>;
  /** How long a value just loaded may be used. Infinity: until `invalidate`. */
  readonly freshForMs: (value: T) => number;
  readonly clock: Clock;
  /** Told when a re-read failed and the old value stays in use. */
  readonly onStale?: (error: Error) => void;
}

const LOAD_TIMEOUT_MS = 60_000;

export class Refreshed<T> {
  readonly #options: RefreshedOptions<T>;
  #current: { readonly value: T } | undefined;
  #freshUntil = Number.NEGATIVE_INFINITY;
  #loading: Promise<T> | undefined;

  constructor(options: RefreshedOptions<T>) {
    this.#options = options;
  }

  async get(signal: AbortSignal): Promise<T> {
    if (this.#current !== undefined && this.#options.clock.monotonic() < this.#freshUntil) return this.#current.value;
    // One load for all who wait; it does not end with the first of them that gives up.
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return orAbort(this.#loading, signal);
  }

  invalidate(): void {
    this.#freshUntil = Number.NEGATIVE_INFINITY;
  }

  async #load(): Promise<T> {
    const timeout = new AbortController();
    const cancel = this.#options.clock.after(LOAD_TIMEOUT_MS, () => timeout.abort(new Error('timed out')));
    try {
      const value = await this.#options.load(timeout.signal);
      this.#current = { value };
      this.#freshUntil = this.#options.clock.monotonic() + this.#options.freshForMs(value);
      return value;
    } catch (error) {
      // A rotation in progress (a file missing for a moment) must not take down a process whose old token still works.
      if (this.#current === undefined) throw error;
      this.#options.onStale?.(toError(error));
      return this.#current.value;
    } finally {
      cancel();
    }
  }
}

function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const unsubscribe = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(unsubscribe);
  });
}
