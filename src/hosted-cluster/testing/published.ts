import { tenantNetwork } from '../../api/tenant-network.ts';
import { hostedCluster, hostedControlPlane, type PublishingStrategy, route, service } from '../objects.ts';
import type { Observed } from '../observed.ts';

/**
 * A tenant whose control plane is rolled out, for any choice of strategies: what HyperShift would have written by then, as its own code does
 * it (control-plane-operator kas/service.go, infra.go; hypershift-operator hostedcluster_controller.go). The real dumps are in test/fixtures.
 */
export type Strategies = Readonly<Record<'APIServer' | 'OAuthServer' | 'Konnectivity' | 'Ignition', PublishingStrategy>>;

export const lb = (hostname?: string): PublishingStrategy => ({ type: 'LoadBalancer', ...(hostname && { loadBalancer: { hostname } }) });
export const viaRoute = (hostname?: string): PublishingStrategy => ({ type: 'Route', ...(hostname && { route: { hostname } }) });
export const nodePort = (address: string, port?: number): PublishingStrategy => ({
  type: 'NodePort',
  nodePort: { address, ...(port !== undefined && { port }) },
});

/** The commonest way. */
export const usual: Strategies = {
  APIServer: lb('api.blue.example.com'),
  OAuthServer: viaRoute('oauth.blue.example.com'),
  Konnectivity: viaRoute('konnectivity.blue.example.com'),
  Ignition: viaRoute('ignition.blue.example.com'),
};

const NAMESPACE = 'clusters-blue';
const HUB_APPS = 'apps.mgmt.example.com';
const objects = {
  APIServer: {
    name: 'kube-apiserver',
    route: 'kube-apiserver',
    clusterIP: '172.30.10.1',
    port: 6443,
    nodePort: 30001,
    lb: '192.168.101.11',
  },
  OAuthServer: { name: 'oauth-openshift', route: 'oauth', clusterIP: '172.30.10.2', port: 6443, nodePort: 30002, lb: '' },
  Konnectivity: {
    name: 'konnectivity-server',
    route: 'konnectivity-server',
    clusterIP: '172.30.10.3',
    port: 8091,
    nodePort: 30003,
    lb: '192.168.101.12',
  },
  Ignition: { name: 'ignition-server-proxy', route: 'ignition-server', clusterIP: '172.30.10.4', port: 443, nodePort: 30004, lb: '' },
} as const;
const names = ['APIServer', 'OAuthServer', 'Konnectivity', 'Ignition'] as const;

const types: Record<PublishingStrategy['type'], string> = {
  LoadBalancer: 'LoadBalancer',
  NodePort: 'NodePort',
  Route: 'ClusterIP',
  None: 'ClusterIP',
  S3: 'ClusterIP',
};

export function published(strategies: Strategies): Observed {
  const services = names.map((name) => {
    const { clusterIP, port, nodePort, lb, ...own } = objects[name];
    const type = types[strategies[name].type];
    return service.parse({
      kind: 'Service',
      metadata: { name: own.name, namespace: NAMESPACE },
      spec: { type, clusterIP, clusterIPs: [clusterIP], ports: [{ port, ...(type !== 'ClusterIP' && { nodePort }) }] },
      status: type === 'LoadBalancer' ? { loadBalancer: { ingress: [{ ip: lb }] } } : {},
    });
  });
  const router = service.parse({
    kind: 'Service',
    metadata: { name: 'router', namespace: NAMESPACE },
    spec: { type: 'LoadBalancer', ports: [{ port: 443 }] },
    status: { loadBalancer: { ingress: [{ ip: '192.168.101.13' }] } },
  });
  const routes = names
    .filter((name) => strategies[name].type === 'Route')
    .map((name) =>
      route.parse({
        kind: 'Route',
        metadata: { name: objects[name].route, namespace: NAMESPACE },
        spec: {
          host: strategies[name].route?.hostname ?? `${objects[name].route}-${NAMESPACE}.${HUB_APPS}`,
          to: { name: objects[name].name },
        },
      }),
    );
  return tenantOf(strategies, [...services, router], routes);
}

function tenantOf(strategies: Strategies, services: Observed['services'], routes: Observed['routes']): Observed {
  const spec = {
    platform: { type: 'KubeVirt' },
    dns: { baseDomain: 'example.com' },
    services: names.map((name) => ({ service: name, servicePublishingStrategy: strategies[name] })),
  };
  const controlPlaneEndpoint = { host: hostOf('APIServer', strategies.APIServer), port: portOf('APIServer', strategies.APIServer) };
  const ignition = hostOf('Ignition', strategies.Ignition);
  return {
    tenantNetwork: tenantNetwork.parse({
      apiVersion: 'hcpio.io/v1alpha1',
      kind: 'TenantNetwork',
      metadata: { name: 'blue', namespace: 'clusters' },
      spec: { segment: { attachment: 'default/vlan100', cidrs: ['192.168.100.0/24'] } },
    }),
    hostedCluster: hostedCluster.parse({
      kind: 'HostedCluster',
      metadata: { name: 'blue', namespace: 'clusters', uid: 'created' },
      spec,
      status: {
        controlPlaneEndpoint,
        ignitionEndpoint: strategies.Ignition.type === 'NodePort' ? `${ignition}:${objects.Ignition.nodePort}` : ignition,
      },
    }),
    hostedControlPlanes: [
      hostedControlPlane.parse({
        kind: 'HostedControlPlane',
        metadata: { name: 'blue', namespace: NAMESPACE, annotations: { 'hypershift.openshift.io/cluster': 'clusters/blue' } },
        spec,
        status: { controlPlaneEndpoint },
      }),
    ],
    services,
    routes,
    endpointSlices: [],
    attachments: [],
    nodePools: [],
    machines: [],
    hub: { clusterNetworks: [], serviceNetworks: [], nodeAddresses: [], ingressDomain: HUB_APPS, baseDomain: '', proxy: undefined },
    neighbours: [],
    edgeNamespaceOwners: [],
    allocations: [],
    guestRouter: undefined,
    authorities: {},
  };
}

function hostOf(name: keyof typeof objects, { type, loadBalancer, nodePort, route: published }: PublishingStrategy): string {
  if (type === 'LoadBalancer') return loadBalancer?.hostname ?? objects[name].lb;
  if (type === 'NodePort') return nodePort?.address ?? '';
  return type === 'Route' ? (published?.hostname ?? `${objects[name].route}-${NAMESPACE}.${HUB_APPS}`) : '';
}

const portOf = (name: keyof typeof objects, { type }: PublishingStrategy): number =>
  type === 'Route' ? 443 : type === 'NodePort' ? objects[name].nodePort : objects[name].port;
