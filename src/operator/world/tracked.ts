/**
 * One kind of object as the operator sees it: what the API server says, with our own latest writes laid over it, and an
 * opinion on which changes are news. A heartbeat in a field that we do not keep is none, and nor is the echo of our own write:
 * without this every write would cause one more reconciliation, and every node a thousand of them a minute.
 */
import { isDeepStrictEqual } from 'node:util';
import { Informer, type InformerOptions } from '../../kube/informer.ts';
import type { Watched } from '../../kube/manager.ts';
import { type Key, type Resource, type WireObject, withKind } from '../../kube/object.ts';
import { Overlay } from '../../kube/overlay.ts';
import type { ReflectorState } from '../../kube/reflector.ts';
import type { Reader, Store, Stored, StoreEvent } from '../../kube/store.ts';

export class Tracked<T extends Stored> implements Reader<T>, Watched {
  readonly resource: Resource;
  readonly name: string;
  readonly #informer: Informer<T>;
  readonly #overlay: Overlay<T>;
  #judged: StoreEvent<T> | undefined;
  #news = false;

  constructor(options: InformerOptions<T>, name?: string) {
    this.resource = options.resource;
    this.#informer = new Informer(options);
    this.name = name ?? this.#informer.name;
    // Before the overlay subscribes: it forgets a write in the moment its echo comes.
    this.#informer.store.subscribe((event) => {
      this.#judged = event;
      this.#news = this.#judge(event);
    });
    this.#overlay = new Overlay({ store: this.#informer.store, project: options.project, clock: options.transport.clock });
  }

  get store(): Store<T> {
    return this.#informer.store;
  }

  get state(): ReflectorState {
    return this.#informer.state;
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#informer.run(signal);
  }

  /** To be asked by subscribers, while they are being told of the event. */
  isNews(event: StoreEvent<T>): boolean {
    return this.#judged !== event || this.#news;
  }

  /** Calls back at every change that is news. */
  onNews(listener: () => void): void {
    this.store.subscribe((event) => {
      if (this.isNews(event)) listener();
    });
  }

  /** The answer to a write of ours, whole or metadata only. */
  wrote(object: WireObject): void {
    this.#overlay.wrote(withKind(object, this.resource));
  }

  get(key: Key): T | undefined {
    return this.#overlay.get(key);
  }

  list(): readonly T[] {
    return this.#overlay.list();
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#overlay.byIndex(index, value);
  }

  #judge(event: StoreEvent<T>): boolean {
    const written = this.#overlay.get(event.key);
    if (event.type !== 'deleted' && written?.metadata.resourceVersion === event.object.metadata.resourceVersion) {
      // Without a pending write the overlay shows the store, and that holds the new object by now.
      if (written !== event.object) return false;
    }
    return event.type !== 'updated' || !isSame(event.old, event.object);
  }
}

/** The same but for the version. */
function isSame<T extends Stored>(a: T, b: T): boolean {
  return isDeepStrictEqual(withoutVersion(a), withoutVersion(b));
}

const withoutVersion = <T extends Stored>(object: T): object => ({ ...object, metadata: { ...object.metadata, resourceVersion: '' } });
