/** A clock that stands still until a test moves it. */
import type { Clock } from '../clock.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

export class ManualClock implements Clock {
  #time = 0;
  #timers: Timer[] = [];
  readonly #epoch: number;

  constructor(epoch = '2026-01-02T03:04:05Z') {
    this.#epoch = Date.parse(epoch);
  }

  now(): number {
    return this.#epoch + this.#time;
  }

  monotonic(): number {
    return this.#time;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#time + Math.max(ms, 0), callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** How far away the timers are that are set now, nearest first. */
  get waits(): readonly number[] {
    return this.#timers.map(({ at }) => at - this.#time).sort((a, b) => a - b);
  }

  /** Moves on, firing what becomes due in its order, and lets what it set off run as far as it can without more time. */
  async advance(ms: number): Promise<void> {
    const end = this.#time + ms;
    await settle();
    for (let next = this.#nextBy(end); next !== undefined; next = this.#nextBy(end)) {
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#time = next.at;
      next.callback();
      await settle();
    }
    this.#time = end;
  }

  #nextBy(end: number): Timer | undefined {
    return this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }
}

/** Lets promises that wait for nothing else run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
