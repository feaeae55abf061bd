/** What the server shows, and where it comes from. */
import { X509Certificate } from 'node:crypto';

export interface Certificate {
  /** PEM: the leaf first, then whatever stands between it and the root. */
  readonly cert: string;
  readonly key: string;
}

/** Gives the certificate that is right now; asked again from time to time, because they are replaced before they expire. */
export interface CertificateSource {
  readonly name: string;
  /** Undefined while there is none to show. The same object as before when nothing changed. */
  current(signal: AbortSignal): Promise<Certificate | undefined>;
}

/** Seconds since the epoch, as Prometheus wants times. */
export const expiryOf = ({ cert }: Certificate): number => Math.floor(new X509Certificate(cert).validToDate.getTime() / 1000);
