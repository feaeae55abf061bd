/** Asks again and again what stands beside a tenant network. Slowly: each time is a handful of commands in pods. */
import { sleep } from '../kube/clock.ts';
import { keyOf, type WireObject } from '../kube/object.ts';
import type { Cluster } from './cluster.ts';
import { findTenant } from './live-tenants.ts';
import { lookAround, type Surroundings } from './look-around.ts';

const EVERY_MS = 15_000;

export class SurroundingsWatch {
  readonly #cluster: Cluster;
  readonly #tenant: string;
  /** Undefined before the first answer. */
  latest: Surroundings | undefined;

  constructor(cluster: Cluster, tenant: WireObject) {
    this.#cluster = cluster;
    this.#tenant = keyOf(tenant.metadata);
  }

  /** Until the signal; a time that nobody answers is no end of it. */
  async run(changed: () => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#ask(signal).then(changed, () => {});
      await sleep(this.#cluster.client.transport.clock, EVERY_MS, signal).catch(() => {});
    }
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const tenant = await findTenant(this.#cluster, this.#tenant, signal);
    this.latest = await lookAround(this.#cluster, tenant, signal);
  }
}
