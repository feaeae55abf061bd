/**
 * Keys that want work, by client-go's rules: a key waits at most once, is worked on by at most one worker, and when it is
 * added while it is worked on, it comes again afterwards. Failures come back later and later; a delayed key at its earliest time.
 */
import { type Clock, onAbort } from './clock.ts';
import { DelayHeap } from './delay-heap.ts';
import type { Key } from './object.ts';
import { type Rate, TokenBucket } from './rate-limit.ts';
import { type Metrics, noMetrics } from './telemetry.ts';

/** Higher goes first. What was there before we looked waits behind what changes now. */
export const PRIORITY = { normal: 0, low: -100 } as const;

export interface WorkQueueOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly metrics?: Metrics;
  /** Of a key that fails again and again: doubling from the one to the other. */
  readonly retryDelayMs?: { readonly least: number; readonly most: number };
  /** Of all failing keys together. */
  readonly retryRate?: Rate;
}

const RETRY_DELAY_MS = { least: 5, most: 1_000_000 };
const RETRY_RATE: Rate = { qps: 10, burst: 100 };

type Worker = (key: Key | undefined) => void;

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  readonly #labels: { readonly name: string };
  readonly #bucket: TokenBucket;
  /** Wants work: waiting in #ready, or being worked on and added again. With its priority. */
  readonly #dirty = new Map<Key, number>();
  /** Being worked on, since when. */
  readonly #processing = new Map<Key, number>();
  /** Dirty and not processing, by priority, in the order they came. */
  readonly #ready = new Map<number, Set<Key>>();
  readonly #readySince = new Map<Key, number>();
  readonly #delayed = new DelayHeap();
  readonly #failures = new Map<Key, number>();
  readonly #workers: Worker[] = [];
  #cancelTimer: () => void = () => {};
  #timerAt = Number.POSITIVE_INFINITY;
  #shutDown = false;
  #idle: (() => void)[] = [];

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#metrics = options.metrics ?? noMetrics;
    this.#labels = { name: options.name };
    this.#bucket = new TokenBucket(options.retryRate ?? RETRY_RATE, options.clock);
  }

  /** Keys that are ready and wait for a worker. */
  get depth(): number {
    return this.#readySince.size;
  }

  add(key: Key, priority: number = PRIORITY.normal): void {
    if (this.#shutDown) return;
    const known = this.#dirty.get(key);
    if (known !== undefined) {
      if (known < priority) this.#raise(key, known, priority);
      return;
    }
    this.#metrics.count('workqueue_adds_total', this.#labels);
    this.#dirty.set(key, priority);
    // The worker that has it now may have read the world before this change: it comes again when that one is done.
    if (!this.#processing.has(key)) this.#enqueue(key, priority);
  }

  /** Adds the key in `ms`. Of several such calls the earliest counts, and an `add` before it does not cancel it. */
  addAfter(key: Key, ms: number): void {
    if (this.#shutDown) return;
    if (ms <= 0) {
      this.add(key);
      return;
    }
    this.#delayed.add(key, this.#clock.monotonic() + ms);
    this.#armTimer();
  }

  /** Adds the key after the wait that its failures so far have earned it. `leastMs`: the server asked for that much. */
  addRateLimited(key: Key, leastMs = 0): void {
    const { least, most } = this.#options.retryDelayMs ?? RETRY_DELAY_MS;
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.#metrics.count('workqueue_retries_total', this.#labels);
    this.addAfter(key, Math.max(Math.min(least * 2 ** failures, most), this.#bucket.reserve(), leastMs));
  }

  /** The key did well: its next failure counts as the first. */
  forget(key: Key): void {
    this.#failures.delete(key);
  }

  failuresOf(key: Key): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The next key, as soon as there is one; `done` must be called for it. Undefined when the queue is shut down or the signal aborted. */
  get(signal: AbortSignal): Promise<Key | undefined> {
    return new Promise((resolve) => {
      if (this.#shutDown || signal.aborted) {
        resolve(undefined);
        return;
      }
      const worker: Worker = (key) => {
        unsubscribe();
        resolve(key);
      };
      const unsubscribe = onAbort(signal, () => {
        this.#workers.splice(this.#workers.indexOf(worker), 1);
        resolve(undefined);
      });
      this.#workers.push(worker);
      this.#serve();
    });
  }

  done(key: Key): void {
    const since = this.#processing.get(key);
    if (since === undefined) return;
    this.#metrics.observe('workqueue_work_duration_seconds', this.#labels, (this.#clock.monotonic() - since) / 1000);
    this.#processing.delete(key);
    const priority = this.#dirty.get(key);
    if (priority !== undefined) this.#enqueue(key, priority);
    this.#tellIdle();
  }

  /**
   * No more keys go in or out; what waits is dropped, because the next process lists everything anyway.
   * Resolves when the keys that are worked on are done.
   */
  async shutDown(signal: AbortSignal): Promise<void> {
    this.#shutDown = true;
    this.#cancelTimer();
    this.#delayed.clear();
    this.#ready.clear();
    this.#readySince.clear();
    this.#dirty.clear();
    this.#metrics.gauge('workqueue_depth', this.#labels, 0);
    for (const worker of this.#workers.splice(0)) worker(undefined);
    if (this.#processing.size === 0) return;
    await new Promise<void>((resolve) => {
      const unsubscribe = onAbort(signal, resolve);
      this.#idle.push(() => {
        unsubscribe();
        resolve();
      });
    });
  }

  /** Sets the gauges that grow by themselves; to be called before metrics are collected. */
  sample(): void {
    const now = this.#clock.monotonic();
    let sum = 0;
    let longest = 0;
    for (const since of this.#processing.values()) {
      sum += now - since;
      longest = Math.max(longest, now - since);
    }
    this.#metrics.gauge('workqueue_unfinished_work_seconds', this.#labels, sum / 1000);
    this.#metrics.gauge('workqueue_longest_running_processor_seconds', this.#labels, longest / 1000);
  }

  #raise(key: Key, from: number, to: number): void {
    this.#dirty.set(key, to);
    if (!this.#readySince.has(key)) return;
    this.#ready.get(from)?.delete(key);
    this.#waiting(to).add(key);
  }

  #enqueue(key: Key, priority: number): void {
    this.#waiting(priority).add(key);
    this.#readySince.set(key, this.#clock.monotonic());
    this.#metrics.gauge('workqueue_depth', this.#labels, this.depth);
    this.#serve();
  }

  #waiting(priority: number): Set<Key> {
    const keys = this.#ready.get(priority) ?? new Set();
    this.#ready.set(priority, keys);
    return keys;
  }

  #serve(): void {
    while (this.#workers.length > 0) {
      const key = this.#first();
      if (key === undefined) return;
      const now = this.#clock.monotonic();
      const since = this.#readySince.get(key) ?? now;
      this.#ready.get(this.#dirty.get(key) ?? PRIORITY.normal)?.delete(key);
      this.#readySince.delete(key);
      this.#dirty.delete(key);
      this.#processing.set(key, now);
      this.#metrics.observe('workqueue_queue_duration_seconds', this.#labels, (now - since) / 1000);
      this.#metrics.gauge('workqueue_depth', this.#labels, this.depth);
      this.#workers.shift()?.(key);
    }
  }

  #first(): Key | undefined {
    let best: number | undefined;
    for (const [priority, keys] of this.#ready) {
      if (keys.size > 0 && (best === undefined || priority > best)) best = priority;
    }
    return best === undefined ? undefined : this.#ready.get(best)?.values().next().value;
  }

  #armTimer(): void {
    const at = this.#delayed.next();
    if (at === undefined || at >= this.#timerAt) return;
    this.#cancelTimer();
    this.#timerAt = at;
    this.#cancelTimer = this.#clock.after(at - this.#clock.monotonic(), () => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      for (const key of this.#delayed.take(this.#clock.monotonic())) this.add(key);
      this.#armTimer();
    });
  }

  #tellIdle(): void {
    if (!this.#shutDown || this.#processing.size > 0) return;
    for (const tell of this.#idle.splice(0)) tell();
  }
}
