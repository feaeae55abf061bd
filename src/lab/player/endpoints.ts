/** What the published services are called and where they are, as far as it is known: HyperShift's InfrastructureStatus. */
import { type ClusterSpec, type Route, type Service, type Strategy, strategyOf, usesOwnRouter } from './hosted-cluster.ts';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

export interface Endpoints {
  readonly api: Endpoint | undefined;
  readonly oauth: Endpoint | undefined;
  readonly konnectivity: Endpoint | undefined;
  /** The address of the control plane's own router; undefined where it has none, or none yet. */
  readonly router: string | undefined;
  /** `host` or `host:port`, as HyperShift writes it. Known long before anybody answers there. */
  readonly ignition: string | undefined;
}

/** All that must be known before HyperShift builds the control plane. */
export interface ReadyEndpoints extends Endpoints {
  readonly api: Endpoint;
  readonly oauth: Endpoint;
  readonly konnectivity: Endpoint;
}

export interface Published {
  readonly services: readonly Service[];
  readonly routes: readonly Route[];
}

export function readEndpoints(spec: ClusterSpec, published: Published): Endpoints {
  return {
    api: apiEndpoint(spec, published),
    oauth: endpoint(strategyOf(spec, 'OAuthServer'), 'oauth-openshift', 'oauth', published),
    konnectivity: konnectivityEndpoint(spec, published),
    router: usesOwnRouter(spec) ? balancerAddress(published, 'router') : undefined,
    ignition: ignitionEndpoint(spec, published),
  };
}

export function infrastructureReady(spec: ClusterSpec, endpoints: Endpoints): endpoints is ReadyEndpoints {
  const { api, oauth, konnectivity, router } = endpoints;
  return api !== undefined && oauth !== undefined && konnectivity !== undefined && (router !== undefined || !usesOwnRouter(spec));
}

function apiEndpoint(spec: ClusterSpec, published: Published): Endpoint | undefined {
  const strategy = strategyOf(spec, 'APIServer');
  switch (strategy.type) {
    case 'LoadBalancer':
      return balanced(strategy, 'kube-apiserver', 6443, published);
    case 'NodePort':
      return onNodePort(strategy, 'kube-apiserver', published);
    case 'Route': {
      // The name alone is not enough: HyperShift waits for the balancer of the router that will serve it.
      const host = strategy.route?.hostname;
      return host && balancerAddress(published, 'router') ? { host, port: 443 } : undefined;
    }
  }
}

function konnectivityEndpoint(spec: ClusterSpec, published: Published): Endpoint | undefined {
  const strategy = strategyOf(spec, 'Konnectivity');
  if (strategy.type === 'LoadBalancer') return balanced(strategy, 'konnectivity-server', 8091, published);
  return endpoint(strategy, 'konnectivity-server', 'konnectivity-server', published);
}

function endpoint(strategy: Strategy, service: string, route: string, published: Published): Endpoint | undefined {
  if (strategy.type === 'NodePort') return onNodePort(strategy, service, published);
  const host = strategy.route?.hostname || published.routes.find(({ metadata }) => metadata.name === route)?.spec.host;
  const exists = published.routes.some(({ metadata }) => metadata.name === route);
  return host && exists ? { host, port: 443 } : undefined;
}

function ignitionEndpoint(spec: ClusterSpec, published: Published): string | undefined {
  const strategy = strategyOf(spec, 'Ignition');
  if (strategy.type === 'NodePort') {
    const found = onNodePort(strategy, 'ignition-server-proxy', published);
    return found && hostPort(found);
  }
  return strategy.route?.hostname || published.routes.find(({ metadata }) => metadata.name === 'ignition-server')?.spec.host;
}

/** An IPv6 address is put in brackets, as in any URL. */
export function hostPort({ host, port }: Endpoint): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function balanced(strategy: Strategy, service: string, port: number, published: Published): Endpoint | undefined {
  const address = balancerAddress(published, service);
  return address === undefined ? undefined : { host: strategy.loadBalancer?.hostname || address, port };
}

function onNodePort(strategy: Strategy, service: string, { services }: Published): Endpoint | undefined {
  const port = services.find(({ metadata }) => metadata.name === service)?.spec.ports[0]?.nodePort;
  return port && strategy.nodePort ? { host: strategy.nodePort.address, port } : undefined;
}

function balancerAddress({ services }: Published, name: string): string | undefined {
  const ingress = services.find(({ metadata }) => metadata.name === name)?.status?.loadBalancer?.ingress?.[0];
  return ingress?.hostname ?? ingress?.ip;
}

/** What InfrastructureReady says while it is False; HyperShift adds how old the Service is. */
export function waitingFor(spec: ClusterSpec, { services }: Published): string {
  const balancers = [
    ...(strategyOf(spec, 'APIServer').type === 'LoadBalancer' ? ['kube-apiserver'] : []),
    ...(strategyOf(spec, 'Konnectivity').type === 'LoadBalancer' ? ['konnectivity-server'] : []),
    ...(usesOwnRouter(spec) ? ['router'] : []),
  ];
  const unprovisioned = services.filter(
    ({ metadata, status }) => balancers.includes(metadata.name) && !status?.loadBalancer?.ingress?.length,
  );
  return unprovisioned.map(({ metadata }) => `${metadata.name} load balancer is not provisioned`).join('; ');
}
