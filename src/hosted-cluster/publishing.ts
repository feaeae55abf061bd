import type { ObjectRef } from '../api/finding.ts';
import type { Host } from './host.ts';
import type { HostedCluster, HostedControlPlane, PublishingStrategy, Route, Service } from './objects.ts';

/** The services of the control plane that workers dial. */
export type EndpointService = 'APIServer' | 'OAuthServer' | 'Konnectivity' | 'Ignition' | 'MetricsProxy';

/** A published service: what workers dial, and where the gateway takes them. */
export interface Endpoint {
  readonly service: EndpointService;
  readonly strategy: 'LoadBalancer' | 'NodePort' | 'Route';
  readonly host: Host;
  readonly port: number | null;
  readonly upstream: Upstream;
}

/** A Service of the control-plane namespace. */
export interface Upstream {
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  /** Empty while the Service does not exist. */
  readonly clusterIPs: readonly string[];
  readonly exists: boolean;
}

/**
 * The Service behind each endpoint, its port, and the Route that publishes it. Ignition is the proxy and never `ignition-server`, whose
 * certificate workers do not trust; konnectivity's 8090 belongs to the control plane alone.
 */
export const upstreamOf: Readonly<Record<EndpointService, { readonly service: string; readonly port: number; readonly route: string }>> = {
  APIServer: { service: 'kube-apiserver', port: 6443, route: 'kube-apiserver' },
  OAuthServer: { service: 'oauth-openshift', port: 6443, route: 'oauth' },
  Konnectivity: { service: 'konnectivity-server', port: 8091, route: 'konnectivity-server' },
  Ignition: { service: 'ignition-server-proxy', port: 443, route: 'ignition-server' },
  MetricsProxy: { service: 'metrics-proxy', port: 443, route: 'metrics-proxy' },
};

/** What the strategies look at. Services and Routes are there only when the namespace is the tenant's beyond doubt. */
export interface PublishingView {
  readonly hostedCluster: HostedCluster;
  readonly hostedControlPlane: HostedControlPlane | undefined;
  readonly namespace: string;
  readonly services: ReadonlyMap<string, Service>;
  readonly routes: ReadonlyMap<string, Route>;
}

/** One entry of spec.services, and where it stands. */
export interface PublishedEntry {
  readonly service: EndpointService;
  readonly strategy: PublishingStrategy;
  readonly path: string;
}

/** What a strategy says of an endpoint so far. */
export interface Publication {
  readonly host: HostText | undefined;
  readonly port: number | null;
  /** Completes "waiting for ..."; absent when HyperShift has nothing left to do. */
  readonly waitingFor: string | undefined;
}

/** A host as somebody wrote it, and the field where, so that a wrong one can be told with its place. */
export interface HostText {
  readonly text: string;
  readonly object: ObjectRef;
  readonly path: string;
}

export const hostedClusterRef = ({ hostedCluster: { metadata } }: PublishingView): ObjectRef => ({
  kind: 'HostedCluster',
  namespace: metadata.namespace,
  name: metadata.name,
});
