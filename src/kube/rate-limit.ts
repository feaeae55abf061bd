/** A token bucket: `burst` at once, then `qps` per second. */
import type { Clock } from './clock.ts';

export interface Rate {
  readonly qps: number;
  readonly burst: number;
}

export class TokenBucket {
  readonly #rate: Rate;
  readonly #clock: Clock;
  #tokens: number;
  #at: number;

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
    this.#tokens = rate.burst;
    this.#at = clock.monotonic();
  }

  /** Takes a token and says how many milliseconds to wait until it is really there. Tokens go out in the order of the calls. */
  reserve(): number {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + ((now - this.#at) / 1000) * this.#rate.qps);
    this.#at = now;
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#rate.qps) * 1000;
  }
}
