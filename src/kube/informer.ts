/** A store and the reflector that fills it. */
import type { BackoffOptions } from './backoff.ts';
import type { Selection } from './list-pager.ts';
import type { WireObject } from './object.ts';
import { Reflector, type ReflectorState } from './reflector.ts';
import { type Indexers, Store, type Stored } from './store.ts';
import type { Logger, Metrics } from './telemetry.ts';
import type { Transport } from './transport.ts';

export interface InformerOptions<T extends Stored> extends Selection {
  readonly transport: Transport;
  readonly project: (object: WireObject) => T;
  readonly indexes?: Indexers<T>;
  readonly pageSize?: number;
  readonly backoff?: BackoffOptions;
  readonly onState?: (state: ReflectorState) => void;
  readonly log?: Logger;
  readonly metrics?: Metrics;
}

export class Informer<T extends Stored> {
  readonly name: string;
  readonly store: Store<T>;
  readonly #reflector: Reflector;

  constructor(options: InformerOptions<T>) {
    const { project, indexes, ...selection } = options;
    const { plural, group } = options.resource;
    this.name = group ? `${plural}.${group}` : plural;
    this.store = new Store({ project, ...(indexes ? { indexes } : {}), ...(options.log ? { log: options.log } : {}) });
    this.#reflector = new Reflector({ ...selection, sink: this.store });
  }

  get state(): ReflectorState {
    return this.#reflector.state;
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#reflector.run(signal);
  }
}

/** The whole object without what only the server's bookkeeping needs. Managed fields alone are half of many objects. */
export function withoutManagedFields<T extends Stored = WireObject & Stored>(object: WireObject): T {
  const { managedFields: _, ...metadata } = object.metadata as WireObject['metadata'] & { readonly managedFields?: unknown };
  return { ...object, metadata } as unknown as T;
}
