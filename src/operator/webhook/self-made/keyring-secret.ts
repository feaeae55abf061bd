/** The keyring as a Secret: how it is written down, and read back whatever somebody did to it. */

import type { KeyPair } from './issue.ts';
import type { Keyring } from './keyring.ts';
import { trusted } from './keyring.ts';

export interface KeyringSecret {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly type: 'kubernetes.io/tls';
  readonly data?: Readonly<Record<string, string>>;
}

export function encode(keyring: Keyring): Readonly<Record<string, string>> {
  const { leaf, authority, next, retired } = keyring;
  const texts = {
    // The three names that every tool knows.
    'tls.crt': leaf.cert,
    'tls.key': leaf.key,
    'ca.crt': trusted(keyring),
    'authority.crt': authority.cert,
    'authority.key': authority.key,
    ...(next ? { 'next.crt': next.cert, 'next.key': next.key } : {}),
    ...(retired.length > 0 ? { 'retired.crt': retired.join('') } : {}),
  };
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString('base64')]));
}

/** Undefined when something that is needed is missing; what is there but wrong is for `due` to find out. */
export function decode(data: KeyringSecret['data'] = {}): Keyring | undefined {
  const text = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString('utf8');
  const pair = (name: string): KeyPair | undefined => {
    const [cert, key] = [text(`${name}.crt`), text(`${name}.key`)];
    return cert === '' || key === '' ? undefined : { cert, key };
  };
  const [leaf, authority, next] = [pair('tls'), pair('authority'), pair('next')];
  if (leaf === undefined || authority === undefined) return undefined;
  return { leaf, authority, ...(next ? { next } : {}), retired: text('retired.crt').match(ONE_CERTIFICATE) ?? [] };
}

const ONE_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g;
