/**
 * Makes certificates. The library is loaded when the first one is made, about once in sixty days: it costs 20 MB that a running operator
 * has better uses for.
 */
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate and its private key, in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const;

/** Reflection first: the library looks for it while it is being loaded. */
async function library() {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

export async function makeAuthority(name: string, validity: Validity): Promise<KeyPair> {
  const x509 = await library();
  const keys = await webcrypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name] }],
    keys,
    ...validity,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return pair(certificate.toString('pem'), keys.privateKey);
}

/** A server's certificate for these DNS names and addresses (only tests and labs are called by address). */
export async function issue(authority: KeyPair, names: readonly string[], validity: Validity): Promise<KeyPair> {
  const x509 = await library();
  const issuer = new x509.X509Certificate(authority.cert);
  const [signingKey, keys] = await Promise.all([
    webcrypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(authority.key), KEY_ALGORITHM, false, ['sign']),
    webcrypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']),
  ]);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [names[0] ?? ''] }],
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey,
    ...validity,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }))),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return pair(certificate.toString('pem'), keys.privateKey);
}

async function pair(cert: string, key: webcrypto.CryptoKey): Promise<KeyPair> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  const lines = der.match(/.{1,64}/g) ?? [];
  return { cert: `${cert.trim()}\n`, key: ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n') };
}
