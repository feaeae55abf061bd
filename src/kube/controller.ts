/**
 * Workers that take keys from a queue and reconcile them. The reconciler gets a key, never an event: what it does
 * follows from what is true now, so a lost or doubled event changes nothing.
 */
import { type Clock, childScope, onAbort, type Random } from './clock.ts';
import { ApiError, isConflict, LeadershipLost, TerminalError, toError } from './errors.ts';
import type { Key } from './object.ts';
import type { Rate } from './rate-limit.ts';
import type { Stored, StoreEvent } from './store.ts';
import { type Logger, type Metrics, noMetrics, silentLogger } from './telemetry.ts';
import { PRIORITY, WorkQueue } from './work-queue.ts';

/** When to look again without being told. Nothing: when something changes. */
export type Next = { readonly requeueAfterMs: number } | undefined;

export interface ReconcileContext {
  /** Aborted at the deadline, when leadership is lost, or when the time to drain is over. */
  readonly signal: AbortSignal;
  /** On every line that this reconciliation logs. */
  readonly reconcileId: string;
  /** How often this key has failed since it last did well. */
  readonly failures: number;
}

export type Reconcile = (key: Key, context: ReconcileContext) => Promise<Next>;

export interface ControllerOptions {
  readonly name: string;
  /** What its keys are keys of, in the log: `tenant`, say, if nothing but `key` would tell. */
  readonly keyIs?: string;
  readonly reconcile: Reconcile;
  readonly clock: Clock;
  readonly random: Random;
  readonly workers?: number;
  readonly deadlineMs?: number;
  /** How long running reconciliations may take to finish after the stop. */
  readonly drainMs?: number;
  readonly retryDelayMs?: { readonly least: number; readonly most: number };
  readonly retryRate?: Rate;
  readonly log?: Logger;
  readonly metrics?: Metrics;
}

/** A reconciliation took longer than it may: whatever it waits for did not come. */
export class ReconcileTimeout extends Error {
  override readonly name = 'ReconcileTimeout';
}

/** A store, or what tells of less than all that happens in one. */
export interface Subscribable<T extends Stored, R> {
  subscribe(subscriber: (event: StoreEvent<T>) => void): R;
}

const DEADLINE_MS = 120_000;
const DRAIN_MS = 25_000;
const ABANDON_MS = 5_000;

export class Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #options: ControllerOptions;
  readonly #log: Logger;
  readonly #metrics: Metrics;
  readonly #labels: { readonly controller: string };
  #active = 0;

  constructor(options: ControllerOptions) {
    this.name = options.name;
    this.#options = options;
    this.#log = options.log ?? silentLogger;
    this.#metrics = options.metrics ?? noMetrics;
    this.#labels = { controller: options.name };
    const { name, clock, metrics, retryDelayMs, retryRate } = options;
    this.queue = new WorkQueue({
      name,
      clock,
      ...(metrics ? { metrics } : {}),
      ...(retryDelayMs ? { retryDelayMs } : {}),
      ...(retryRate ? { retryRate } : {}),
    });
  }

  /** Changes in the source add the keys that `keys` makes of them. An update asks for the old object too: it may have had another owner. */
  watch<T extends Stored, R>(source: Subscribable<T, R>, keys: (object: T, event: StoreEvent<T>) => Iterable<Key>): R {
    return source.subscribe((event) => {
      const priority = event.type === 'added' && event.initial ? PRIORITY.low : PRIORITY.normal;
      const affected = new Set(keys(event.object, event));
      if (event.type === 'updated') for (const key of keys(event.old, event)) affected.add(key);
      for (const key of affected) this.queue.add(key, priority);
    });
  }

  /** Works until the signal, then lets running reconciliations finish. Loss of leadership leaves them no time. */
  async run(signal: AbortSignal): Promise<void> {
    const { workers = 1, clock, drainMs = DRAIN_MS } = this.#options;
    this.#metrics.gauge('controller_runtime_max_concurrent_reconciles', this.#labels, workers);
    this.#metrics.gauge('controller_runtime_active_workers', this.#labels, 0);
    const work = new AbortController();
    const abandoned = Promise.withResolvers<void>();
    let cancelTimer = () => {};
    const giveUp = () => {
      work.abort(signal.reason);
      // A reconciler that does not heed its signal must not keep a process alive that may no longer write.
      cancelTimer = clock.after(ABANDON_MS, () => {
        this.#log.error({ controller: this.name, active: this.#active }, 'reconciliations that do not stop were abandoned');
        abandoned.resolve();
      });
    };
    const unsubscribe = onAbort(signal, () => {
      if (signal.reason instanceof LeadershipLost) giveUp();
      else cancelTimer = clock.after(drainMs, giveUp);
      void this.queue.shutDown(work.signal);
    });
    const done = Promise.all(Array.from({ length: workers }, () => this.#worker(work.signal)));
    await Promise.race([done, abandoned.promise]);
    cancelTimer();
    unsubscribe();
  }

  async #worker(signal: AbortSignal): Promise<void> {
    for (let key = await this.queue.get(signal); key !== undefined; key = await this.queue.get(signal)) {
      this.#metrics.gauge('controller_runtime_active_workers', this.#labels, ++this.#active);
      try {
        await this.#reconcile(key, signal);
      } finally {
        this.queue.done(key);
        this.#metrics.gauge('controller_runtime_active_workers', this.#labels, --this.#active);
      }
    }
  }

  async #reconcile(key: Key, signal: AbortSignal): Promise<void> {
    const { clock, deadlineMs = DEADLINE_MS } = this.#options;
    const reconcileId = this.#newId();
    const started = clock.monotonic();
    const scope = childScope(signal);
    const cancelDeadline = clock.after(deadlineMs, () => {
      this.#metrics.count('controller_runtime_reconcile_timeouts_total', this.#labels);
      scope.abort(new ReconcileTimeout(`not finished after ${deadlineMs} ms`));
    });
    try {
      const next = await this.#options.reconcile(key, { signal: scope.signal, reconcileId, failures: this.queue.failuresOf(key) });
      this.#succeeded(key, next);
    } catch (error) {
      this.#failed(key, reconcileId, toError(error), signal);
    } finally {
      cancelDeadline();
      scope.close();
      this.#metrics.observe('controller_runtime_reconcile_time_seconds', this.#labels, (clock.monotonic() - started) / 1000);
    }
  }

  #succeeded(key: Key, next: Next): void {
    this.queue.forget(key);
    if (next !== undefined) this.queue.addAfter(key, next.requeueAfterMs);
    this.#count(next === undefined ? 'success' : 'requeue_after');
  }

  #failed(key: Key, reconcileId: string, error: Error, signal: AbortSignal): void {
    const fields = { controller: this.name, [this.#options.keyIs ?? 'key']: key, reconcileId, err: error };
    if (signal.aborted) {
      this.#log.info(fields, 'reconciliation was cut short by the stop');
      return;
    }
    this.#count('error');
    this.#metrics.count('controller_runtime_reconcile_errors_total', this.#labels);
    if (error instanceof TerminalError) {
      this.#metrics.count('controller_runtime_terminal_reconcile_errors_total', this.#labels);
      this.#log.error(fields, 'reconciliation failed and is not tried again before something changes');
      this.queue.forget(key);
      return;
    }
    // A write that came second is everyday life: the newer object is on its way to the store.
    if (isConflict(error)) this.#log.debug(fields, 'reconciliation met a newer object; trying again');
    else this.#log.error(fields, 'reconciliation failed; trying again');
    this.queue.addRateLimited(key, error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0);
  }

  #count(result: 'success' | 'requeue_after' | 'error'): void {
    this.#metrics.count('controller_runtime_reconcile_total', { controller: this.name, result });
  }

  #newId(): string {
    return Math.floor(this.#options.random() * 2 ** 48)
      .toString(16)
      .padStart(12, '0');
  }
}
