/**
 * Keeps a sink equal to a resource of the API server, for as long as it runs and whatever the connection does.
 * Watch-list first; where the server refuses it, a paged list and then a watch. The sink never sees half a list.
 */
import { Backoff, type BackoffOptions, REFLECTOR_BACKOFF } from './backoff.ts';
import { Client, METADATA_ONLY } from './client.ts';
import { pause } from './clock.ts';
import { ApiError, isExpired, isForbidden, isNotFound, isTooLargeResourceVersion, NetworkError, toError } from './errors.ts';
import { DEFAULT_PAGE_SIZE, listPages, type Selection, selectionQuery } from './list-pager.ts';
import { compareResourceVersions, type WireObject, withKind } from './object.ts';
import { type Logger, type Metrics, noMetrics, silentLogger } from './telemetry.ts';
import type { Transport } from './transport.ts';
import { readWatch, WatchBroken, type WatchEvent } from './watch-stream.ts';

export interface Replacement {
  add(object: WireObject): void;
  remove(object: WireObject): void;
  /** Drops what was added so far. */
  clear(): void;
  commit(): void;
}

export interface Sink {
  /** Begins a full replacement; nothing of it shows before its commit. */
  replace(): Replacement;
  upsert(object: WireObject): void;
  remove(object: WireObject): void;
}

/**
 * starting: nothing known yet. synced: following. failing: cut off, trying again; what was seen last stays in the sink.
 * missing: the server does not have the kind. forbidden: we may not read it.
 */
export type Phase = 'starting' | 'synced' | 'failing' | 'missing' | 'forbidden';

export interface ReflectorState {
  readonly phase: Phase;
  /** What is wrong, for people; empty when nothing is. */
  readonly message: string;
}

export interface ReflectorOptions extends Selection {
  readonly transport: Transport;
  readonly sink: Sink;
  readonly pageSize?: number;
  readonly backoff?: BackoffOptions;
  /** No byte for so long breaks the watch. Bookmarks come about every minute, so this is two of them lost. */
  readonly idleMs?: number;
  readonly onState?: (state: ReflectorState) => void;
  readonly log?: Logger;
  readonly metrics?: Metrics;
}

const IDLE_MS = 150_000;
/** A server that takes `sendInitialEvents` and ignores it sends nothing more on a quiet resource: do not wait long to find out. */
const INITIAL_IDLE_MS = 30_000;
const WATCH_SECONDS = { least: 300, spread: 300 };
const DEADLINE_GRACE_MS = 30_000;
const SHORT_WATCH_MS = 1_000;
const MAX_EVENT_BYTES = 64 * 1024 * 1024;
/** An absent kind is asked for at least this often: somebody is probably about to install it. */
const MISSING_POLL_MS = 10_000;
/** One 404 may come from a server that is just starting; the second one is believed. */
const ABSENCES_BELIEVED = 2;

/** The server's history went backwards under us (etcd restored from a backup): what we hold may never have happened. */
class HistoryRewound extends Error {
  override readonly name = 'HistoryRewound';
}

export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #client: Client;
  readonly #backoff: Backoff;
  readonly #log: Logger;
  readonly #metrics: Metrics;
  readonly #label: string;
  #state: ReflectorState = { phase: 'starting', message: '' };
  /** Where to watch from; undefined when a full listing is needed. */
  #version: string | undefined;
  #watchList = true;
  #absences = 0;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#client = new Client(options.transport);
    this.#backoff = new Backoff(options.backoff ?? REFLECTOR_BACKOFF, options.transport.clock, options.transport.random);
    this.#log = options.log ?? silentLogger;
    this.#metrics = options.metrics ?? noMetrics;
    const { plural, group } = options.resource;
    this.#label = group ? `${plural}.${group}` : plural;
  }

  get state(): ReflectorState {
    return this.#state;
  }

  /** Runs until the signal; never throws for what the server or the network did. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#version === undefined && !this.#watchList) await this.#listPages(signal);
        await this.#watch(signal);
      } catch (error) {
        if (signal.aborted) return;
        await pause(this.#options.transport.clock, this.#judge(toError(error)), signal);
      }
    }
  }

  async #listPages(signal: AbortSignal): Promise<void> {
    const { transport, sink, pageSize = DEFAULT_PAGE_SIZE } = this.#options;
    this.#metrics.count('kube_reflector_lists_total', { resource: this.#label, way: 'pages' });
    const replacement = sink.replace();
    let version: string | undefined;
    for await (const page of listPages(transport, this.#options, pageSize, signal)) {
      if (page.restarted) replacement.clear();
      for (const item of page.items) replacement.add(item);
      version = page.resourceVersion;
    }
    replacement.commit();
    this.#follow(version);
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.transport;
    const started = clock.monotonic();
    let initial = this.#version === undefined ? this.#options.sink.replace() : undefined;
    let events = 0;
    for await (const event of this.#open(initial !== undefined, signal)) {
      events += 1;
      if (initial === undefined) this.#take(event);
      else if (event.type !== 'BOOKMARK') this.#stage(initial, event);
      else if (event.endsInitialList) {
        initial.commit();
        initial = undefined;
        this.#follow(event.resourceVersion);
      }
    }
    if (initial !== undefined) throw new WatchBroken('truncated', 'the watch ended before its initial list did');
    // A server that ends every watch at once would otherwise be asked in a tight loop.
    if (events === 0 && clock.monotonic() - started < SHORT_WATCH_MS) {
      throw new WatchBroken('short', 'the server ended the watch at once and without an event');
    }
  }

  #open(initial: boolean, signal: AbortSignal): AsyncGenerator<WatchEvent, void> {
    const { transport, resource, namespace, metadataOnly, idleMs = IDLE_MS } = this.#options;
    const timeoutSeconds = WATCH_SECONDS.least + Math.floor(transport.random() * WATCH_SECONDS.spread);
    const query = {
      ...selectionQuery(this.#options),
      allowWatchBookmarks: true,
      timeoutSeconds,
      // Without a version the initial list is the newest state there is, never an older cache.
      ...(initial ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } : { resourceVersion: this.#version }),
    };
    const accept = metadataOnly ? METADATA_ONLY : 'application/json';
    const open = async (scope: AbortSignal) => {
      const response = await this.#client.watch(resource, namespace, query, accept, scope);
      this.#metrics.count('kube_reflector_watches_total', { resource: this.#label });
      if (initial) this.#metrics.count('kube_reflector_lists_total', { resource: this.#label, way: 'watch-list' });
      else this.#follow(this.#version);
      return response;
    };
    const limits = {
      clock: transport.clock,
      // Until the initial list is complete there is no version yet.
      idleMs: () => (this.#version === undefined ? Math.min(INITIAL_IDLE_MS, idleMs) : idleMs),
      deadlineMs: timeoutSeconds * 1000 + DEADLINE_GRACE_MS,
      maxLineBytes: MAX_EVENT_BYTES,
    };
    return readWatch(open, limits, signal);
  }

  #stage(initial: Replacement, event: Exclude<WatchEvent, { type: 'BOOKMARK' }>): void {
    const object = withKind(event.object, this.#options.resource);
    if (event.type === 'DELETED') initial.remove(object);
    else initial.add(object);
  }

  #take(event: WatchEvent): void {
    if (event.type === 'BOOKMARK') {
      if (this.#version !== undefined && compareResourceVersions(event.resourceVersion, this.#version) < 0) {
        throw new HistoryRewound(`the server is at ${event.resourceVersion}, behind the ${this.#version} that it sent before`);
      }
      this.#version = event.resourceVersion;
      return;
    }
    const object = withKind(event.object, this.#options.resource);
    if (event.type === 'DELETED') this.#options.sink.remove(object);
    else this.#options.sink.upsert(object);
    this.#version = object.metadata.resourceVersion;
  }

  #follow(version: string | undefined): void {
    this.#version = version;
    this.#absences = 0;
    this.#enter('synced', '');
  }

  /** What a failure means for the next attempt, and how long to wait before it. */
  #judge(error: Error): number {
    if (this.#refusesWatchList(error)) {
      this.#watchList = false;
      this.#log.info({ resource: this.#label, err: error }, 'the server has no watch-list for this resource; listing in pages');
      return 0;
    }
    this.#metrics.count('kube_reflector_failures_total', { resource: this.#label, reason: reasonOf(error) });
    if (this.#wasOnlySilent(error)) return 0;
    const wait = this.#backoff.next();
    if (isExpired(error) || isTooLargeResourceVersion(error) || error instanceof HistoryRewound) {
      this.#version = undefined;
      this.#log.info({ resource: this.#label, err: error }, 'the watched version is gone; listing again');
      return wait;
    }
    if (isNotFound(error)) return Math.min(this.#absent(error), wait);
    this.#enter(isForbidden(error) ? 'forbidden' : 'failing', error.message);
    return Math.max(wait, error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0);
  }

  #refusesWatchList(error: Error): boolean {
    if (this.#version !== undefined || !this.#watchList) return false;
    if (error instanceof WatchBroken) return error.reason === 'stalled';
    return error instanceof ApiError && [400, 405, 406, 415, 422].includes(error.code);
  }

  /** Some resources have no bookmarks (events): there silence means nothing, and asking again at once will show what it means. */
  #wasOnlySilent(error: Error): boolean {
    return this.#version !== undefined && error instanceof WatchBroken && (error.reason === 'stalled' || error.reason === 'deadline');
  }

  #absent(error: Error): number {
    this.#version = undefined;
    this.#absences += 1;
    this.#enter('missing', error.message);
    // No kind, no objects: they were deleted with it. A fact like any other, and it lets those who wait for the sync go on.
    if (this.#absences === ABSENCES_BELIEVED) this.#options.sink.replace().commit();
    return MISSING_POLL_MS;
  }

  #enter(phase: Phase, message: string): void {
    const before = this.#state;
    this.#state = { phase, message };
    if (before.phase === phase) return;
    const fields = { resource: this.#label, phase, before: before.phase, ...(message ? { reason: message } : {}) };
    if (phase === 'synced') this.#log.info(fields, 'following the resource');
    else this.#log.warn(fields, 'not following the resource');
    this.#options.onState?.(this.#state);
  }
}

function reasonOf(error: Error): string {
  if (error instanceof WatchBroken) return error.reason;
  if (error instanceof ApiError || error instanceof NetworkError) return String(error.code);
  return error.name;
}
