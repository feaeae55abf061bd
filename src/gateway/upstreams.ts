import type { EndpointSlice, Service } from '../hosted-cluster/objects.ts';
import type { Observed } from '../hosted-cluster/observed.ts';
import { GUEST_HTTP, GUEST_HTTPS } from './listeners.ts';
import type { PlannedListener, PlannedUpstream, Reservation } from './tenant-plan.ts';

export interface UpstreamsInput {
  readonly listeners: readonly PlannedListener[];
  readonly services: readonly Service[];
  readonly endpointSlices: readonly EndpointSlice[];
  readonly reservations: readonly Reservation[];
  readonly guestRouter: Observed['guestRouter'];
}

/** Agents redial until they have met every server, so new connections must go round all pods and not through a ClusterIP. */
const BALANCED_OVER_PODS = 'konnectivity-server';
const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

export function planUpstreams(input: UpstreamsInput): PlannedUpstream[] {
  const wanted = new Set(input.listeners.flatMap((listener) => listener.routes.map((route) => route.upstream)));
  return [...wanted]
    .sort()
    .map((upstream) => (upstream === GUEST_HTTPS || upstream === GUEST_HTTP ? workers(upstream, input) : hubService(upstream, input)));
}

function hubService(upstream: string, { services, endpointSlices }: UpstreamsInput): PlannedUpstream {
  const { name, port } = parseUpstream(upstream);
  const clusterIPs = services.find((service) => service.metadata.name === name)?.spec.clusterIPs.filter((ip) => ip !== 'None') ?? [];
  const byClusterIP = clusterIPs.map((address) => ({ address, port }));
  if (name !== BALANCED_OVER_PODS) return { upstream, discovery: 'clusterIP', endpoints: byClusterIP };
  const pods = endpointSlices.filter((slice) => slice.metadata.labels[SERVICE_NAME_LABEL] === name).flatMap(readyEndpoints);
  // Before any slice was seen the ClusterIP is better than nothing.
  return { upstream, discovery: 'pods', endpoints: pods.length > 0 ? pods.sort(byAddress) : byClusterIP };
}

function readyEndpoints(slice: EndpointSlice): { address: string; port: number }[] {
  const port = slice.ports?.find((p) => typeof p.port === 'number')?.port;
  if (typeof port !== 'number') return [];
  const ready = (slice.endpoints ?? []).filter((endpoint) => endpoint.conditions.ready !== false);
  return ready.flatMap((endpoint) => endpoint.addresses.map((address) => ({ address, port })));
}

function workers(upstream: string, { reservations, guestRouter }: UpstreamsInput): PlannedUpstream {
  if (guestRouter === undefined || guestRouter === 'absent') return { upstream, discovery: 'workers', endpoints: [] };
  const port = upstream === GUEST_HTTPS ? guestRouter.httpsPort : guestRouter.httpPort;
  const chosen = guestRouter.machines.length === 0 ? reservations : reservations.filter((r) => guestRouter.machines.includes(r.machine));
  return {
    upstream,
    discovery: 'workers',
    endpoints: chosen.flatMap((r) => Object.values(r.addresses).map((address) => ({ address, port }))),
  };
}

/** `namespace/service:port`, as the listeners name it. */
export function parseUpstream(upstream: string): { readonly namespace: string; readonly name: string; readonly port: number } {
  const [path = '', port = ''] = upstream.split(':');
  const [namespace = '', name = ''] = path.split('/');
  return { namespace, name, port: Number(port) };
}

const byAddress = (a: { address: string }, b: { address: string }): number => (a.address < b.address ? -1 : 1);
