/** The hub's own networks and names: read from a handful of objects, put together once and not once per tenant. */
import { isDeepStrictEqual } from 'node:util';
import { readHub } from '../../hosted-cluster/hub.ts';
import type { Hub } from '../../hosted-cluster/observed.ts';
import type { Sources } from './sources.ts';

export class HubView {
  readonly #sources: Sources['hub'];
  readonly #listeners: (() => void)[] = [];
  #known: Hub | undefined;

  constructor(sources: Sources['hub']) {
    this.#sources = sources;
    // Nodes report all the time, and next to never something new.
    for (const tracked of Object.values(sources)) tracked.subscribe(() => this.#look());
  }

  get current(): Hub {
    this.#known ??= this.#read();
    return this.#known;
  }

  /** Every tenant has to be looked at again: its segment may overlap what was added. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #look(): void {
    const before = this.#known;
    if (before === undefined) return;
    this.#known = undefined;
    if (isDeepStrictEqual(before, this.current)) this.#known = before;
    else for (const listener of this.#listeners) listener();
  }

  #read(): Hub {
    const { networks, ingresses, dnses, proxies, nodes, serviceCidrs } = this.#sources;
    return readHub({
      networks: networks.list(),
      ingresses: ingresses.list(),
      dnses: dnses.list(),
      proxies: proxies.list(),
      nodes: nodes.list(),
      serviceCidrs: serviceCidrs.list(),
    });
  }
}
