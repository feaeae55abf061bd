import { waitForAddress } from './publish-load-balancer.ts';
import type { HostText, Publication, PublishedEntry, PublishingView } from './publishing.ts';
import { hostedClusterRef, upstreamOf } from './publishing.ts';

const HTTPS = 443;
/** With the API published by Route, a router of the control plane's own, behind this Service, serves all of its Routes. */
const ROUTER = 'router';

/** Route: the hostname of the spec, else the host that the hub gave to the Route (often hashed: never compute it); always 443. */
export function byRoute(view: PublishingView, entry: PublishedEntry): Publication {
  const name = upstreamOf[entry.service].route;
  const host = specHostname(view, entry) ?? routeHost(view, name);
  const waitingFor = entry.service === 'APIServer' ? waitForAddress(view, ROUTER) : host ? undefined : waitForHost(view, name);
  return { host, port: HTTPS, waitingFor };
}

function specHostname(view: PublishingView, { strategy, path }: PublishedEntry): HostText | undefined {
  const text = strategy.route?.hostname ?? '';
  return text === '' ? undefined : { text, object: hostedClusterRef(view), path: `${path}.route.hostname` };
}

function routeHost({ namespace, routes }: PublishingView, name: string): HostText | undefined {
  const text = routes.get(name)?.spec.host ?? '';
  return text === '' ? undefined : { text, object: { kind: 'Route', namespace, name }, path: 'spec.host' };
}

const waitForHost = ({ namespace, routes }: PublishingView, name: string): string =>
  routes.has(name) ? `the hub to give Route ${namespace}/${name} a host` : `HyperShift to create Route ${namespace}/${name}`;
