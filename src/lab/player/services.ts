import type { Manifest } from './hosted-cluster.ts';
import { COMPONENT_LABEL, type HostedControlPlane, ownedBy, type Strategy, strategyOf, usesOwnRouter } from './hosted-cluster.ts';

interface Port {
  readonly port: number;
  readonly targetPort: number | string;
  readonly name?: string;
  readonly nodePort?: number;
}

interface Shape {
  readonly ports: readonly Port[];
  readonly selector: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer';
  readonly dualStack?: true;
  readonly headless?: true;
}

const app = (name: string) => ({ app: name });
const component = (name: string) => ({ app: name, [COMPONENT_LABEL]: name });
const EXTERNAL_DNS = 'external-dns.alpha.kubernetes.io/hostname';

/** Written as soon as there is a HostedControlPlane: the infrastructure that everything else waits for. */
export function infrastructureServices(hcp: HostedControlPlane): readonly Manifest[] {
  const api = strategyOf(hcp.spec, 'APIServer');
  const konnectivity = strategyOf(hcp.spec, 'Konnectivity');
  const oauth = strategyOf(hcp.spec, 'OAuthServer');
  return manifests(hcp, {
    'kube-apiserver': {
      ...published(api, { port: 6443, targetPort: 'client' }),
      selector: component('kube-apiserver'),
      labels: component('kube-apiserver'),
      dualStack: true,
    },
    // The server is a sidecar, hence the selector.
    'konnectivity-server': { ...published(konnectivity, { port: 8091, targetPort: 8091 }), selector: component('kube-apiserver') },
    'oauth-openshift': { ...published(oauth, { port: 6443, targetPort: 6443 }), selector: component('oauth-openshift'), dualStack: true },
    'openshift-oauth-apiserver': https(8443, component('openshift-oauth-apiserver'), component('openshift-apiserver')),
    'openshift-apiserver': https(8443, component('openshift-apiserver'), component('openshift-apiserver')),
    packageserver: https(5443, component('packageserver'), component('openshift-apiserver')),
    ...(usesOwnRouter(hcp.spec) ? { router: router() } : {}),
  });
}

/** Written once the infrastructure is ready, together with the components they belong to. */
export function firstComponentServices(hcp: HostedControlPlane): readonly Manifest[] {
  return manifests(hcp, {
    'etcd-client': {
      ports: [named('etcd-client', 2379, 'client'), named('metrics', 2381, 'metrics')],
      selector: app('etcd'),
      labels: app('etcd'),
    },
    'etcd-discovery': { ports: [named('peer', 2380, 'peer'), named('etcd-client', 2379, 'client')], selector: app('etcd'), headless: true },
    'ignition-server': { ports: [named('https', 443, 9090)], selector: app('ignition-server') },
  });
}

/** Last of the four that workers need: HyperShift waits for ignition-server to be available, and so must everybody else. */
export function ignitionProxyService(hcp: HostedControlPlane): Manifest {
  const shape = published(strategyOf(hcp.spec, 'Ignition'), named('https', 443, 'https'));
  return manifest(hcp, 'ignition-server-proxy', { ...shape, selector: app('ignition-server-proxy') });
}

/** Control-plane side only: the API server dials its konnectivity server here. */
export function konnectivityLocalService(hcp: HostedControlPlane): Manifest {
  return manifest(hcp, 'konnectivity-server-local', { ports: [{ port: 8090, targetPort: 8090 }], selector: app('kube-apiserver') });
}

/** The rest. Most of these components do not run in the lab; their Services are there because a real hub has them. */
export function remainingServices(hcp: HostedControlPlane): readonly Manifest[] {
  const catalog = (name: string): Shape => ({ ports: [named('grpc', 50051, 50051)], selector: { 'olm.catalogSource': name } });
  const metrics = (name: string): Shape => ({ ports: [named('https-metrics', 8443, 'metrics')], selector: app(name), labels: app(name) });
  const secured = (name: string, port: Port): Shape => ({ ports: [port], selector: app(name), labels: app(name), dualStack: true });
  const versionOperator = { ...app('cluster-version-operator'), 'k8s-app': 'cluster-version-operator' };
  return manifests(hcp, {
    'catalog-operator-metrics': metrics('catalog-operator'),
    'certified-operators': catalog('certified-operators'),
    'cluster-version-operator': {
      ports: [named('https', 8443, 'https')],
      selector: versionOperator,
      labels: versionOperator,
      dualStack: true,
    },
    'community-operators': catalog('community-operators'),
    'kube-controller-manager': secured('kube-controller-manager', named('client', 10257, 'client')),
    'kube-scheduler': secured('kube-scheduler', named('client', 10259, 'client')),
    'node-tuning-operator': {
      ports: [named('metrics', 60000, 60000)],
      selector: { name: 'cluster-node-tuning-operator' },
      labels: { name: 'node-tuning-operator' },
    },
    'olm-operator-metrics': metrics('olm-operator'),
    'openshift-controller-manager': secured('openshift-controller-manager', named('https', 8443, 'https')),
    'openshift-route-controller-manager': secured('openshift-route-controller-manager', named('https', 8443, 'https')),
    'redhat-operators': catalog('redhat-operators'),
  });
}

const named = (name: string, port: number, targetPort: number | string): Port => ({ name, port, targetPort });

const https = (target: number, selector: Shape['selector'], labels: Readonly<Record<string, string>>): Shape => ({
  ports: [named('https', 443, target)],
  selector,
  labels,
});

const router = (): Shape => ({
  ports: [named('https', 443, 'https')],
  selector: app('private-router'),
  labels: app('private-router'),
  type: 'LoadBalancer',
});

function published(strategy: Strategy, port: Port): Pick<Shape, 'ports' | 'type' | 'annotations'> {
  switch (strategy.type) {
    case 'LoadBalancer': {
      const hostname = strategy.loadBalancer?.hostname;
      return { ports: [port], type: 'LoadBalancer', ...(hostname ? { annotations: { [EXTERNAL_DNS]: hostname } } : {}) };
    }
    case 'NodePort':
      return { ports: [strategy.nodePort?.port ? { ...port, nodePort: strategy.nodePort.port } : port], type: 'NodePort' };
    case 'Route':
      return { ports: [port], type: 'ClusterIP' };
  }
}

function manifests(hcp: HostedControlPlane, shapes: Readonly<Record<string, Shape>>): readonly Manifest[] {
  return Object.entries(shapes).map(([name, shape]) => manifest(hcp, name, shape));
}

function manifest(
  hcp: HostedControlPlane,
  name: string,
  { ports, selector, labels, annotations, type, dualStack, headless }: Shape,
): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace: hcp.metadata.namespace ?? '',
      ownerReferences: ownedBy(hcp),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
    },
    spec: {
      type: type ?? 'ClusterIP',
      ports: ports.map((port) => ({ ...port, protocol: 'TCP' })),
      selector,
      ...(dualStack ? { ipFamilyPolicy: 'PreferDualStack' } : {}),
      ...(headless ? { clusterIP: 'None', publishNotReadyAddresses: true } : {}),
    },
  };
}
