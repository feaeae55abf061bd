/** Keys and passwords of a control plane: made once, then read back from the Secrets they were written to. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { issue, type KeyPair } from '../../pki/issue.ts';
import type { ReadyEndpoints } from '../endpoints.ts';
import type { HostedControlPlane, Manifest } from '../hosted-cluster.ts';
import { AUTHORITIES, certificates } from '../pki/catalogue.ts';
import { type Material, pkiObjects } from '../pki/secrets.ts';

export function makeMaterial(hcp: HostedControlPlane, endpoints: ReadyEndpoints, now: Date): Material {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    pairs: issue(AUTHORITIES, certificates(hcp, endpoints), now),
    serviceAccountKey: {
      privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    },
    kubeadminPassword: randomBytes(12).toString('base64url'),
  };
}

/** Undefined unless every Secret is there: half of it is of no use to anybody. */
export function readMaterial(hcp: HostedControlPlane, endpoints: ReadyEndpoints, secrets: readonly Manifest[]): Material | undefined {
  const byName = new Map(secrets.map((secret) => [secret.metadata.name, secret['data'] as Readonly<Record<string, string>> | undefined]));
  const text = (name: string, key: string) => {
    const value = byName.get(name)?.[key];
    return value === undefined ? undefined : Buffer.from(value, 'base64').toString();
  };
  // Where each Secret keeps its certificate and key is said in one place: by writing it with markers and looking where they are.
  const marked = pkiObjects(hcp, endpoints, markers(hcp, endpoints)).filter(({ kind }) => kind === 'Secret');
  const pairs = new Map<string, KeyPair>();
  for (const { metadata, data } of marked as readonly unknown[] as readonly (Manifest & {
    readonly data: Readonly<Record<string, string>>;
  })[]) {
    const find = (marker: string) => Object.entries(data).find(([, value]) => Buffer.from(value, 'base64').toString() === marker)?.[0];
    const [certKey, keyKey] = [find(`cert of ${metadata.name}`), find(`key of ${metadata.name}`)];
    if (certKey === undefined || keyKey === undefined) continue;
    const [cert, key] = [text(metadata.name, certKey), text(metadata.name, keyKey)];
    if (cert === undefined || key === undefined) return undefined;
    pairs.set(metadata.name, { cert, key });
  }
  const privateKey = text('sa-signing-key', 'service-account.key');
  const publicKey = text('sa-signing-key', 'service-account.pub');
  const kubeadminPassword = text('kubeadmin-password', 'password');
  if (privateKey === undefined || publicKey === undefined || kubeadminPassword === undefined) return undefined;
  return { pairs, serviceAccountKey: { privateKey, publicKey }, kubeadminPassword };
}

function markers(hcp: HostedControlPlane, endpoints: ReadyEndpoints): Material {
  const names = [...AUTHORITIES, ...certificates(hcp, endpoints)].map(({ secret }) => secret);
  return {
    pairs: new Map(names.map((name) => [name, { cert: `cert of ${name}`, key: `key of ${name}` }])),
    serviceAccountKey: { privateKey: '', publicKey: '' },
    kubeadminPassword: '',
  };
}
