import type { HostText, Publication, PublishedEntry, PublishingView } from './publishing.ts';
import { hostedClusterRef, upstreamOf } from './publishing.ts';

const MANAGEMENT_PLATFORM = 'hypershift.openshift.io/management-platform';

/** LoadBalancer: the hostname of the spec, else what the hub's load balancer says of itself; the port is the Service's own. */
export function byLoadBalancer(view: PublishingView, entry: PublishedEntry): Publication {
  const name = loadBalancerService(view, entry);
  const service = view.services.get(name);
  return {
    host: specHostname(view, entry) ?? ingressHost(view, name),
    port: service?.spec.ports[0]?.port ?? null,
    waitingFor: waitForAddress(view, name),
  };
}

/** On a hub on Azure port 6443 is the hub's own, so HyperShift publishes the API by a second Service, on 7443. */
function loadBalancerService({ hostedCluster, hostedControlPlane }: PublishingView, { service }: PublishedEntry): string {
  const { annotations } = (hostedControlPlane ?? hostedCluster).metadata;
  return service === 'APIServer' && annotations[MANAGEMENT_PLATFORM] === 'Azure' ? 'kube-apiserverlb' : upstreamOf[service].service;
}

function specHostname(view: PublishingView, { strategy, path }: PublishedEntry): HostText | undefined {
  const text = strategy.loadBalancer?.hostname ?? '';
  return text === '' ? undefined : { text, object: hostedClusterRef(view), path: `${path}.loadBalancer.hostname` };
}

function ingressHost({ namespace, services }: PublishingView, name: string): HostText | undefined {
  const ingress = services.get(name)?.status.loadBalancer.ingress[0];
  const text = ingress?.hostname || ingress?.ip || '';
  return text === '' ? undefined : { text, object: { kind: 'Service', namespace, name }, path: 'status.loadBalancer.ingress[0]' };
}

/** HyperShift publishes nothing behind a load balancer before it has an address, also when a hostname is given. */
export function waitForAddress(view: PublishingView, name: string): string | undefined {
  if (!view.services.has(name)) return `HyperShift to create Service ${view.namespace}/${name}`;
  return ingressHost(view, name) ? undefined : `an address on LoadBalancer Service ${view.namespace}/${name}`;
}
