/**
 * Every certificate of a hosted control plane that something in the lab uses, with the names HyperShift gives to Secrets, subjects
 * and SANs. Pure: who is signed by whom.
 */
import { isIP } from 'node:net';
import type { Authority, Certificate, Subject, Usage } from '../../pki/issue.ts';
import type { ReadyEndpoints } from '../endpoints.ts';
import type { HostedControlPlane } from '../hosted-cluster.ts';
import { strategyOf } from '../hosted-cluster.ts';

const authority = (secret: string, commonName = secret, unit = 'openshift'): Authority => ({ secret, subject: { commonName, unit } });

export const ROOT_CA = 'root-ca';
export const IGNITION_CA = 'ignition-server-ca-cert';
const ETCD_CA = 'etcd-signer';
const KONNECTIVITY_CA = 'konnectivity-signer';
const CSR_CA = 'cluster-signer-ca';
const ADMIN_CA = 'system-admin-signer';
const CONTROL_PLANE_CA = 'kube-control-plane-signer';
const TO_KUBELET_CA = 'kube-apiserver-to-kubelet-signer';
const AGGREGATOR_CA = 'kas-aggregator-client-signer';
const HCCO_CA = 'hcco-signer';
const BOOTSTRAP_CA = 'kas-bootstrap-container-signer';

/** Ignition has an authority of its own: what workers trust for it is not what they trust for the API. */
export const AUTHORITIES: readonly Authority[] = [
  authority(ROOT_CA),
  authority(IGNITION_CA, 'ignition-root-ca'),
  authority(ETCD_CA),
  authority(KONNECTIVITY_CA, KONNECTIVITY_CA, 'kubernetes'),
  authority(CSR_CA, 'kube-csr-signer'),
  authority(ADMIN_CA, 'admin-kubeconfig-signer'),
  authority(CONTROL_PLANE_CA),
  authority(TO_KUBELET_CA),
  authority(AGGREGATOR_CA, 'aggregator-signer'),
  authority(HCCO_CA),
  authority(BOOTSTRAP_CA),
];

/** Bundles that HyperShift keeps as ConfigMaps with one key, ca.crt, in this order of signers. */
export const BUNDLES: Readonly<Record<string, readonly string[]>> = {
  'aggregator-client-ca': [AGGREGATOR_CA],
  'client-ca': [CONTROL_PLANE_CA, TO_KUBELET_CA, ADMIN_CA, HCCO_CA, BOOTSTRAP_CA, CSR_CA],
  'etcd-ca': [ETCD_CA],
  'konnectivity-ca-bundle': [KONNECTIVITY_CA],
  'kubelet-client-ca': [TO_KUBELET_CA, CSR_CA],
  'oauth-master-ca-bundle': [ROOT_CA],
  'root-ca': [ROOT_CA],
};

export function certificates(hcp: HostedControlPlane, endpoints: ReadyEndpoints): readonly Certificate[] {
  const { namespace = '' } = hcp.metadata;
  const inNamespace = (service: string) => [service, `${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`];
  const discovery = [`*.etcd-discovery.${namespace}.svc`, `*.etcd-discovery.${namespace}.svc.cluster.local`];
  return [
    ...apiCertificates(hcp, endpoints, inNamespace),
    both('etcd-server-tls', kubernetes('etcd-server'), ETCD_CA, [
      ...inNamespace('etcd-client').slice(1),
      ...discovery,
      'etcd-client',
      'localhost',
    ]),
    both('etcd-peer-tls', kubernetes('etcd-discovery'), ETCD_CA, discovery, ['127.0.0.1', '::1']),
    client('etcd-client-tls', kubernetes('etcd-client'), ETCD_CA),
    server('konnectivity-cluster', kubernetes('konnectivity-server'), KONNECTIVITY_CA, [
      ...inNamespace('konnectivity-server'),
      endpoints.konnectivity.host,
    ]),
    server('konnectivity-server', kubernetes('konnectivity-server-local'), KONNECTIVITY_CA, [
      'localhost',
      ...inNamespace('konnectivity-server-local'),
      '127.0.0.1',
    ]),
    client('konnectivity-client', kubernetes('konnectivity-client'), KONNECTIVITY_CA),
    client('konnectivity-agent', kubernetes('konnectivity-agent'), KONNECTIVITY_CA),
    both('oauth-server-crt', openshift('openshift-oauth'), ROOT_CA, oauthNames(endpoints.oauth.host, namespace)),
    both('ignition-server', openshift('ignition-server'), ROOT_CA, inNamespace('ignition-server')),
    ignitionProxy(hcp, endpoints),
    both('kcm-server', openshift('kube-controller-manager'), ROOT_CA, [
      ...inNamespace('kube-controller-manager').slice(1),
      'kube-controller-manager',
      'localhost',
    ]),
    client('kube-controller-manager', kubernetes('system:kube-controller-manager'), CONTROL_PLANE_CA),
    client(
      'hcco-client',
      { commonName: 'system:hosted-cluster-config', organizations: ['system:serviceaccounts:openshift', 'kubernetes'] },
      HCCO_CA,
    ),
    client('system-admin-client', { commonName: 'system:admin', organizations: ['system:masters'] }, ADMIN_CA),
    client('kas-bootstrap-container-client', kubernetes('system:kas-bootstrap-container'), BOOTSTRAP_CA),
    client('kas-bootstrap-client', serviceAccount('openshift-machine-config-operator', 'node-bootstrapper'), CSR_CA),
  ];
}

type InNamespace = (service: string) => readonly string[];

function apiCertificates(hcp: HostedControlPlane, endpoints: ReadyEndpoints, inNamespace: InNamespace): readonly Certificate[] {
  const { networking } = hcp.spec;
  const { host } = endpoints.api;
  const everyForm = (name: string) => [name, `${name}.default`, `${name}.default.svc`, `${name}.default.svc.cluster.local`];
  const advertised = networking.apiServer?.advertiseAddress ?? ADVERTISE_ADDRESS;
  return [
    server('kas-server-crt', kubernetes('kubernetes'), ROOT_CA, [
      'localhost',
      ...everyForm('kubernetes'),
      ...everyForm('openshift'),
      ...(isIP(host) ? [] : [host]),
      `api.${hcp.metadata.name}.hypershift.local`,
      '127.0.0.1',
      '::1',
      ...networking.serviceNetwork.map(({ cidr }) => firstAddress(cidr)),
      advertised,
      ...(isIP(host) ? [host] : []),
    ]),
    // Chosen by SNI, for those who come by the Service's name.
    server('kas-server-private-crt', kubernetes('kubernetes-private'), ROOT_CA, inNamespace('kube-apiserver')),
    client('kas-kubelet-client-crt', kubernetes('system:kube-apiserver'), TO_KUBELET_CA),
    client('kas-aggregator-crt', kubernetes('system:openshift-aggregator'), AGGREGATOR_CA),
  ];
}

/** Exactly one name, the published one, and signed by ignition's own authority. No usages are set. */
function ignitionProxy(hcp: HostedControlPlane, endpoints: ReadyEndpoints): Certificate {
  const { nodePort } = strategyOf(hcp.spec, 'Ignition');
  const host = nodePort?.address ?? endpoints.ignition ?? '';
  return certificate('ignition-server-serving-cert', openshift('ignition-server'), IGNITION_CA, [], [host]);
}

/** With an address for a host there is only that address. */
function oauthNames(host: string, namespace: string): readonly string[] {
  return isIP(host) ? [host] : [host, `oauth-openshift.${namespace}.svc.cluster.local`];
}

/** The address on every node's loopback that guest pods reach the API by. */
export const ADVERTISE_ADDRESS = '172.20.0.1';

function firstAddress(cidr: string): string {
  const [network = ''] = cidr.split('/');
  if (network.includes(':')) return `${network.replace(/::$/, '')}::1`;
  return network.replace(/\d+$/, (last) => String(Number(last) + 1));
}

const kubernetes = (commonName: string): Subject => ({ commonName, organizations: ['kubernetes'] });
const openshift = (commonName: string): Subject => ({ commonName, organizations: ['openshift'] });
const serviceAccount = (namespace: string, name: string): Subject => ({
  commonName: `system:serviceaccount:${namespace}:${name}`,
  organizations: [`system:serviceaccounts:${namespace}`, 'system:serviceaccounts'],
});

function certificate(secret: string, subject: Subject, issuer: string, usages: readonly Usage[], hosts: readonly string[]): Certificate {
  return {
    secret,
    subject,
    issuer,
    usages,
    names: hosts.filter((host) => !isIP(host)),
    addresses: hosts.filter((host) => isIP(host) !== 0),
  };
}
const client = (secret: string, subject: Subject, issuer: string) => certificate(secret, subject, issuer, ['client'], []);
const server = (secret: string, subject: Subject, issuer: string, hosts: readonly string[]) =>
  certificate(secret, subject, issuer, ['server'], hosts);
const both = (secret: string, subject: Subject, issuer: string, names: readonly string[], addresses: readonly string[] = []) =>
  certificate(secret, subject, issuer, ['client', 'server'], [...names, ...addresses]);
