/**
 * Read your own writes: a store with the answers to our latest writes laid over it, each until the watch has delivered it.
 * Without it the next reconciliation would act on the world as it was before the last one.
 */
import type { Clock } from './clock.ts';
import { compareResourceVersions, type Key, keyOf, type WireObject } from './object.ts';
import { deepFreeze, type Reader, type Store, type Stored } from './store.ts';

interface Written<T> {
  /** Undefined: deleted. */
  readonly object: T | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly until: number;
}

export interface OverlayOptions<T extends Stored> {
  readonly store: Store<T>;
  readonly project: (object: WireObject) => T;
  readonly clock: Clock;
  /** A watch that is later than this is not late but broken; then the store's older view is the honest one. */
  readonly holdMs?: number;
}

const HOLD_MS = 5_000;

export class Overlay<T extends Stored> implements Reader<T> {
  readonly #options: OverlayOptions<T>;
  readonly #written = new Map<Key, Written<T>>();
  readonly #unsubscribe: () => void;

  constructor(options: OverlayOptions<T>) {
    this.#options = options;
    this.#unsubscribe = options.store.subscribe(({ key, object, type }) => this.#seen(key, object, type === 'deleted'));
  }

  /** Writes whose echo has not come yet. */
  get pending(): number {
    this.#expire();
    return this.#written.size;
  }

  /** The answer to a create, an update, a patch. */
  wrote(object: WireObject): void {
    const projected = deepFreeze(this.#options.project(object));
    const key = keyOf(projected.metadata);
    const known = this.#options.store.get(key);
    if (known !== undefined && isAtLeast(known, projected.metadata.resourceVersion)) return;
    this.#note(key, projected, projected.metadata.uid, projected.metadata.resourceVersion);
  }

  /** An object that was deleted and is gone; not one that a finalizer still holds. */
  deleted(key: Key, uid: string | undefined): void {
    if (this.#options.store.get(key)?.metadata.uid === uid) this.#note(key, undefined, uid, undefined);
  }

  get(key: Key): T | undefined {
    this.#expire();
    const written = this.#written.get(key);
    return written ? written.object : this.#options.store.get(key);
  }

  list(): readonly T[] {
    return this.#merged(this.#options.store.list(), () => true);
  }

  byIndex(index: string, value: string): readonly T[] {
    const indexer = this.#options.store.indexers[index];
    return this.#merged(this.#options.store.byIndex(index, value), (object) => indexer?.(object).includes(value) ?? false);
  }

  close(): void {
    this.#unsubscribe();
    this.#written.clear();
  }

  #merged(stored: readonly T[], belongs: (object: T) => boolean): readonly T[] {
    this.#expire();
    if (this.#written.size === 0) return stored;
    const result = stored.filter((object) => !this.#written.has(keyOf(object.metadata)));
    for (const { object } of this.#written.values()) {
      if (object !== undefined && belongs(object)) result.push(object);
    }
    return result;
  }

  #note(key: Key, object: T | undefined, uid: string | undefined, resourceVersion: string | undefined): void {
    const until = this.#options.clock.monotonic() + (this.#options.holdMs ?? HOLD_MS);
    // Taken out first, so that the map stays in the order of the times and expiry can stop at the first that holds.
    this.#written.delete(key);
    this.#written.set(key, { object, uid, resourceVersion, until });
  }

  #seen(key: Key, object: T, deleted: boolean): void {
    const written = this.#written.get(key);
    if (written === undefined) return;
    const caughtUp =
      written.resourceVersion === undefined ? deleted || object.metadata.uid !== written.uid : isAtLeast(object, written.resourceVersion);
    if (caughtUp) this.#written.delete(key);
  }

  #expire(): void {
    const now = this.#options.clock.monotonic();
    for (const [key, { until }] of this.#written) {
      if (until > now) return;
      this.#written.delete(key);
    }
  }
}

function isAtLeast(object: Stored, resourceVersion: string | undefined): boolean {
  const known = object.metadata.resourceVersion;
  return known !== undefined && resourceVersion !== undefined && compareResourceVersions(known, resourceVersion) >= 0;
}
