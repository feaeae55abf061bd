/**
 * The certificates that we make ourselves, and when each is replaced. The leaf is short-lived and renewed under the same authority, which
 * nobody notices. An authority is replaced in two steps, because API servers hear of a new caBundle at their own pace: first it is trusted
 * beside the old one, and a day later the leaf is signed by it. Nobody is ever shown a leaf that he cannot verify.
 */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { issue, type KeyPair, makeAuthority, type Validity } from './issue.ts';

export interface Keyring {
  /** Signs the leaf. */
  readonly authority: KeyPair;
  /** Trusted already, will sign next. */
  readonly next?: KeyPair;
  /** Certificates that signed before: another replica may still show a leaf of theirs. */
  readonly retired: readonly string[];
  readonly leaf: KeyPair;
}

export type Step = 'make all' | 'add an authority' | 'promote the next authority' | 'renew the leaf';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const AUTHORITY_LIFE = 5 * 365 * DAY;
const AUTHORITY_LEFT = 365 * DAY;
const LEAF_LIFE = 90 * DAY;
const LEAF_LEFT = 30 * DAY;
/** How long an authority is trusted before it signs. */
const SOAK = DAY;
/** For verifiers whose clock is behind. */
const SKEW = HOUR;

/** The next thing to do, or undefined when all is well for now. */
export function due(keyring: Keyring | undefined, names: readonly string[], now: number): Step | undefined {
  if (keyring === undefined) return 'make all';
  const authority = read(keyring.authority);
  const leaf = read(keyring.leaf);
  const next = keyring.next && read(keyring.next);
  // Somebody wrote into the Secret, or an outage outlasted the authority: there is nothing left to be gentle with.
  if (authority === undefined || leaf === undefined || until(authority) <= now) return 'make all';
  if (keyring.next !== undefined && next === undefined) return 'add an authority';
  if (next !== undefined && now - next.validFromDate.getTime() - SKEW >= SOAK) return 'promote the next authority';
  if (next === undefined && until(authority) - now < AUTHORITY_LEFT) return 'add an authority';
  const serves = names.every((name) => (isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) !== undefined);
  if (!serves || until(leaf) - now < LEAF_LEFT || !leaf.checkIssued(authority)) return 'renew the leaf';
  return undefined;
}

export async function take(step: Step, keyring: Keyring | undefined, names: readonly string[], now: number): Promise<Keyring> {
  if (step === 'make all' || keyring === undefined) {
    const authority = await newAuthority(now);
    return { authority, retired: [], leaf: await newLeaf(authority, names, now) };
  }
  const { authority, next } = keyring;
  const retired = keyring.retired.filter((cert) => until(new X509Certificate(cert)) > now);
  if (step === 'add an authority') return { ...keyring, retired, next: await newAuthority(now) };
  if (step === 'promote the next authority' && next !== undefined) {
    return { authority: next, retired: [...retired, authority.cert], leaf: await newLeaf(next, names, now) };
  }
  return { ...keyring, retired, leaf: await newLeaf(authority, names, now) };
}

/** What clients must trust, oldest last; PEM. */
export const trusted = ({ authority, next, retired }: Keyring): string =>
  [...(next ? [next.cert] : []), authority.cert, ...retired].join('');

const until = (certificate: X509Certificate): number => certificate.validToDate.getTime();

function read({ cert, key }: KeyPair): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(cert);
    return key.includes('PRIVATE KEY') ? certificate : undefined;
  } catch {
    return undefined;
  }
}

/** The date makes it another name: two authorities of one name and two keys confuse whoever builds a chain. */
const newAuthority = (now: number): Promise<KeyPair> =>
  makeAuthority(`hcpio webhook authority ${new Date(now).toISOString()}`, lasting(now, AUTHORITY_LIFE));

const newLeaf = (authority: KeyPair, names: readonly string[], now: number): Promise<KeyPair> =>
  issue(authority, names, lasting(now, LEAF_LIFE));

const lasting = (now: number, life: number): Validity => ({ notBefore: new Date(now - SKEW), notAfter: new Date(now + life) });
