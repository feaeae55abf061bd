import type { Finding } from '../api/finding.ts';
import { formatAddress, parseAddress } from '../net/ip.ts';
import { chosenAppsDomain } from './domains.ts';
import * as tell from './endpoint-findings.ts';
import { type Host, parseHost, splitHostPort, unknownHost } from './host.ts';
import { readNamespaces } from './namespace.ts';
import type { Observed } from './observed.ts';
import { byLoadBalancer } from './publish-load-balancer.ts';
import { byNodePort } from './publish-node-port.ts';
import { byRoute } from './publish-route.ts';
import {
  type Endpoint,
  type EndpointService,
  type HostText,
  hostedClusterRef,
  type Publication,
  type PublishedEntry,
  type PublishingView,
  type Upstream,
  upstreamOf,
} from './publishing.ts';

export type { Endpoint } from './publishing.ts';

const strategies = { LoadBalancer: byLoadBalancer, NodePort: byNodePort, Route: byRoute };

type Input = Pick<Observed, 'tenantNetwork' | 'hostedCluster' | 'hostedControlPlanes' | 'services' | 'routes'>;

/**
 * What HyperShift publishes for workers, read and never guessed. Before the control plane is there, what the spec already decides is told
 * all the same: spec.services cannot be changed later, so a mistake in it has to be known before the cluster is created.
 */
export function readEndpoints(observed: Input): { readonly endpoints: readonly Endpoint[]; readonly findings: readonly Finding[] } {
  const { hostedCluster } = observed;
  if (!hostedCluster) return { endpoints: [], findings: [] };
  const view = viewOf(observed, hostedCluster);
  const { entries, findings } = readEntries(view);
  const read = entries.map((entry) => readEndpoint(view, entry));
  const endpoints = read.flatMap(({ endpoint }) => endpoint);
  return {
    endpoints,
    findings: [...findings, ...read.flatMap((one) => one.findings), ...tell.sharedNames(view, endpoints), ...appsDomainFindings(view)],
  };
}

/** The Services and Routes of a namespace that may be somebody else's are not looked at. */
function viewOf(observed: Input, hostedCluster: PublishingView['hostedCluster']): PublishingView {
  const { controlPlane: namespace, hostedControlPlane } = readNamespaces(observed);
  const own = <T extends { readonly metadata: { readonly namespace: string; readonly name: string } }>(
    objects: readonly T[],
  ): ReadonlyMap<string, T> =>
    new Map(hostedControlPlane ? objects.filter((o) => o.metadata.namespace === namespace).map((o) => [o.metadata.name, o]) : []);
  return { hostedCluster, hostedControlPlane, namespace, services: own(observed.services), routes: own(observed.routes) };
}

const REQUIRED = ['APIServer', 'OAuthServer', 'Konnectivity', 'Ignition'] as const;

/** The entries of spec.services that matter here. Of two for one service HyperShift takes the first. */
function readEntries(view: PublishingView): { readonly entries: readonly PublishedEntry[]; readonly findings: readonly Finding[] } {
  const { services, configuration, monitoring } = view.hostedCluster.spec;
  // With an identity provider of the user's own there is no OAuth server at all.
  const wanted = REQUIRED.filter((service) => service !== 'OAuthServer' || configuration?.authentication?.type !== 'OIDC');
  const entries: PublishedEntry[] = [];
  const findings: Finding[] = [];
  for (const service of wanted) {
    const index = services.findIndex((entry) => entry.service === service);
    const strategy = services[index]?.servicePublishingStrategy;
    if (!strategy) findings.push(tell.notPublished(view, service));
    else entries.push({ service, strategy, path: `spec.services[${index}].servicePublishingStrategy` });
  }
  // HyperShift publishes it by Route always; no entry of spec.services speaks of it.
  if (monitoring?.metricsForwarding?.mode === 'Forward')
    entries.push({ service: 'MetricsProxy', strategy: { type: 'Route' }, path: 'spec.monitoring.metricsForwarding' });
  return { entries, findings };
}

interface ReadEndpoint {
  /** Empty when HyperShift will not publish it in this way. */
  readonly endpoint: readonly Endpoint[];
  readonly findings: readonly Finding[];
}

function readEndpoint(view: PublishingView, entry: PublishedEntry): ReadEndpoint {
  const { type } = entry.strategy;
  const unsupported = tell.unsupported(view, entry);
  if (unsupported || type === 'None' || type === 'S3') return { endpoint: [], findings: unsupported ? [unsupported] : [] };
  const publication = withStatus(view, entry, strategies[type](view, entry));
  const host = readHost(publication.host);
  const endpoint: Endpoint = {
    service: entry.service,
    strategy: type,
    host: host.value,
    port: publication.port,
    upstream: readUpstream(view, entry.service),
  };
  return {
    endpoint: [endpoint],
    findings: [
      ...host.findings,
      ...tell.addressDialled(view, entry, endpoint),
      ...tell.waiting(view, entry, publication, endpoint.upstream),
      ...tell.missingPort(view, endpoint.upstream),
    ],
  };
}

function readHost(host: HostText | undefined): { readonly value: Host; readonly findings: readonly Finding[] } {
  if (!host) return { value: unknownHost, findings: [] };
  const value = parseHost(host.text);
  return value ? { value, findings: [] } : { value: unknownHost, findings: [tell.noDnsName(host)] };
}

/** What HyperShift says in a status wins over what the strategy lets expect: workers are told the former. */
function withStatus(view: PublishingView, entry: PublishedEntry, expected: Publication): Publication {
  const status = entry.service === 'APIServer' ? apiStatus(view) : entry.service === 'Ignition' ? ignitionStatus(view) : undefined;
  if (!status) return expected;
  const { host, port } = status;
  if (host.text === '')
    return {
      ...expected,
      waitingFor:
        expected.waitingFor ?? `HyperShift to write ${host.path} of ${host.object.kind} ${host.object.namespace}/${host.object.name}`,
    };
  return {
    // Where both say the same, the spec is the place that a person can change.
    host: expected.host?.text === host.text ? expected.host : host,
    // A Route is dialled at 443, whatever port the Service behind it has.
    port: entry.strategy.type === 'Route' ? expected.port : (port ?? expected.port),
    waitingFor: undefined,
  };
}

interface StatusHost {
  readonly host: HostText;
  readonly port: number | undefined;
}

/** The HostedCluster's status is a copy of the HostedControlPlane's, so it counts only where that one is not at hand. An empty host is none. */
function apiStatus(view: PublishingView): StatusHost {
  const source = view.hostedControlPlane ?? view.hostedCluster;
  const { host = '', port = 0 } = source.status.controlPlaneEndpoint ?? {};
  const object = { kind: source.kind, namespace: source.metadata.namespace, name: source.metadata.name };
  return { host: { text: host, object, path: 'status.controlPlaneEndpoint' }, port: port > 0 ? port : undefined };
}

function ignitionStatus(view: PublishingView): StatusHost {
  const { host, port } = splitHostPort(view.hostedCluster.status.ignitionEndpoint ?? '');
  return { host: { text: host, object: hostedClusterRef(view), path: 'status.ignitionEndpoint' }, port };
}

function readUpstream({ namespace, services }: PublishingView, endpoint: EndpointService): Upstream {
  const { service, port } = upstreamOf[endpoint];
  const found = services.get(service);
  const texts = found ? [...new Set([found.spec.clusterIP ?? '', ...found.spec.clusterIPs])] : [];
  const clusterIPs = texts.map(parseAddress).flatMap((address) => (address ? [formatAddress(address)] : []));
  return { namespace, service, port, clusterIPs, exists: found !== undefined };
}

function appsDomainFindings(view: PublishingView): Finding[] {
  const chosen = chosenAppsDomain(view.hostedCluster);
  return chosen && parseHost(chosen.text)?.kind !== 'name' ? [tell.noDnsName({ ...chosen, object: hostedClusterRef(view) })] : [];
}
