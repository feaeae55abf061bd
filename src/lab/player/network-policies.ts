import { isIP } from 'node:net';
import {
  backLink,
  COMPONENT_LABEL,
  controlPlaneNamespace,
  type HostedCluster,
  INFRA_ID_LABEL,
  type Manifest,
  strategyOf,
  usesOwnRouter,
} from './hosted-cluster.ts';

/** What the hub says of its own networks in config.openshift.io/v1 Network. */
export interface HubNetworks {
  readonly clusterNetworks: readonly string[];
  readonly serviceNetworks: readonly string[];
}

const labelled = (labels: Readonly<Record<string, string>>) => ({ matchLabels: labels });
const tcp = (port: number) => ({ port, protocol: 'TCP' });
const fromAnywhere = (app: string, port: number) => ({
  ingress: [{ ports: [tcp(port)] }],
  podSelector: labelled({ app }),
  policyTypes: ['Ingress'],
});
const fromNamespaces = (group: string) => ({
  ingress: [{ from: [{ namespaceSelector: labelled({ 'network.openshift.io/policy-group': group }) }] }],
  podSelector: {},
  policyTypes: ['Ingress'],
});

export function networkPolicies(cluster: HostedCluster, hub: HubNetworks): readonly Manifest[] {
  const { spec } = cluster;
  const isNodePort = (service: 'OAuthServer' | 'Ignition' | 'Konnectivity') => strategyOf(spec, service).type === 'NodePort';
  const specs: Readonly<Record<string, unknown>> = {
    ...(usesOwnRouter(spec) ? {} : { 'openshift-ingress': fromNamespaces('ingress') }),
    'same-namespace': { ingress: [{ from: [{ podSelector: {} }] }], podSelector: {}, policyTypes: ['Ingress'] },
    kas: kasPolicy(cluster),
    'openshift-monitoring': fromNamespaces('monitoring'),
    'virt-launcher': virtLauncher(cluster, hub),
    ...(isNodePort('OAuthServer') ? { 'nodeport-oauth': fromAnywhere('oauth-openshift', 6443) } : {}),
    ...(isNodePort('Ignition')
      ? {
          'nodeport-ignition': fromAnywhere('ignition-server', 9090),
          'nodeport-ignition-proxy': fromAnywhere('ignition-server-proxy', 8443),
        }
      : {}),
    ...(isNodePort('Konnectivity')
      ? {
          'nodeport-konnectivity': fromAnywhere('konnectivity-server', 8091),
          'nodeport-konnectivity-kas': fromAnywhere('kube-apiserver', 8091),
        }
      : {}),
  };
  const namespace = controlPlaneNamespace(cluster);
  return Object.entries(specs).map(([name, policy]) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace, annotations: backLink(cluster) },
    spec: policy,
  }));
}

function kasPolicy({ spec }: HostedCluster) {
  const extra = spec.networking.apiServer?.port;
  const ports = [6443, ...(extra === undefined || extra === 6443 ? [] : [extra])];
  return {
    ingress: ports.map((port) => ({ ports: [tcp(port)] })),
    podSelector: labelled({ app: 'kube-apiserver' }),
    policyTypes: ['Ingress'],
  };
}

function virtLauncher({ spec }: HostedCluster, hub: HubNetworks) {
  const launchers = { podSelector: labelled({ [INFRA_ID_LABEL]: spec.infraID, 'kubevirt.io': 'virt-launcher' }) };
  const blocked = [...hub.clusterNetworks, ...hub.serviceNetworks];
  const block = (cidr: string, except: readonly string[]) => ({ ipBlock: { cidr, ...(except.length > 0 ? { except } : {}) } });
  const peers = [
    block(
      '0.0.0.0/0',
      blocked.filter((cidr) => !cidr.includes(':')),
    ),
    block(
      '::/0',
      blocked.filter((cidr) => cidr.includes(':')),
    ),
    launchers,
    {
      namespaceSelector: labelled({ 'kubernetes.io/metadata.name': 'openshift-dns' }),
      podSelector: labelled({ 'dns.operator.openshift.io/daemonset-dns': 'default' }),
    },
    {
      namespaceSelector: labelled({ name: 'openshift-ingress' }),
      podSelector: labelled({ 'ingresscontroller.operator.openshift.io/deployment-ingresscontroller': 'default' }),
    },
    { podSelector: labelled({ [COMPONENT_LABEL]: 'kube-apiserver' }) },
    { podSelector: labelled({ [COMPONENT_LABEL]: 'oauth-openshift' }) },
    { podSelector: labelled({ app: 'ignition-server-proxy' }) },
  ];
  return {
    egress: [{ to: peers }, ...nodePortAddresses(spec).map((address) => ({ to: [block(address, [])] }))],
    ingress: [{ ports: [{ protocol: 'TCP' }, { protocol: 'UDP' }, { protocol: 'SCTP' }] }],
    podSelector: launchers.podSelector,
    policyTypes: ['Ingress', 'Egress'],
  };
}

/** A policy cannot name a DNS name, so HyperShift opens the way to addresses only. */
function nodePortAddresses(spec: HostedCluster['spec']): readonly string[] {
  const addresses = spec.services.map(({ servicePublishingStrategy: { type, nodePort } }) =>
    type === 'NodePort' ? nodePort?.address : undefined,
  );
  return [...new Set(addresses)].flatMap((address) => {
    const family = isIP(address ?? '');
    return family === 0 ? [] : [`${address}/${family === 4 ? 32 : 128}`];
  });
}
