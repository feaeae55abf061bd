/**
 * One kind of object as the operator sees it: what the API server says, with our own latest writes laid over it, and an
 * opinion on which changes are news. A heartbeat in a field that we do not keep is none, and nor is the echo of our own write:
 * without this every write would cause one more reconciliation, and every node a thousand of them a minute.
 */
import { Informer, type InformerOptions } from '../../kube/informer.ts';
import type { Selection } from '../../kube/list-pager.ts';
import type { Watched } from '../../kube/manager.ts';
import { type Key, keyOf, type Resource, type WireObject, withKind } from '../../kube/object.ts';
import { Overlay } from '../../kube/overlay.ts';
import type { ReflectorState } from '../../kube/reflector.ts';
import type { Indexers, Reader, Store, Stored, StoreEvent } from '../../kube/store.ts';
import type { Keeping, TextRow } from './keeping.ts';

export interface TrackedOptions<T, Row extends Stored> extends Omit<InformerOptions<Row>, 'project' | 'indexes'> {
  readonly keeping: Keeping<T, Row>;
  readonly indexes?: Indexers<T>;
  /** Instead of the resource's name, where one resource is watched in several ways. */
  readonly name?: string;
}

export class Tracked<T, Row extends Stored = TextRow> implements Reader<T>, Watched {
  readonly resource: Resource;
  /** Which objects of the resource, and how they are asked for. */
  readonly selection: Selection;
  readonly name: string;
  readonly #keeping: Keeping<T, Row>;
  readonly #informer: Informer<Row>;
  readonly #overlay: Overlay<Row>;
  readonly #subscribers: ((event: StoreEvent<Row>) => void)[] = [];
  /** Writes of ours that are not answered yet. */
  readonly #writes = new Map<Key, { readonly versions: Set<string | undefined>; readonly held: StoreEvent<Row>[] }>();
  #news = false;

  constructor({ keeping, indexes = {}, name, ...options }: TrackedOptions<T, Row>) {
    const project = (object: WireObject): Row => keeping.pack(object);
    this.resource = options.resource;
    this.selection = options;
    this.#keeping = keeping;
    this.#informer = new Informer({ ...options, project, indexes: overRows(indexes, keeping) });
    this.name = name ?? this.#informer.name;
    // Before the overlay subscribes: it forgets a write in the moment its echo comes.
    this.#informer.store.subscribe((event) => {
      this.#news = this.#judge(event);
    });
    this.#overlay = new Overlay({ store: this.#informer.store, project, clock: options.transport.clock });
    this.#informer.store.subscribe((event) => {
      if (this.#news) this.#announce(event);
    });
  }

  get store(): Store<Row> {
    return this.#informer.store;
  }

  get state(): ReflectorState {
    return this.#informer.state;
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#informer.run(signal);
  }

  /** Tells of every change that is news, from now on. */
  subscribe(subscriber: (event: StoreEvent<Row>) => void): void {
    this.#subscribers.push(subscriber);
  }

  /**
   * Runs a write of ours to the object, of whose answer `wrote` is told. What the watch says of the object meanwhile waits until that is
   * known: of a busy API server the echo comes before the answer more often than after it.
   */
  async writing<R>(key: Key, write: () => Promise<R>): Promise<R> {
    if (this.#writes.has(key)) return write();
    const { versions, held } = { versions: new Set<string | undefined>(), held: [] as StoreEvent<Row>[] };
    this.#writes.set(key, { versions, held });
    try {
      return await write();
    } finally {
      this.#writes.delete(key);
      for (const event of held) if (event.type === 'deleted' || !versions.has(event.object.metadata.resourceVersion)) this.#announce(event);
    }
  }

  /** The object that the store keeps a row of. */
  open(row: Row): T {
    return this.#keeping.unpack(row);
  }

  /** What would be kept of it. */
  keep(object: WireObject): T {
    return this.open(this.#keeping.pack(object));
  }

  /** The answer to a write of ours, whole or metadata only. */
  wrote(object: WireObject): void {
    this.#writes.get(keyOf(object.metadata))?.versions.add(object.metadata.resourceVersion);
    this.#overlay.wrote(withKind(object, this.resource));
  }

  get(key: Key): T | undefined {
    const row = this.#overlay.get(key);
    return row && this.open(row);
  }

  list(): readonly T[] {
    return [...this.each()];
  }

  /** One after the other: all of them opened at once are ten times what is kept of them. */
  *each(): Generator<T> {
    for (const row of this.#overlay.list()) yield this.open(row);
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#overlay.byIndex(index, value).map((row) => this.open(row));
  }

  #announce(event: StoreEvent<Row>): void {
    const write = this.#writes.get(event.key);
    if (write) write.held.push(event);
    else for (const subscriber of this.#subscribers) subscriber(event);
  }

  #judge(event: StoreEvent<Row>): boolean {
    const written = this.#overlay.get(event.key);
    if (event.type !== 'deleted' && written?.metadata.resourceVersion === event.object.metadata.resourceVersion) {
      // Without a pending write the overlay shows the store, and that holds the new object by now.
      if (written !== event.object) return false;
    }
    return event.type !== 'updated' || !this.#keeping.isSame(event.old, event.object);
  }
}

/** The same indexes over rows. Each row is opened once for all of them, as the store asks for one after the other. */
function overRows<T, Row extends Stored>(indexes: Indexers<T>, keeping: Keeping<T, Row>): Indexers<Row> {
  let last: { readonly row: Row; readonly value: T } | undefined;
  const open = (row: Row): T => {
    if (last?.row !== row) last = { row, value: keeping.unpack(row) };
    return last.value;
  };
  return Object.fromEntries(Object.entries(indexes).map(([name, index]) => [name, (row: Row) => index(open(row))]));
}
