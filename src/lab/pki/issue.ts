/**
 * Makes keys and certificates. By hand, because openssl refuses names of more than 64 characters, which HyperShift's have, and
 * because small elliptic keys made in this process give a whole control plane its certificates in a few milliseconds and no files.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { addressBytes, bits, boolean, explicit, implicit, integer, objectId, octets, sequence, setOf, text, time } from './der.ts';

export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly unit?: string;
}

export type Usage = 'client' | 'server';

export interface Authority {
  /** The Secret it is kept in. */
  readonly secret: string;
  readonly subject: Subject;
}

export interface Certificate {
  readonly secret: string;
  readonly subject: Subject;
  /** The Secret of the authority that signs it. */
  readonly issuer: string;
  readonly usages: readonly Usage[];
  readonly names: readonly string[];
  readonly addresses: readonly string[];
}

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

const OID = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  unit: '2.5.4.11',
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
} as const;
const EXTENDED_KEY_USAGE = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;
const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3650;
const CERTIFICATE_DAYS = 365;

interface Signer {
  readonly subject: Subject;
  readonly key: KeyObject;
  readonly keyId: Buffer;
}

/** Secret name -> its key and certificate, valid from a little before `now` on. */
export function issue(authorities: readonly Authority[], certificates: readonly Certificate[], now: Date): ReadonlyMap<string, KeyPair> {
  const pairs = new Map<string, KeyPair>();
  const signers = new Map<string, Signer>();
  for (const { secret, subject } of authorities) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const signer = { subject, key: privateKey, keyId: keyIdOf(publicKey) };
    const extensions = [basicConstraints(true), keyUsage(0b10100100), extension(OID.subjectKeyId, octets(signer.keyId))];
    signers.set(secret, signer);
    pairs.set(secret, { key: pem(privateKey), cert: signed(subject, publicKey, extensions, signer, now, AUTHORITY_DAYS) });
  }
  for (const certificate of certificates) {
    const signer = signers.get(certificate.issuer);
    if (signer === undefined) throw new Error(`${certificate.secret} is to be signed by ${certificate.issuer}, which is no authority`);
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const cert = signed(certificate.subject, publicKey, leafExtensions(certificate, signer), signer, now, CERTIFICATE_DAYS);
    pairs.set(certificate.secret, { key: pem(privateKey), cert });
  }
  return pairs;
}

function leafExtensions({ usages, names, addresses }: Certificate, { keyId }: Signer): readonly Buffer[] {
  const hosts = [...names.map((name) => implicit(2, Buffer.from(name))), ...addresses.map((address) => implicit(7, addressBytes(address)))];
  return [
    basicConstraints(false),
    keyUsage(0b10100000),
    extension(OID.authorityKeyId, sequence(implicit(0, keyId))),
    ...(usages.length > 0
      ? [extension(OID.extendedKeyUsage, sequence(...usages.map((usage) => objectId(EXTENDED_KEY_USAGE[usage]))))]
      : []),
    ...(hosts.length > 0 ? [extension(OID.alternativeNames, sequence(...hosts))] : []),
  ];
}

function signed(subject: Subject, publicKey: KeyObject, extensions: readonly Buffer[], by: Signer, now: Date, days: number): string {
  const algorithm = sequence(objectId(OID.ecdsaWithSha256));
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40; // positive, and never shorter than its length says
  const validity = sequence(time(new Date(now.getTime() - DAY_MS)), time(new Date(now.getTime() + days * DAY_MS)));
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))), // version 3
    integer(serial),
    algorithm,
    distinguishedName(by.subject),
    validity,
    distinguishedName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions)),
  );
  const der = sequence(body, algorithm, bits(sign('sha256', body, by.key)));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** Go, and so HyperShift, puts several organisations into one part of the name. */
function distinguishedName({ commonName, organizations = [], unit }: Subject): Buffer {
  const attribute = (oid: string, value: string) => sequence(objectId(oid), text(value));
  const parts = [
    organizations.map((name) => attribute(OID.organization, name)),
    unit ? [attribute(OID.unit, unit)] : [],
    [attribute(OID.commonName, commonName)],
  ];
  // DER sorts the members of a set.
  return sequence(...parts.filter((part) => part.length > 0).map((part) => setOf(...part.toSorted((a, b) => Buffer.compare(a, b)))));
}

const extension = (oid: string, content: Buffer, critical = false) =>
  sequence(objectId(oid), ...(critical ? [boolean(true)] : []), octets(content));
const basicConstraints = (ca: boolean) => extension(OID.basicConstraints, sequence(...(ca ? [boolean(true)] : [])), true);

/** Bit 0 (the highest) is digitalSignature, 2 keyEncipherment, 5 keyCertSign. */
function keyUsage(flags: number): Buffer {
  const unused = 31 - Math.clz32(flags & -flags);
  return extension(OID.keyUsage, bits(Buffer.from([flags]), unused), true);
}

const keyIdOf = (key: KeyObject) =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
