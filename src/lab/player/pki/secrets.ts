/** The Secrets and ConfigMaps of a control plane, with HyperShift's names and keys. */
import type { KeyPair } from '../../pki/issue.ts';
import { hostPort, type ReadyEndpoints } from '../endpoints.ts';
import { controlPlaneNamespace, type HostedCluster, type HostedControlPlane, type Manifest, ownedBy } from '../hosted-cluster.ts';
import { AUTHORITIES, BUNDLES, certificates, IGNITION_CA, ROOT_CA } from './catalogue.ts';

export interface Material {
  /** By the name of their Secret. */
  readonly pairs: ReadonlyMap<string, KeyPair>;
  readonly serviceAccountKey: { readonly privateKey: string; readonly publicKey: string };
  readonly kubeadminPassword: string;
}

/** Most Secrets call their parts ca.crt, tls.crt and tls.key. These do not. */
const KEYS: Readonly<Record<string, readonly [cert: string, key: string]>> = {
  'etcd-server-tls': ['server.crt', 'server.key'],
  'etcd-peer-tls': ['peer.crt', 'peer.key'],
  'etcd-client-tls': ['etcd-client.crt', 'etcd-client.key'],
};
const TLS_TYPE = new Set([IGNITION_CA, 'ignition-server-serving-cert']);

/** Written as soon as the infrastructure is ready, before any component. */
export function pkiObjects(hcp: HostedControlPlane, endpoints: ReadyEndpoints, material: Material): readonly Manifest[] {
  const certOf = (secret: string) => pairOf(material, secret).cert;
  const signers = AUTHORITIES.map(({ secret }) => {
    const { cert, key } = pairOf(material, secret);
    return TLS_TYPE.has(secret)
      ? tlsSecret(hcp, secret, { 'tls.crt': cert, 'tls.key': key })
      : secretOf(hcp, secret, { 'ca.crt': cert, 'ca.key': key, 'tls.crt': cert, 'tls.key': key });
  });
  const leaves = certificates(hcp, endpoints).map(({ secret, issuer }) => {
    const { cert, key } = pairOf(material, secret);
    const names = KEYS[secret];
    if (names !== undefined) return secretOf(hcp, secret, { [names[0]]: cert, [names[1]]: key });
    if (TLS_TYPE.has(secret)) return tlsSecret(hcp, secret, { 'tls.crt': cert, 'tls.key': key });
    return secretOf(hcp, secret, { 'ca.crt': certOf(issuer), 'tls.crt': cert, 'tls.key': key });
  });
  const bundles = Object.entries(BUNDLES).map(([name, issuers]) => configMap(hcp, name, { 'ca.crt': issuers.map(certOf).join('') }));
  return [
    ...signers,
    ...leaves,
    ...bundles,
    secretOf(hcp, 'sa-signing-key', {
      'service-account.key': material.serviceAccountKey.privateKey,
      'service-account.pub': material.serviceAccountKey.publicKey,
    }),
    secretOf(hcp, 'kubeadmin-password', { password: material.kubeadminPassword }),
  ];
}

/** Written with the component kube-apiserver. The published name goes to workers and people, the Service's name to the control plane. */
export function kubeconfigSecrets(hcp: HostedControlPlane, endpoints: ReadyEndpoints, material: Material): readonly Manifest[] {
  const published = `https://${hostPort(endpoints.api)}`;
  const inside = 'https://kube-apiserver:6443';
  const own = 'https://localhost:6443';
  const of = (name: string, server: string, user: string, key = 'kubeconfig') =>
    secretOf(hcp, name, { [key]: kubeconfig(server, material, user) });
  return [
    of('admin-kubeconfig', published, 'system-admin-client'),
    of('bootstrap-kubeconfig', published, 'kas-bootstrap-client'),
    of('hcco-kubeconfig', inside, 'hcco-client'),
    of('kas-bootstrap-container-kubeconfig', own, 'kas-bootstrap-container-client'),
    of('kube-controller-manager-kubeconfig', inside, 'kube-controller-manager'),
    of('localhost-kubeconfig', own, 'system-admin-client'),
    of('service-network-admin-kubeconfig', inside, 'system-admin-client'),
    of(`${hcp.spec.infraID}-kubeconfig`, inside, 'system-admin-client', 'value'),
  ];
}

/** What a user of the HostedCluster finds beside it. */
export function userSecrets(cluster: HostedCluster, endpoints: ReadyEndpoints, material: Material): readonly Manifest[] {
  const { name, namespace = '', uid = '' } = cluster.metadata;
  const ownerReferences = [{ apiVersion: cluster.apiVersion, kind: cluster.kind, name, uid }];
  const secret = (suffix: string, data: Readonly<Record<string, string>>): Manifest => ({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: { name: `${name}-${suffix}`, namespace, ownerReferences },
    data: encoded(data),
  });
  return [
    secret('admin-kubeconfig', { kubeconfig: kubeconfig(`https://${hostPort(endpoints.api)}`, material, 'system-admin-client') }),
    secret('kubeadmin-password', { password: material.kubeadminPassword }),
  ];
}

/** In JSON, which is YAML too: the lab's programs read it without a parser for the latter. */
export function kubeconfig(server: string, material: Material, userSecret: string, servername?: string): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const { cert, key } = pairOf(material, userSecret);
  const authority = { 'certificate-authority-data': base64(pairOf(material, ROOT_CA).cert) };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'cluster', cluster: { server, ...authority, ...(servername ? { 'tls-server-name': servername } : {}) } }],
    users: [{ name: 'admin', user: { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) } }],
    contexts: [{ name: 'admin', context: { cluster: 'cluster', user: 'admin', namespace: 'default' } }],
    'current-context': 'admin',
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** A Secret of the HostedCluster's namespace, repeated where the control plane can read it. */
export function copiedSecret(cluster: HostedCluster, name: string, source: Manifest): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: source['type'] ?? 'Opaque',
    metadata: { name, namespace: controlPlaneNamespace(cluster) },
    data: source['data'] ?? {},
  };
}

function pairOf(material: Material, secret: string): KeyPair {
  const pair = material.pairs.get(secret);
  if (pair === undefined) throw new Error(`no certificate was made for ${secret}`);
  return pair;
}

export function encoded(data: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
}

export function secretOf(hcp: HostedControlPlane, name: string, data: Readonly<Record<string, string>>, type = 'Opaque'): Manifest {
  const { namespace = '' } = hcp.metadata;
  return { apiVersion: 'v1', kind: 'Secret', type, metadata: { name, namespace, ownerReferences: ownedBy(hcp) }, data: encoded(data) };
}

const tlsSecret = (hcp: HostedControlPlane, name: string, data: Readonly<Record<string, string>>) =>
  secretOf(hcp, name, data, 'kubernetes.io/tls');

export function configMap(hcp: HostedControlPlane, name: string, data: Readonly<Record<string, string>>): Manifest {
  const { namespace = '' } = hcp.metadata;
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, ownerReferences: ownedBy(hcp) }, data };
}
