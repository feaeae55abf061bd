/** The certificate that somebody else makes and renews (service-ca, cert-manager): a Secret, mounted as files. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import type { ReadFile } from '../../kube/connection.ts';
import { ConfigError } from '../../kube/errors.ts';
import type { Certificate, CertificateSource } from './certificate.ts';

export class MountedCertificate implements CertificateSource {
  readonly name: string;
  readonly #directory: string;
  readonly #readFile: ReadFile;
  #last: Certificate | undefined;

  constructor(directory: string, readFile: ReadFile) {
    this.name = `mounted at ${directory}`;
    this.#directory = directory;
    this.#readFile = readFile;
  }

  async current(signal: AbortSignal): Promise<Certificate> {
    const [cert, key] = await Promise.all([this.#read('tls.crt', signal), this.#read('tls.key', signal)]);
    if (this.#last?.cert === cert && this.#last.key === key) return this.#last;
    // Kubelet swaps all files of a Secret at once, but we read two of them: the key of one and the certificate of the other is no pair.
    if (!fits({ cert, key }))
      throw new ConfigError(`tls.crt and tls.key in ${this.#directory} are no pair; waiting for both to be renewed`);
    this.#last = { cert, key };
    return this.#last;
  }

  async #read(file: string, signal: AbortSignal): Promise<string> {
    const path = join(this.#directory, file);
    return this.#readFile(path, signal).catch((cause: unknown) => {
      throw new ConfigError(`${path} cannot be read; is the Secret of the webhook's certificate mounted?`, { cause });
    });
  }
}

function fits({ cert, key }: Certificate): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
