import type * as z from 'zod';
import { hostedClusterName, type TenantNetwork } from '../api/tenant-network.ts';
import type { Authorities } from './authorities.ts';
import { type HubObjects, readHub } from './hub.ts';
import { controlPlaneNamespace, edgeNamespace } from './namespace.ts';
import type { projections } from './objects.ts';
import type { Earlier, Hub, Neighbour, Observed } from './observed.ts';
import { upstreamOf } from './publishing.ts';
import { wireOf } from './wire.ts';

export type ProjectedObject = z.output<(typeof projections)[keyof typeof projections]>;
type Kind = ProjectedObject['kind'];
type OfKind<K extends Kind> = Extract<ProjectedObject, { readonly kind: K }>;

/** Objects by what a tenant asks for, so that the objects of one tenant are found without looking at those of the others. */
export interface ObjectIndex {
  readonly hub: Hub;
  readonly hostedClusters: Lookup<OfKind<'HostedCluster'>>;
  /** By the namespace of their control plane, whether it exists yet or not. */
  readonly clustersByNamespace: Grouped<OfKind<'HostedCluster'>>;
  readonly attachments: Lookup<OfKind<'NetworkAttachmentDefinition'>>;
  /** By `namespace/clusterName`. */
  readonly nodePools: Grouped<OfKind<'NodePool'>>;
  /** By namespace: what lives beside a control plane. */
  readonly hostedControlPlanes: Grouped<OfKind<'HostedControlPlane'>>;
  readonly services: Grouped<OfKind<'Service'>>;
  readonly routes: Grouped<OfKind<'Route'>>;
  readonly machines: Grouped<OfKind<'VirtualMachineInstance'>>;
  /** By `namespace/service`. */
  readonly endpointSlices: Grouped<OfKind<'EndpointSlice'>>;
  /** The layer 2 that each attachment leads to, read once: its configuration is text. */
  readonly wires: Lookup<string>;
  /** By the layer 2 that their attachment leads to. */
  readonly tenantsByWire: Grouped<TenantNetwork>;
  readonly tenantsByCluster: Grouped<TenantNetwork>;
  /** By the control plane's namespace. */
  readonly authorities: Lookup<Authorities>;
}

/** All that is asked of an index: a Map answers it, and so do the operator's stores. */
export interface Lookup<T> {
  get(key: string): T | undefined;
}

type Grouped<T> = Lookup<readonly T[]>;

const SERVICE_NAME = 'kubernetes.io/service-name';

/** One pass over everything. */
export function indexObjects(objects: Iterable<ProjectedObject | TenantNetwork>): ObjectIndex {
  const byKind = new Map<string, (ProjectedObject | TenantNetwork)[]>();
  for (const object of objects) push(byKind, object.kind, object);
  const of = <K extends Kind>(kind: K) => (byKind.get(kind) ?? []) as OfKind<K>[];
  const tenants = (byKind.get('TenantNetwork') ?? []) as TenantNetwork[];
  const hub: HubObjects = {
    networks: of('Network'),
    ingresses: of('Ingress'),
    dnses: of('DNS'),
    proxies: of('Proxy'),
    nodes: of('Node'),
    serviceCidrs: of('ServiceCIDR'),
  };
  const attachments = new Map(of('NetworkAttachmentDefinition').map((object) => [keyOf(object), object]));
  const wires = new Map([...attachments].map(([key, attachment]) => [key, wireOf(attachment)]));
  return {
    hub: readHub(hub),
    hostedClusters: new Map(of('HostedCluster').map((object) => [keyOf(object), object])),
    clustersByNamespace: group(of('HostedCluster'), ({ metadata }) => controlPlaneNamespace(metadata)),
    attachments,
    wires,
    nodePools: group(of('NodePool'), (pool) => `${pool.metadata.namespace}/${pool.spec.clusterName}`),
    hostedControlPlanes: group(of('HostedControlPlane'), namespaceOf),
    services: group(of('Service'), namespaceOf),
    routes: group(of('Route'), namespaceOf),
    machines: group(of('VirtualMachineInstance'), namespaceOf),
    endpointSlices: group(of('EndpointSlice'), (slice) => `${slice.metadata.namespace}/${slice.metadata.labels[SERVICE_NAME] ?? ''}`),
    tenantsByWire: group(tenants, (tenant) => segmentWire(wires, tenant)),
    tenantsByCluster: group(tenants, clusterKey),
    // Nobody saves them to a file: the operator reads them, and what is rendered without them is probed without them.
    authorities: new Map(),
  };
}

/** Everything about one tenant: the whole input of its plan, in an order that does not depend on how the objects arrived. */
export function observeTenant(index: ObjectIndex, tenantNetwork: TenantNetwork, { allocations, inForce, guestRouter }: Earlier): Observed {
  const cluster = clusterKey(tenantNetwork);
  const namespace = controlPlaneNamespace({ namespace: tenantNetwork.metadata.namespace, name: hostedClusterName(tenantNetwork) });
  const attachment = index.attachments.get(tenantNetwork.spec.segment.attachment);
  return {
    tenantNetwork,
    hostedCluster: index.hostedClusters.get(cluster),
    hostedControlPlanes: sorted(index.hostedControlPlanes.get(namespace)),
    services: sorted(index.services.get(namespace)),
    routes: sorted(index.routes.get(namespace)),
    endpointSlices: sorted(upstreamServices(tenantNetwork).flatMap((service) => index.endpointSlices.get(`${namespace}/${service}`) ?? [])),
    attachments: attachment ? [attachment] : [],
    nodePools: sorted(index.nodePools.get(cluster)),
    machines: sorted(index.machines.get(namespace)),
    hub: index.hub,
    neighbours: neighboursOf(index, tenantNetwork),
    edgeNamespaceOwners: sorted(index.clustersByNamespace.get(edgeNamespace(namespace))).map(keyOf),
    allocations,
    ...(inForce === undefined ? {} : { inForce }),
    guestRouter,
    authorities: index.authorities.get(namespace) ?? {},
  };
}

/** The Services that a gateway may dial: only their pods are of interest. */
const upstreamServices = ({ spec }: TenantNetwork): string[] => [
  ...new Set([...Object.values(upstreamOf).map(({ service }) => service), ...(spec.gateway?.ports ?? []).map(({ service }) => service)]),
];

/** Those on the same segment or for the same cluster; others cannot get in the way, and a thousand of them would be a million pairs. */
function neighboursOf(index: ObjectIndex, tenantNetwork: TenantNetwork): Neighbour[] {
  const wire = segmentWire(index.wires, tenantNetwork);
  const near = [...(index.tenantsByWire.get(wire) ?? []), ...(index.tenantsByCluster.get(clusterKey(tenantNetwork)) ?? [])];
  const others = new Map(near.map((tenant) => [keyOf(tenant), tenant]));
  others.delete(keyOf(tenantNetwork));
  return sorted([...others.values()]).map((tenant) => ({
    tenant: keyOf(tenant),
    hostedCluster: clusterKey(tenant),
    attachment: tenant.spec.segment.attachment,
    sameSegment: segmentWire(index.wires, tenant) === wire,
    cidrs: cidrsOf(index, tenant),
  }));
}

const segmentWire = (wires: ObjectIndex['wires'], { spec }: TenantNetwork): string =>
  wires.get(spec.segment.attachment) ?? `attachment ${spec.segment.attachment}`;

function cidrsOf(index: ObjectIndex, tenant: TenantNetwork): readonly string[] {
  const { cidrs } = tenant.spec.segment;
  return cidrs.length > 0
    ? cidrs
    : (index.hostedClusters.get(clusterKey(tenant))?.spec.networking.machineNetwork ?? []).map(({ cidr }) => cidr);
}

interface Named {
  readonly metadata: { readonly namespace: string; readonly name: string };
}
const keyOf = ({ metadata }: Named): string => `${metadata.namespace}/${metadata.name}`;
const namespaceOf = ({ metadata }: Named): string => metadata.namespace;
const clusterKey = (tenant: TenantNetwork): string => `${tenant.metadata.namespace}/${hostedClusterName(tenant)}`;

const sorted = <T extends Named>(objects: readonly T[] = []): T[] =>
  [...objects].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));

function group<T>(objects: readonly T[], key: (object: T) => string): Grouped<T> {
  const groups = new Map<string, T[]>();
  for (const object of objects) push(groups, key(object), object);
  return groups;
}

function push<T>(groups: Map<string, T[]>, key: string, value: T): void {
  const list = groups.get(key);
  if (list) list.push(value);
  else groups.set(key, [value]);
}
