/** Keeps the names of a tenant's machines, and reads them again when a stranger comes. */
import { isForbidden, isNotFound } from '../kube/errors.ts';
import { listAll } from '../kube/list-pager.ts';
import { keyOf, type WireObject } from '../kube/object.ts';
import type { Cluster } from './cluster.ts';
import { type NameOf, namesOf } from './connection-names.ts';
import { VIRTUAL_MACHINE } from './hub-resources.ts';
import { findTenant } from './live-tenants.ts';
import { tenantView } from './tenant-view.ts';

/** Strangers may come often, and may be strangers for good. */
const RENEW_MS = 5000;

export class MachineNames {
  readonly #cluster: Cluster;
  readonly #tenant: string;
  #names: NameOf = () => undefined;
  #readAt = 0;

  private constructor(cluster: Cluster, tenant: string) {
    this.#cluster = cluster;
    this.#tenant = tenant;
  }

  static async read(cluster: Cluster, tenant: WireObject, note: (text: string) => void, signal: AbortSignal): Promise<MachineNames> {
    const names = new MachineNames(cluster, keyOf(tenant.metadata));
    await names.#read(tenant, note, signal);
    return names;
  }

  readonly of: NameOf = (address, at) => this.#names(address, at);

  async renew(signal: AbortSignal): Promise<void> {
    if (performance.now() - this.#readAt < RENEW_MS) return;
    this.#readAt = performance.now();
    await this.#read(await findTenant(this.#cluster, this.#tenant, signal), () => {}, signal);
  }

  async #read(tenant: WireObject, note: (text: string) => void, signal: AbortSignal): Promise<void> {
    const { machines, addresses, controlPlaneNamespace } = tenantView({ tenant });
    const madeAt = await this.#madeAt(controlPlaneNamespace, note, signal);
    this.#names = namesOf({ machines, addresses, ...(madeAt === undefined ? {} : { madeAt }) });
    this.#readAt = performance.now();
  }

  /** Of the VirtualMachine, and not of what runs: that is made anew when the VM is started again. */
  async #madeAt(namespace: string, note: (text: string) => void, signal: AbortSignal): Promise<ReadonlyMap<string, string> | undefined> {
    try {
      const machines = await listAll(this.#cluster.client.transport, { resource: VIRTUAL_MACHINE, namespace }, signal);
      return new Map(machines.map(({ metadata }) => [metadata.name, metadata.creationTimestamp ?? '']));
    } catch (error) {
      if (isForbidden(error))
        note(
          `you may not list virtualmachines in namespace ${namespace}, so every connection is given to the machine that has its address now`,
        );
      else if (!isNotFound(error)) throw error;
      return undefined;
    }
  }
}
