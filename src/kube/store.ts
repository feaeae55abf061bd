/**
 * What is known of one resource: projected when it comes in, indexed, frozen, and announced to subscribers.
 * Projection happens before storing, so that memory is paid for the fields that are used and nothing else.
 */
import { onAbort } from './clock.ts';
import { toError } from './errors.ts';
import { type Key, keyOf, type WireObject } from './object.ts';
import type { Replacement, Sink } from './reflector.ts';
import { type Logger, silentLogger } from './telemetry.ts';

/** The least that a projection must keep. */
export interface Stored {
  readonly metadata: { readonly namespace?: string; readonly name: string; readonly uid?: string; readonly resourceVersion?: string };
}

export type StoreEvent<T> =
  /** `initial`: it was there before we looked; not news. */
  | { readonly type: 'added'; readonly key: Key; readonly object: T; readonly initial: boolean }
  | { readonly type: 'updated'; readonly key: Key; readonly object: T; readonly old: T }
  /** `finalStateUnknown`: the deletion was missed and found by listing again; `object` is the last state that was seen. */
  | { readonly type: 'deleted'; readonly key: Key; readonly object: T; readonly finalStateUnknown: boolean };

export type Indexers<T> = Readonly<Record<string, (object: T) => readonly string[]>>;

export interface StoreOptions<T extends Stored> {
  readonly project: (object: WireObject) => T;
  readonly indexes?: Indexers<T>;
  readonly log?: Logger;
}

/** What reconcilers read from: a store, or one with their own latest writes laid over it. */
export interface Reader<T> {
  get(key: Key): T | undefined;
  list(): readonly T[];
  byIndex(index: string, value: string): readonly T[];
}

export class Store<T extends Stored> implements Sink, Reader<T> {
  readonly indexers: Indexers<T>;
  readonly #project: (object: WireObject) => T;
  readonly #log: Logger;
  readonly #subscribers = new Set<(event: StoreEvent<T>) => void>();
  /** Most values have one key or a few, and sets of them would be several times their size. */
  readonly #indexes = new Map<string, Map<string, Key | readonly Key[]>>();
  readonly #sync = Promise.withResolvers<void>();
  #objects = new Map<Key, T>();
  #synced = false;

  constructor(options: StoreOptions<T>) {
    this.#project = options.project;
    this.indexers = options.indexes ?? {};
    this.#log = options.log ?? silentLogger;
    for (const name of Object.keys(this.indexers)) this.#indexes.set(name, new Map());
  }

  get size(): number {
    return this.#objects.size;
  }

  /** True once the first complete list is in. It stays true: an old answer is better than none. */
  get hasSynced(): boolean {
    return this.#synced;
  }

  /** Resolves when the first complete list is in. */
  async synced(signal: AbortSignal): Promise<void> {
    const aborted = Promise.withResolvers<never>();
    const unsubscribe = onAbort(signal, () => aborted.reject(signal.reason));
    await Promise.race([this.#sync.promise, aborted.promise]).finally(unsubscribe);
  }

  get(key: Key): T | undefined {
    return this.#objects.get(key);
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  byIndex(index: string, value: string): readonly T[] {
    const values = this.#indexes.get(index);
    if (values === undefined) throw new TypeError(`the store has no index named ${index}`);
    const found: T[] = [];
    for (const key of listOf(values.get(value) ?? [])) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  /** Tells of every change from now on; what is there already is told first, as added. */
  subscribe(subscriber: (event: StoreEvent<T>) => void): () => void {
    this.#subscribers.add(subscriber);
    for (const [key, object] of this.#objects) this.#tell(subscriber, { type: 'added', key, object, initial: true });
    return () => this.#subscribers.delete(subscriber);
  }

  upsert(object: WireObject): void {
    const next = this.#projected(object);
    if (next !== undefined) this.#announce(this.#put(keyOf(next.metadata), next, false));
  }

  remove(object: WireObject): void {
    const key = keyOf(object.metadata);
    // The DELETED event carries the final state; the projection of it is the best tombstone there is.
    const last = this.#projected(object) ?? this.#objects.get(key);
    if (this.#take(key) && last !== undefined) this.#announce([{ type: 'deleted', key, object: last, finalStateUnknown: false }]);
  }

  replace(): Replacement {
    const staged = new Map<Key, T>();
    return {
      add: (object) => {
        const key = keyOf(object.metadata);
        const current = this.#objects.get(key);
        // An unchanged object keeps its place in memory: listing again must not double the store.
        const next = current !== undefined && isSameVersion(current, object) ? current : this.#projected(object);
        if (next !== undefined) staged.set(key, next);
      },
      remove: (object) => staged.delete(keyOf(object.metadata)),
      clear: () => staged.clear(),
      commit: () => this.#commit(staged),
    };
  }

  /** All changes are in before the first is told: a subscriber that looks around sees the new list, not a mixture. */
  #commit(staged: ReadonlyMap<Key, T>): void {
    const initial = !this.#synced;
    const events: StoreEvent<T>[] = [];
    for (const [key, object] of this.#objects) {
      if (staged.has(key)) continue;
      this.#take(key);
      events.push({ type: 'deleted', key, object, finalStateUnknown: true });
    }
    for (const [key, object] of staged) events.push(...this.#put(key, object, initial));
    this.#synced = true;
    this.#announce(events);
    this.#sync.resolve();
  }

  #put(key: Key, object: T, initial: boolean): readonly StoreEvent<T>[] {
    const old = this.#objects.get(key);
    if (old !== undefined && isSameVersion(old, object)) return [];
    if (old !== undefined) this.#unindex(key, old);
    this.#objects.set(key, object);
    this.#index(key, object);
    if (old === undefined) return [{ type: 'added', key, object, initial }];
    if (old.metadata.uid === object.metadata.uid) return [{ type: 'updated', key, object, old }];
    // Deleted and made anew under the same name while we were not looking: two objects, not one that changed.
    return [
      { type: 'deleted', key, object: old, finalStateUnknown: true },
      { type: 'added', key, object, initial },
    ];
  }

  #take(key: Key): boolean {
    const old = this.#objects.get(key);
    if (old !== undefined) this.#unindex(key, old);
    return this.#objects.delete(key);
  }

  #index(key: Key, object: T): void {
    for (const [name, values] of this.#indexes) {
      for (const value of this.indexers[name]?.(object) ?? []) {
        const keys = values.get(value);
        if (keys === undefined) values.set(value, key);
        else values.set(value, listOf(keys).concat(key)); // a literal would leave room for more
      }
    }
  }

  #unindex(key: Key, object: T): void {
    for (const [name, values] of this.#indexes) {
      for (const value of this.indexers[name]?.(object) ?? []) {
        const left = listOf(values.get(value) ?? []).filter((other) => other !== key);
        const [only] = left;
        if (only === undefined) values.delete(value);
        else values.set(value, left.length === 1 ? only : left);
      }
    }
  }

  /** An object that the projection cannot digest is left out and told; it must not stop all others. */
  #projected(object: WireObject): T | undefined {
    try {
      return deepFreeze(this.#project(object));
    } catch (error) {
      this.#log.error({ err: toError(error), object: keyOf(object.metadata), kind: object.kind }, 'the object could not be projected');
      return undefined;
    }
  }

  #announce(events: readonly StoreEvent<T>[]): void {
    for (const event of events) {
      for (const subscriber of this.#subscribers) this.#tell(subscriber, event);
    }
  }

  #tell(subscriber: (event: StoreEvent<T>) => void, event: StoreEvent<T>): void {
    try {
      subscriber(event);
    } catch (error) {
      this.#log.error({ err: toError(error), key: event.key }, 'a subscriber of the store failed');
    }
  }
}

const listOf = (keys: Key | readonly Key[]): readonly Key[] => (typeof keys === 'string' ? [keys] : keys);

function isSameVersion(a: Stored, b: Stored): boolean {
  return a.metadata.resourceVersion === b.metadata.resourceVersion && a.metadata.uid === b.metadata.uid;
}

/** Everybody reads the same object; nobody may write to it. */
export function deepFreeze<T>(value: T): T {
  if (value === null || typeof value !== 'object' || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
