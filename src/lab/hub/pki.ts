/** Who is who in the hub: one authority, a certificate for each component, and kubeconfigs that carry them. */
import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab } from '../contract.ts';
import { type Authority, type Certificate, issue, type KeyPair } from '../pki/issue.ts';

const CA = 'ca';
/** The aggregation layer trusts an authority of its own: whoever holds a certificate of it may claim to be anybody. */
const FRONT_PROXY_CA = 'front-proxy-ca';
const AUTHORITIES: readonly Authority[] = [
  { secret: CA, subject: { commonName: 'hub' } },
  { secret: FRONT_PROXY_CA, subject: { commonName: 'front-proxy' } },
];

/** kubeconfig file (without its directory) -> user and groups. */
const USERS: Readonly<Record<string, { readonly user: string; readonly group?: string }>> = {
  hub: { user: 'lab-admin', group: 'system:masters' },
  'controller-manager': { user: 'system:kube-controller-manager' },
  scheduler: { user: 'system:kube-scheduler' },
  'kube-proxy': { user: 'system:kube-proxy' },
  'kube-router': { user: 'system:kube-router' },
  multus: { user: 'system:multus' },
  storage: { user: 'system:lab-storage' },
};

type Identities = Pick<Lab, 'hub' | 'nodes'>;

export function hubCertificates({ hub, nodes }: Identities): readonly Certificate[] {
  const client = (secret: string, commonName: string, group?: string, issuer = CA): Certificate => ({
    secret,
    subject: { commonName, ...(group && { organizations: [group] }) },
    issuer,
    usages: ['client'],
    names: [],
    addresses: [],
  });
  const service = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'];
  return [
    {
      ...client('apiserver', 'kube-apiserver'),
      usages: ['server'],
      names: [...service, 'localhost'],
      addresses: [hub.address, firstServiceAddress(hub.serviceCidr), '127.0.0.1'],
    },
    client('apiserver-kubelet-client', 'kube-apiserver-kubelet-client', 'system:masters'),
    client('front-proxy-client', 'front-proxy-client', undefined, FRONT_PROXY_CA),
    ...Object.entries(USERS).map(([file, { user, group }]) => client(file, user, group)),
    ...nodes.map((node): Certificate => {
      const kubelet = client(`kubelet-${node.name}`, `system:node:${node.name}`, 'system:nodes');
      return { ...kubelet, usages: ['client', 'server'], names: [node.name], addresses: [node.address] };
    }),
  ];
}

/** Everything below `pki/`, and one kubeconfig per user beside the lab's own. */
export async function makeHubPki(lab: Lab, now: Date): Promise<void> {
  const pairs = issue(AUTHORITIES, hubCertificates(lab), now);
  for (const [name, pair] of pairs) {
    await writeFile(pkiFile(lab, `${name}.crt`), pair.cert);
    await writeFile(pkiFile(lab, `${name}.key`), pair.key, { mode: 0o600 });
  }
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await writeFile(pkiFile(lab, 'service-accounts.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  await writeFile(pkiFile(lab, 'service-accounts.pub'), publicKey.export({ type: 'spki', format: 'pem' }));

  const ca = await readFile(lab.hub.ca.cert, 'utf8');
  for (const [name, pair] of pairs) {
    if (!(name in USERS) && !name.startsWith('kubelet-')) continue;
    await writeFile(kubeconfigOf(lab, name), JSON.stringify(kubeconfig(lab.hub.apiUrl, ca, pair), null, 2), { mode: 0o600 });
  }
}

export const pkiFile = (lab: Pick<Lab, 'dir'>, file: string): string => join(lab.dir, 'pki', file);

/** The kubeconfig of a component, or of `kubelet-<node>`; `hub` is the administrator's. */
export const kubeconfigOf = (lab: Pick<Lab, 'dir' | 'hub'>, user: string): string =>
  user === 'hub' ? lab.hub.kubeconfig : join(lab.dir, 'pki', `${user}.kubeconfig`);

function kubeconfig(server: string, ca: string, { cert, key }: KeyPair): unknown {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'hub',
    contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'me' } }],
    clusters: [{ name: 'hub', cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: 'me', user: { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) } }],
  };
}

const firstServiceAddress = (cidr: string): string => cidr.replace('.0/16', '.1');
