/** A hub as the live commands see it: an API server that can misbehave, and a kubeconfig that leads to it. */
import type { TenantNetworkStatus } from '../../api/tenant-network-status.ts';
import { type Draft, ProtocolServer } from '../../kube/testing/protocol-server.ts';
import { Scratch } from './directory.ts';

const TENANTS = 'tenantnetworks';
export const PODS = 'pods';
export const NODE_POOLS = 'nodepools';

export class LiveHub implements AsyncDisposable {
  readonly server: ProtocolServer;
  readonly #files: Scratch;

  private constructor(server: ProtocolServer) {
    this.server = server;
    this.#files = new Scratch({ kubeconfig: JSON.stringify(kubeconfig(server.url.href)) });
  }

  static async start(...tenants: readonly Draft[]): Promise<LiveHub> {
    const hub = new LiveHub(await ProtocolServer.start());
    for (const tenant of tenants) hub.server.put(TENANTS, tenant);
    return hub;
  }

  get kubeconfig(): string {
    return this.#files.at('kubeconfig');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#files[Symbol.dispose]();
    await this.server.close();
  }
}

export const kubeconfig = (server: string) => ({
  'current-context': 'hub',
  contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'admin', namespace: 'clusters' } }],
  clusters: [{ name: 'hub', cluster: { server } }],
  users: [{ name: 'admin', user: {} }],
});

const at = '2026-01-02T03:04:05Z';
const yes = (type: string, reason: string, message: string) => ({ type, status: 'True' as const, reason, message, lastTransitionTime: at });

/** As the operator reports a tenant of which everything is proven. */
export const PROVEN = {
  observedGeneration: 1,
  conditions: [
    yes('Accepted', 'Accepted', 'no check objects'),
    yes('Planned', 'Planned', '2 edges, 3 listeners, 11 records, 1 machine'),
    yes('Applied', 'Applied', '25 objects are as planned'),
    yes('EdgeReady', 'EdgesReady', 'edge-a on hub-a with 192.168.100.2; edge-b on hub-b with 192.168.100.4'),
    yes('EndpointsReady', 'UpstreamsReady', '4 services published, each with ready pods'),
    yes('SegmentProven', 'Proven', 'DHCP answered from edge-a'),
    yes('NodePoolsReleased', 'Released', 'no NodePool is held back'),
    yes('Ready', 'Ready', 'everything answers from the segment'),
  ],
  vip: '192.168.100.3',
  workers: 1,
  addresses: {
    ipv4: { cidr: '192.168.100.0/24', router: '192.168.100.1', edgeA: '192.168.100.2', vip: '192.168.100.3', edgeB: '192.168.100.4' },
  },
  endpoints: [
    { service: 'APIServer', host: 'api.blue.example.com', port: 6443, upstream: 'clusters-blue/kube-apiserver:6443', ready: true },
    { service: 'Ignition', upstream: 'clusters-blue/ignition-server-proxy:443', ready: false },
  ],
  edges: [
    { name: 'edge-a', addresses: ['192.168.100.2'], node: 'hub-a', ready: true, holdsVip: true },
    { name: 'edge-b', addresses: ['192.168.100.4'], node: 'hub-b', ready: true, holdsVip: false },
  ],
  pool: { ranges: ['192.168.100.10-192.168.100.254'], size: 245, used: 1 },
  findings: [],
  machines: [{ mac: '02:00:00:00:01:01', machine: 'blue-1', addresses: ['192.168.100.10'] }],
} satisfies TenantNetworkStatus;

export const tenant = (name: string, status: TenantNetworkStatus = PROVEN, namespace = 'clusters'): Draft => ({
  apiVersion: 'hcpio.io/v1alpha1',
  kind: 'TenantNetwork',
  metadata: { name, namespace, generation: 1 },
  spec: {
    segment: { attachment: 'default/vlan100', cidrs: [], reserved: [], mtu: 1500 },
    mode: 'Gateway',
    nodePools: 'Gate',
    deletionPolicy: 'Delete',
  },
  status,
});

export const pod = (edge: 'edge-a' | 'edge-b', address: string, node: string): Draft => ({
  kind: 'Pod',
  metadata: {
    name: `${edge}-0`,
    namespace: 'clusters-blue-edge',
    labels: { 'app.kubernetes.io/name': 'hcpio-edge', 'app.kubernetes.io/instance': edge },
    annotations: { 'k8s.v1.cni.cncf.io/network-status': JSON.stringify([{ interface: 'net1', ips: [address], mac: '' }]) },
  },
  spec: { nodeName: node },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
});

export const nodePool = (name: string, annotations: Record<string, string>, pausedUntil?: string): Draft => ({
  apiVersion: 'hypershift.openshift.io/v1beta1',
  kind: 'NodePool',
  metadata: { name, namespace: 'clusters', annotations },
  spec: { clusterName: 'blue', replicas: 2, ...(pausedUntil === undefined ? {} : { pausedUntil }) },
  status: { replicas: 1 },
});
