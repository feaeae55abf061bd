/**
 * Whom the clients of a control plane trust, and where HyperShift writes it down. Of ignition's authority there is only the Secret, key and
 * all: its name is the only one that is ever asked for, and the certificate all that is kept of it.
 */
export interface Authorities {
  /** PEM; absent until HyperShift has written it. */
  readonly root?: string;
  readonly konnectivity?: string;
  readonly ignition?: string;
}

export interface AuthoritySource {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  readonly key: string;
}

export const AUTHORITY_SOURCES: Readonly<Record<keyof Authorities, AuthoritySource>> = {
  root: { kind: 'ConfigMap', name: 'root-ca', key: 'ca.crt' },
  konnectivity: { kind: 'ConfigMap', name: 'konnectivity-ca-bundle', key: 'ca.crt' },
  ignition: { kind: 'Secret', name: 'ignition-server-ca-cert', key: 'tls.crt' },
};
