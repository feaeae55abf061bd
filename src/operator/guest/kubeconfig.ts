/** The kubeconfig that HyperShift writes for those who reach a hosted API server from inside the hub. */
import type { Connection, TlsMaterial } from '../../kube/connection.ts';

/** In the control-plane namespace. The only Secret of a tenant that is ever read, and by its name. */
export const GUEST_KUBECONFIG = 'service-network-admin-kubeconfig';

/** A name that every certificate of a hosted API server has, whatever address leads there. */
const SERVER_NAME = 'kube-apiserver';

/**
 * Three values, each base64 on one line, in YAML or JSON. Read by their names and not with a YAML parser, which weighs more than the
 * rest of the operator. Undefined: this is no kubeconfig with a certificate.
 */
export function readGuestKubeconfig(text: string): TlsMaterial | undefined {
  const value = (name: string): string | undefined => {
    const found = new RegExp(`"?${name}"?:\\s*"?([A-Za-z0-9+/]+={0,2})`).exec(text)?.[1];
    return found && Buffer.from(found, 'base64').toString();
  };
  const [ca, cert, key] = [value('certificate-authority-data'), value('client-certificate-data'), value('client-key-data')];
  return ca && cert && key ? { ca, cert, key, servername: SERVER_NAME } : undefined;
}

/** By the Service's address: the operator's own resolver plays no part. */
export const guestConnection = (address: string, port: number, tls: TlsMaterial): Connection => ({
  server: new URL(`https://${address.includes(':') ? `[${address}]` : address}:${port}`),
  credentials: () => Promise.resolve({ headers: {}, tls }),
  invalidate() {},
});
