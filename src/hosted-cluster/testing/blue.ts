import { tenantNetwork } from '../../api/tenant-network.ts';
import { endpointSlice, hostedCluster, hostedControlPlane, nad, nodePool, route, service, virtualMachineInstance } from '../objects.ts';
import { NOTHING_EARLIER, type Observed } from '../observed.ts';

/** A healthy tenant, as small as it can be, and ways to make it unhealthy. Raw objects go through the same schemas as real ones. */
export interface Change {
  readonly spec?: Record<string, unknown>;
  readonly hostedClusterSpec?: Record<string, unknown>;
  readonly hostedClusterAnnotations?: Record<string, string>;
  readonly nodePoolSpec?: Record<string, unknown>;
  readonly kubevirt?: Record<string, unknown>;
  readonly nadConfig?: unknown;
  readonly observed?: Partial<Observed>;
}

const SERVICES = [
  { service: 'APIServer', servicePublishingStrategy: { type: 'LoadBalancer', loadBalancer: { hostname: 'api.blue.example.com' } } },
  { service: 'OAuthServer', servicePublishingStrategy: { type: 'Route', route: { hostname: 'oauth.blue.example.com' } } },
  { service: 'Konnectivity', servicePublishingStrategy: { type: 'Route', route: { hostname: 'konnectivity.blue.example.com' } } },
  { service: 'Ignition', servicePublishingStrategy: { type: 'Route', route: { hostname: 'ignition.blue.example.com' } } },
];

export function blueObserved(change: Change = {}): Observed {
  const spec = {
    platform: { type: 'KubeVirt', kubevirt: {} },
    networking: {
      machineNetwork: [{ cidr: '192.168.100.0/24' }],
      clusterNetwork: [{ cidr: '10.132.0.0/14' }],
      serviceNetwork: [{ cidr: '172.31.0.0/16' }],
    },
    dns: { baseDomain: 'example.com' },
    services: SERVICES,
    ...change.hostedClusterSpec,
  };
  const cp = { namespace: 'clusters-blue' };
  const svc = (name: string, clusterIP: string, port: number) =>
    service.parse({ kind: 'Service', metadata: { name, ...cp }, spec: { clusterIP, clusterIPs: [clusterIP], ports: [{ port }] } });
  const rt = (name: string, host: string, to: string) =>
    route.parse({ kind: 'Route', metadata: { name, ...cp }, spec: { host, to: { name: to } } });
  return {
    tenantNetwork: tenantNetwork.parse({
      apiVersion: 'hcpio.io/v1alpha1',
      kind: 'TenantNetwork',
      metadata: { name: 'blue', namespace: 'clusters' },
      spec: { segment: { attachment: 'default/vlan100', cidrs: ['192.168.100.0/24'] }, ...change.spec },
    }),
    hostedCluster: hostedCluster.parse({
      kind: 'HostedCluster',
      metadata: { name: 'blue', namespace: 'clusters', annotations: change.hostedClusterAnnotations ?? {} },
      spec,
      status: { ignitionEndpoint: 'ignition.blue.example.com', controlPlaneEndpoint: { host: 'api.blue.example.com', port: 6443 } },
    }),
    hostedControlPlanes: [
      hostedControlPlane.parse({
        kind: 'HostedControlPlane',
        metadata: { name: 'blue', ...cp, annotations: { 'hypershift.openshift.io/cluster': 'clusters/blue' } },
        spec,
        status: { controlPlaneEndpoint: { host: 'api.blue.example.com', port: 6443 } },
      }),
    ],
    services: [
      svc('kube-apiserver', '172.30.10.1', 6443),
      svc('oauth-openshift', '172.30.10.2', 6443),
      svc('konnectivity-server', '172.30.10.3', 8091),
      svc('ignition-server-proxy', '172.30.10.4', 443),
    ],
    routes: [
      rt('oauth', 'oauth.blue.example.com', 'oauth-openshift'),
      rt('konnectivity-server', 'konnectivity.blue.example.com', 'konnectivity-server'),
      rt('ignition-server', 'ignition.blue.example.com', 'ignition-server-proxy'),
    ],
    endpointSlices: [
      endpointSlice.parse({
        kind: 'EndpointSlice',
        metadata: { name: 'konnectivity-server-1', ...cp, labels: { 'kubernetes.io/service-name': 'konnectivity-server' } },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.128.0.21'], conditions: { ready: true } }],
        ports: [{ port: 8091 }],
      }),
    ],
    attachments: [
      nad.parse({
        kind: 'NetworkAttachmentDefinition',
        metadata: { name: 'vlan100', namespace: 'default' },
        spec: {
          config: JSON.stringify(
            change.nadConfig ?? { cniVersion: '0.3.1', name: 'vlan100', type: 'bridge', bridge: 'br100', macspoofchk: true },
          ),
        },
      }),
    ],
    nodePools: [
      nodePool.parse({
        kind: 'NodePool',
        metadata: { name: 'blue-workers', namespace: 'clusters' },
        spec: {
          clusterName: 'blue',
          replicas: 2,
          platform: {
            type: 'KubeVirt',
            kubevirt: { attachDefaultNetwork: false, additionalNetworks: [{ name: 'default/vlan100' }], ...change.kubevirt },
          },
          ...change.nodePoolSpec,
        },
      }),
    ],
    machines: [
      virtualMachineInstance.parse({
        kind: 'VirtualMachineInstance',
        metadata: { name: 'blue-workers-1', ...cp },
        spec: { networks: [{ name: 'iface1_default-vlan100', multus: { networkName: 'default/vlan100' } }] },
        status: { interfaces: [{ name: 'iface1_default-vlan100', mac: '02:00:00:00:01:01' }] },
      }),
    ],
    hub: {
      clusterNetworks: ['10.128.0.0/14'],
      serviceNetworks: ['172.30.0.0/16'],
      nodeAddresses: ['192.168.10.11'],
      ingressDomain: 'apps.mgmt.example.com',
      baseDomain: 'mgmt.example.com',
      proxy: undefined,
    },
    neighbours: [],
    edgeNamespaceOwners: [],
    ...NOTHING_EARLIER,
    guestRouter: undefined,
    authorities: {},
    ...change.observed,
  };
}
