/**
 * Plays HyperShift, KubeVirt and the network administrator for one tenant: writes what they would have written by the time the
 * control plane is rolled out, in the shape of the real dumps in test/fixtures. It is no part of the product.
 */
import type { WireObject } from '../../src/kube/object.ts';
import { VIRTUAL_MACHINE_INSTANCE } from '../../src/operator/resources.ts';
import type { Hub } from './hub.ts';

export interface PlayedTenant {
  readonly name: string;
  readonly namespace: string;
  readonly controlPlane: string;
  readonly attachment: string;
  readonly cidr: string;
}

/** The n-th tenant: a VLAN, a network and names of its own. */
export function tenant(n: number, namespace = 'clusters'): PlayedTenant {
  const name = `t${n}`;
  return {
    name,
    namespace,
    controlPlane: `${namespace}-${name}`,
    attachment: `default/vlan${n}`,
    cidr: `10.${200 + (n >> 8)}.${n & 255}.0/24`,
  };
}

const HYPERSHIFT = 'hypershift.openshift.io/v1beta1';

const services = (name: string) => [
  { service: 'APIServer', servicePublishingStrategy: { type: 'LoadBalancer', loadBalancer: { hostname: `api.${name}.example.com` } } },
  ...['OAuthServer:oauth', 'Konnectivity:konnectivity', 'Ignition:ignition'].map((pair) => {
    const [service, host] = pair.split(':');
    return { service, servicePublishingStrategy: { type: 'Route', route: { hostname: `${host}.${name}.example.com` } } };
  }),
];

const clusterSpec = ({ name, cidr }: PlayedTenant) => ({
  infraID: `${name}-x7k20`,
  platform: { type: 'KubeVirt', kubevirt: { baseDomainPassthrough: false } },
  dns: { baseDomain: 'example.com' },
  networking: {
    networkType: 'OVNKubernetes',
    machineNetwork: [{ cidr }],
    clusterNetwork: [{ cidr: '10.132.0.0/14' }],
    serviceNetwork: [{ cidr: '172.31.0.0/16' }],
  },
  services: services(name),
});

export const hostedCluster = (played: PlayedTenant): WireObject => ({
  apiVersion: HYPERSHIFT,
  kind: 'HostedCluster',
  metadata: { name: played.name, namespace: played.namespace },
  spec: {
    ...clusterSpec(played),
    release: { image: 'registry.example.com/openshift/release:4.21.0-x86_64' },
    pullSecret: { name: `${played.name}-pull-secret` },
    etcd: { managementType: 'Managed', managed: { storage: { type: 'PersistentVolume', persistentVolume: { size: '8Gi' } } } },
  },
});

export const hostedControlPlane = (played: PlayedTenant): WireObject => ({
  apiVersion: HYPERSHIFT,
  kind: 'HostedControlPlane',
  metadata: {
    name: played.name,
    namespace: played.controlPlane,
    annotations: { 'hypershift.openshift.io/cluster': `${played.namespace}/${played.name}` },
  },
  spec: {
    ...clusterSpec(played),
    issuerURL: 'https://kubernetes.default.svc',
    releaseImage: 'registry.example.com/openshift/release:4.21.0-x86_64',
    pullSecret: { name: 'pull-secret' },
    sshKey: {},
    etcd: { managementType: 'Managed', managed: { storage: { type: 'PersistentVolume', persistentVolume: { size: '8Gi' } } } },
  },
});

export const nodePool = (played: PlayedTenant, name = played.name): WireObject => ({
  apiVersion: HYPERSHIFT,
  kind: 'NodePool',
  metadata: { name, namespace: played.namespace },
  spec: {
    clusterName: played.name,
    replicas: 2,
    release: { image: 'registry.example.com/openshift/release:4.21.0-x86_64' },
    management: { upgradeType: 'Replace' },
    platform: {
      type: 'KubeVirt',
      kubevirt: {
        attachDefaultNetwork: false,
        additionalNetworks: [{ name: played.attachment }],
        compute: { cores: 2, memory: '8Gi' },
        rootVolume: { type: 'Persistent', persistent: { size: '32Gi' } },
      },
    },
  },
});

export const attachment = ({ attachment: name }: PlayedTenant): WireObject => {
  const [namespace = '', vlan = ''] = name.split('/');
  const config = { cniVersion: '0.3.1', name: vlan, type: 'bridge', bridge: `br-${vlan}`, macspoofchk: true };
  return {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { name: vlan, namespace },
    spec: { config: JSON.stringify(config) },
  };
};

const machine = ({ name, controlPlane, attachment: network }: PlayedTenant, index: number): WireObject => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: {
    name: `${name}-7d9f4-${index}`,
    namespace: controlPlane,
    labels: { 'hypershift.openshift.io/infra-id': `${name}-x7k20`, 'hypershift.openshift.io/nodepool-name': name },
  },
  spec: { domain: { devices: {} }, networks: [{ name: 'iface1', multus: { networkName: network } }] },
  status: { phase: 'Running', interfaces: [{ name: 'iface1', mac: `02:6b:1f:00:${hex(index >> 8)}:${hex(index & 255)}` }] },
});
const hex = (byte: number): string => byte.toString(16).padStart(2, '0');

const SERVICES = [
  ['kube-apiserver', 6443, 'kube-apiserver'],
  ['oauth-openshift', 6443, 'oauth-openshift'],
  ['konnectivity-server', 8091, 'kube-apiserver'],
  ['ignition-server-proxy', 443, 'ignition-server-proxy'],
] as const;
const ROUTES = [
  ['oauth', 'oauth', 'oauth-openshift'],
  ['konnectivity-server', 'konnectivity', 'konnectivity-server'],
  ['ignition-server', 'ignition', 'ignition-server-proxy'],
] as const;

export function published({ name, controlPlane }: PlayedTenant): readonly WireObject[] {
  return [
    ...SERVICES.map(([service, port, app]) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: service, namespace: controlPlane },
      spec: { type: service === 'kube-apiserver' ? 'LoadBalancer' : 'ClusterIP', ports: [{ port, protocol: 'TCP' }], selector: { app } },
    })),
    ...SERVICES.map(([service, port]) => slice(controlPlane, service, port)),
    ...ROUTES.map(([route, host, to]) => ({
      apiVersion: 'route.openshift.io/v1',
      kind: 'Route',
      metadata: { name: route, namespace: controlPlane },
      spec: { host: `${host}.${name}.example.com`, to: { kind: 'Service', name: to, weight: 100 }, tls: { termination: 'passthrough' } },
    })),
  ];
}

export const slice = (namespace: string, service: string, port: number, ready = true): WireObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: `${service}-k2x8v`, namespace, labels: { 'kubernetes.io/service-name': service } },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.128.0.21'], conditions: { ready } }],
  ports: [{ name: '', port, protocol: 'TCP' }],
});

export const tenantNetwork = ({ name, namespace, attachment: network }: PlayedTenant, spec: object = {}): WireObject => ({
  apiVersion: 'hcpio.io/v1alpha1',
  kind: 'TenantNetwork',
  metadata: { name, namespace },
  spec: { segment: { attachment: network }, ...spec },
});

export const namespace = (name: string): WireObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

/** Everything but the TenantNetwork and the machines. */
export async function playTenant(hub: Hub, played: PlayedTenant): Promise<void> {
  await hub.apply(namespace(played.namespace));
  await hub.apply(attachment(played));
  await hub.apply(hostedCluster(played));
  await hub.apply(nodePool(played));
  await playControlPlane(hub, played);
}

/** A VM as KubeVirt reports it: its MAC is known from the start. KubeVirt's CRD has no status subresource. */
export async function playMachine(hub: Hub, played: PlayedTenant, index: number): Promise<void> {
  const body = machine(played, index);
  await hub.client.patch(VIRTUAL_MACHINE_INSTANCE, body.metadata, { type: 'apply', force: true, body }, hub.signal, {
    fieldManager: 'player',
  });
}

export async function playControlPlane(hub: Hub, played: PlayedTenant): Promise<void> {
  await hub.apply(namespace(played.controlPlane));
  await hub.apply(hostedControlPlane(played));
  for (const object of published(played)) await hub.apply(object);
  await hub.apply(loadBalancerStatus(played), 'status');
  const endpoint = { host: `api.${played.name}.example.com`, port: 6443 };
  await hub.apply({ ...hostedControlPlane(played), status: { ...CONTROL_PLANE_STATUS, controlPlaneEndpoint: endpoint } }, 'status');
  const ignitionEndpoint = `ignition.${played.name}.example.com`;
  await hub.apply({ ...hostedCluster(played), status: { controlPlaneEndpoint: endpoint, ignitionEndpoint } }, 'status');
}

/** What the CRD insists on. */
const CONTROL_PLANE_STATUS = { ready: true, initialized: true };

const loadBalancerStatus = ({ controlPlane }: PlayedTenant): WireObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'kube-apiserver', namespace: controlPlane },
  status: { loadBalancer: { ingress: [{ ip: '192.0.2.11' }] } },
});
