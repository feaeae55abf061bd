/** The hub's own helpers that HyperShift waits for, played: a load balancer that gives out addresses, and a router that admits Routes. */
import type { KubeObject } from '../../../kube/object.ts';
import { HOSTED_CONTROL_PLANE_LABEL, type Route, type Service } from '../hosted-cluster.ts';
import type { HubView } from './hub-view.ts';
import type { Writer } from './write.ts';

/** Nobody but the hub's nodes knows these: kube-proxy sends them to the Service wherever they turn up. */
const POOL = { prefix: '192.168.101.', first: 11, last: 250 };

export async function giveAddress(service: Service, view: HubView, writer: Writer, signal: AbortSignal): Promise<void> {
  if (service.spec.type !== 'LoadBalancer' || ingressOf(service).length > 0) return;
  const services = view.store('Service').list() as readonly unknown[] as readonly Service[];
  const taken = new Set(services.flatMap((other) => ingressOf(other).map(({ ip }) => ip)));
  const free = Array.from({ length: POOL.last - POOL.first + 1 }, (_, index) => `${POOL.prefix}${POOL.first + index}`);
  const ip = free.find((address) => !taken.has(address));
  if (ip === undefined) throw new Error(`the played load balancer has no address left for ${service.metadata.name}`);
  await writer.patch('Service', service, { status: { loadBalancer: { ingress: [{ ip, ipMode: 'VIP' }] } } }, signal, 'status');
}

const ingressOf = (service: Service) => service.status?.loadBalancer?.ingress ?? [];

export async function admitRoute(
  route: Route & KubeObject,
  view: HubView,
  writer: Writer,
  ingressDomain: string,
  signal: AbortSignal,
): Promise<void> {
  if (route.status?.ingress?.length) return;
  const own = route.metadata.labels?.[HOSTED_CONTROL_PLANE_LABEL];
  const router = own === undefined ? undefined : view.get<Service>('Service', own, 'router');
  const address = router && ingressOf(router)[0]?.ip;
  // The control plane's own router admits once its balancer has an address.
  if (own !== undefined && address === undefined) return;
  const ingress = {
    host: route.spec.host,
    routerName: own === undefined ? 'default' : 'router',
    routerCanonicalHostname: address ?? `router-default.${ingressDomain}`,
    wildcardPolicy: 'None',
    conditions: [{ type: 'Admitted', status: 'True', lastTransitionTime: new Date().toISOString().replace(/\.\d+Z$/, 'Z') }],
  };
  await writer.patch('Route', route, { status: { ingress: [ingress] } }, signal, 'status');
}
