/** All that the operator knows, from watches. Reading it costs nothing and asks nobody. */
import type { TenantNetwork } from '../../api/tenant-network.ts';
import { AUTHORITY_SOURCES, type Authorities } from '../../hosted-cluster/authorities.ts';
import type { EndpointSlice, Service } from '../../hosted-cluster/objects.ts';
import type { Hub } from '../../hosted-cluster/observed.ts';
import type { Lookup, ObjectIndex } from '../../hosted-cluster/select.ts';
import type { Watched } from '../../kube/manager.ts';
import { type KubeObject, keyOf, type ObjectRef, type Resource, type WireObject } from '../../kube/object.ts';
import type { Entry } from '../ledger/ledger.ts';
import { HubView } from './hub.ts';
import { type EndpointSlices, openSources, type Services, type SourceOptions, type Sources } from './sources.ts';
import { type KeptTenant, plannable } from './tenant.ts';

/** Takes on an informer that was not there at the start: runs it, and stops it with the rest. */
export type Adopt = (informer: Watched) => void;

export class World {
  readonly sources: Sources;
  readonly hub: HubView;
  /** The planner's view of it all. */
  readonly index: ObjectIndex;
  readonly #ledgers: ReadonlyMap<string, Sources['ledger'][number]>;
  readonly #listeners: { services(source: Services): void; endpointSlices(source: EndpointSlices): void }[] = [];
  #adopt: Adopt = () => {};

  constructor(options: SourceOptions) {
    this.sources = openSources(options);
    this.hub = new HubView(this.sources.hub);
    this.index = this.#index();
    this.#ledgers = new Map(this.sources.ledger.map((ledger) => [ledger.resource.kind, ledger]));
  }

  /** What has to be in before anything is decided. */
  get informers(): readonly Watched[] {
    const {
      tenants,
      hostedClusters,
      hostedControlPlanes,
      nodePools,
      machines,
      routes,
      attachments,
      pods,
      authorities,
      hub,
      ledger,
      services,
      endpointSlices,
    } = this.sources;
    const named = [...services.values(), ...endpointSlices];
    const all = [
      ...[tenants, hostedClusters, hostedControlPlanes, nodePools, machines, routes, attachments, pods],
      ...[...Object.values(authorities), ...Object.values(hub), ...ledger, ...named],
    ];
    return all as readonly Watched[];
  }

  /** Resolves when all of it is in. */
  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all(this.informers.map(({ store }) => store.synced(signal)));
  }

  adoptWith(adopt: Adopt): void {
    this.#adopt = adopt;
  }

  /** Everything that was written for the tenant, as it stands now. */
  inventory(label: string): readonly Entry[] {
    return this.sources.ledger.flatMap((ledger) => ledger.byIndex('owner', label));
  }

  entry(ref: Pick<ObjectRef, 'kind' | 'namespace' | 'name'>): Entry | undefined {
    return this.#ledgers.get(ref.kind)?.get(keyOf(ref));
  }

  resourceOf(kind: string): Resource {
    const ledger = this.#ledgers.get(kind);
    if (ledger === undefined) throw new TypeError(`${kind} is not among the kinds that a tenant has objects of`);
    return ledger.resource;
  }

  /** Runs a write of ours to an object of the ledger. */
  writing<R>(ref: Pick<ObjectRef, 'kind' | 'namespace' | 'name'>, write: () => Promise<R>): Promise<R> {
    return this.#ledgers.get(ref.kind)?.writing(keyOf(ref), write) ?? write();
  }

  /** The answer to a write of ours, so that the next look does not see the world as it was before. */
  wrote(object: KubeObject, kind: string): void {
    this.#ledgers.get(kind)?.wrote(object as WireObject);
  }

  /** Tells of Services and their slices, those that are followed and those that will be. */
  onServices(services: (source: Services) => void, endpointSlices: (source: EndpointSlices) => void): void {
    this.#listeners.push({ services, endpointSlices });
    for (const source of this.sources.services.values()) services(source);
    for (const source of this.sources.endpointSlices) endpointSlices(source);
  }

  /**
   * A tenant may publish Services of any name (`gateway.ports`). They are followed from the first time somebody asks for
   * them; resolves when they are known, because "not known yet" looks like "not there".
   */
  async followServices({ spec }: TenantNetwork, signal: AbortSignal): Promise<void> {
    for (const { service: name } of spec.gateway?.ports ?? []) {
      if (!this.sources.services.has(name)) this.#open(name);
    }
    for (const { store } of [...this.sources.services.values(), ...this.sources.endpointSlices]) {
      if (!store.hasSynced) await store.synced(signal);
    }
  }

  #open(name: string): void {
    const [services, slices] = [this.sources.openServices(name), this.sources.openSlices([name])];
    this.sources.services.set(name, services);
    this.sources.endpointSlices.push(slices);
    for (const listener of this.#listeners) {
      listener.services(services);
      listener.endpointSlices(slices);
    }
    this.#adopt(services);
    this.#adopt(slices);
  }

  tenantsOnWire(wire: string): readonly KeptTenant[] {
    const { attachments, tenants } = this.sources;
    // An attachment that is not there, or not understood, is a wire of its own.
    const [, alone] = /^attachment (.+)$/.exec(wire) ?? [];
    const names = new Set([...attachments.byIndex('wire', wire).map(({ metadata }) => keyOf(metadata)), ...(alone ? [alone] : [])]);
    return [...names].flatMap((name) => tenants.byIndex('attachment', name));
  }

  wireOf(attachment: string): string {
    return this.sources.attachments.get(attachment)?.wire ?? `attachment ${attachment}`;
  }

  #index(): ObjectIndex {
    const { hostedClusters, hostedControlPlanes, nodePools, machines, routes, attachments, tenants } = this.sources;
    const grouped = <T>(tracked: { byIndex(index: string, value: string): readonly T[] }, index: string): Lookup<readonly T[]> => ({
      get: (value) => tracked.byIndex(index, value),
    });
    const current = (): Hub => this.hub.current;
    return {
      get hub(): Hub {
        return current();
      },
      hostedClusters,
      clustersByNamespace: grouped(hostedClusters, 'controlPlane'),
      attachments,
      wires: { get: (attachment) => attachments.get(attachment)?.wire },
      nodePools: grouped(nodePools, 'cluster'),
      hostedControlPlanes: grouped(hostedControlPlanes, 'namespace'),
      routes: grouped(routes, 'namespace'),
      machines: grouped(machines, 'namespace'),
      services: { get: (namespace) => this.#servicesOf(namespace) },
      endpointSlices: { get: (key) => this.#slicesOf(key) },
      tenantsByWire: { get: (wire) => this.tenantsOnWire(wire).flatMap((tenant) => plannable(tenant) ?? []) },
      tenantsByCluster: { get: (cluster) => tenants.byIndex('cluster', cluster).flatMap((tenant) => plannable(tenant) ?? []) },
      authorities: { get: (namespace) => this.#authoritiesOf(namespace) },
    };
  }

  #authoritiesOf(namespace: string): Authorities {
    const found = Object.entries(this.sources.authorities).flatMap(([name, tracked]) => {
      const pem = tracked.get(`${namespace}/${AUTHORITY_SOURCES[name as keyof Authorities].name}`)?.pem;
      return pem ? [[name, pem] as const] : [];
    });
    return Object.fromEntries(found);
  }

  #servicesOf(namespace: string): readonly Service[] {
    return [...this.sources.services].flatMap(([name, services]) => services.get(`${namespace}/${name}`) ?? []);
  }

  /** By `namespace/service`. */
  #slicesOf(key: string): readonly EndpointSlice[] {
    return this.sources.endpointSlices.flatMap((slices) => slices.byIndex('service', key));
  }
}
