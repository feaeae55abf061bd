/** What the people of a hub have made before HyperShift starts: the hub's own configuration, networks for tenants, one HostedCluster. */
import type { Lab, PublishingStrategy } from '../contract.ts';
import type { Manifest, ServiceName, Strategy } from './hosted-cluster.ts';
import { HYPERSHIFT } from './hosted-cluster.ts';
import { WORKER_KIND } from './machines/node-pool.ts';

export const CLUSTERS = 'clusters';
export const CLUSTER = 'blue';
export const SEGMENT = 'vlan100';
const DOMAIN = 'example.com';
const RELEASE = 'quay.io/openshift-release-dev/ocp-release:4.21.0-x86_64';
export const INGRESS_DOMAIN = `apps.hub.${DOMAIN}`;

/** config.openshift.io, as an OpenShift hub has it, and a network attachment per segment: plain L2, as for VMs. */
export function hubConfiguration({ hub, segments }: Pick<Lab, 'hub' | 'segments'>): readonly Manifest[] {
  const config = (kind: string, spec: object): Manifest => ({
    apiVersion: 'config.openshift.io/v1',
    kind,
    metadata: { name: 'cluster' },
    spec,
  });
  return [
    config('Network', {
      clusterNetwork: [{ cidr: hub.podCidr, hostPrefix: 24 }],
      serviceNetwork: [hub.serviceCidr],
      networkType: 'Other',
    }),
    config('Ingress', { domain: INGRESS_DOMAIN }),
    config('DNS', { baseDomain: `hub.${DOMAIN}` }),
    ...segments.map(
      ({ name, bridge }): Manifest => ({
        apiVersion: 'k8s.cni.cncf.io/v1',
        kind: 'NetworkAttachmentDefinition',
        metadata: { name, namespace: 'default' },
        spec: { config: JSON.stringify({ cniVersion: '0.3.1', name, type: 'bridge', bridge, macspoofchk: true, ipam: {} }) },
      }),
    ),
  ];
}

export interface ClusterOrder {
  readonly name: string;
  readonly strategy: PublishingStrategy;
  /** The segment's network, which HyperShift calls the machine network. */
  readonly machineCidr: string;
  /** The same in IPv6, on a segment that has both. */
  readonly machineCidr6?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** As `hcp create cluster kubevirt` renders it, with names on all that is published but for node ports. */
export function hostedClusterObjects({ name, strategy, machineCidr, machineCidr6, annotations }: ClusterOrder): readonly Manifest[] {
  const metadata = (suffix: string) => ({ name: `${name}-${suffix}`, namespace: CLUSTERS });
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: CLUSTERS } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/dockerconfigjson',
      metadata: metadata('pull-secret'),
      data: { '.dockerconfigjson': Buffer.from('{"auths":{}}').toString('base64') },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      metadata: metadata('ssh-key'),
      data: { 'id_rsa.pub': Buffer.from('ssh-ed25519 AAAA nobody\n').toString('base64') },
    },
    {
      apiVersion: HYPERSHIFT,
      kind: 'HostedCluster',
      metadata: { name, namespace: CLUSTERS, ...(annotations === undefined ? {} : { annotations }) },
      spec: {
        platform: { type: 'KubeVirt', kubevirt: { baseDomainPassthrough: false } },
        release: { image: RELEASE },
        pullSecret: { name: `${name}-pull-secret` },
        sshKey: { name: `${name}-ssh-key` },
        dns: { baseDomain: DOMAIN },
        controllerAvailabilityPolicy: 'SingleReplica',
        infrastructureAvailabilityPolicy: 'SingleReplica',
        networking: {
          clusterNetwork: [{ cidr: '10.132.0.0/14' }],
          serviceNetwork: [{ cidr: '172.31.0.0/16' }],
          machineNetwork: [machineCidr, ...(machineCidr6 === undefined ? [] : [machineCidr6])].map((cidr) => ({ cidr })),
          networkType: 'OVNKubernetes',
        },
        etcd: { managementType: 'Managed', managed: { storage: { type: 'PersistentVolume', persistentVolume: { size: '1Gi' } } } },
        services: SERVICES.map(([service, host]) => ({
          service,
          servicePublishingStrategy: published(strategy, service, `${host}.${name}.${DOMAIN}`, machineCidr),
        })),
      },
    },
  ];
}

const SERVICES: readonly (readonly [ServiceName, string])[] = [
  ['APIServer', 'api'],
  ['OAuthServer', 'oauth'],
  ['Konnectivity', 'konnectivity'],
  ['Ignition', 'ignition'],
];

function published(strategy: PublishingStrategy, service: ServiceName, host: string, machineCidr: string): Strategy {
  switch (strategy) {
    case 'loadbalancer':
      return service === 'APIServer'
        ? { type: 'LoadBalancer', loadBalancer: { hostname: host } }
        : { type: 'Route', route: { hostname: host } };
    case 'nodeport':
      // One address for all, as the CLI has it, and no name at all: the hard case, where no DNS and no SNI can help.
      return { type: 'NodePort', nodePort: { address: gatewayAddress(machineCidr) } };
    case 'route':
      return { type: 'Route', route: { hostname: host } };
  }
}

/** Where hcpio puts the gateway of a segment, after the router and edge-a. Who publishes an address has to know it before. */
const gatewayAddress = (cidr: string): string => cidr.replace(/(\d+)\/\d+$/, (_, last: string) => String(Number(last) + 3));

export interface PoolOrder {
  readonly name: string;
  readonly cluster: string;
  readonly segment: string;
  readonly replicas: number;
  readonly kind: 'vm' | 'netns';
}

export function nodePool({ name, cluster, segment, replicas, kind }: PoolOrder): Manifest {
  return {
    apiVersion: HYPERSHIFT,
    kind: 'NodePool',
    metadata: { name, namespace: CLUSTERS, ...(kind === 'netns' ? { annotations: { [WORKER_KIND]: kind } } : {}) },
    spec: {
      clusterName: cluster,
      replicas,
      release: { image: RELEASE },
      arch: 'amd64',
      management: { upgradeType: 'Replace', autoRepair: false },
      platform: {
        type: 'KubeVirt',
        kubevirt: {
          attachDefaultNetwork: false,
          additionalNetworks: [{ name: `default/${segment}` }],
          compute: { cores: 2, memory: '8Gi' },
          rootVolume: { type: 'Persistent', persistent: { size: '32Gi' } },
        },
      },
    },
  };
}
