/** Growing waits for one thing that keeps failing, as client-go's reflector has them. */
import type { Clock, Random } from './clock.ts';

export interface BackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
  readonly factor: number;
  /** A wait is stretched by up to this part of itself, so that many clients do not come back at the same moment. */
  readonly jitter: number;
  /** After so long without a failure the next one counts as the first again. */
  readonly resetAfterMs: number;
}

/** client-go's numbers for reflectors: 0.8 s doubling to 30 s, forgotten after two quiet minutes. */
export const REFLECTOR_BACKOFF: BackoffOptions = { initialMs: 800, maxMs: 30_000, factor: 2, jitter: 1, resetAfterMs: 120_000 };

export class Backoff {
  readonly #options: BackoffOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  #base: number;
  #last = Number.NEGATIVE_INFINITY;

  constructor(options: BackoffOptions, clock: Clock, random: Random) {
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.#base = options.initialMs;
  }

  /**
   * How long to wait now. Success does not reset it, quiet does: a server that accepts a connection and drops it at
   * once, over and over, must not be met at full speed.
   */
  next(): number {
    const now = this.#clock.monotonic();
    if (now - this.#last > this.#options.resetAfterMs) this.#base = this.#options.initialMs;
    const wait = Math.min(this.#base * (1 + this.#options.jitter * this.#random()), this.#options.maxMs);
    this.#base = Math.min(this.#base * this.#options.factor, this.#options.maxMs);
    // Counted from the end of the wait, else a long wait would itself look like quiet time.
    this.#last = now + wait;
    return wait;
  }
}
