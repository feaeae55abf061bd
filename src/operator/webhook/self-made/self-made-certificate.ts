/**
 * The certificate where nobody else makes one: kept in a Secret, so that all replicas show leaves of one authority and a restart makes
 * nothing. No leader is needed: whoever finds it due writes it under an optimistic lock, and who loses reads again.
 */
import type { Client } from '../../../kube/client.ts';
import type { Clock } from '../../../kube/clock.ts';
import { isAlreadyExists, isConflict } from '../../../kube/errors.ts';
import type { Resource } from '../../../kube/object.ts';
import type { Logger } from '../../../kube/telemetry.ts';
import { may, type PolicyRule } from '../../rbac.ts';
import type { Certificate, CertificateSource } from '../certificate.ts';
import { trust } from './ca-bundle.ts';
import { due, type Keyring, take, trusted } from './keyring.ts';
import { decode, encode, type KeyringSecret } from './keyring-secret.ts';

export const SECRET_NAME = 'hcpio-webhook-certificate';
const SECRET: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true };

/** In the operator's own namespace. */
export const secretRules: readonly PolicyRule[] = [may(['get', 'update'], SECRET, { names: [SECRET_NAME] }), may(['create'], SECRET)];

export interface SelfMadeOptions {
  readonly client: Client;
  readonly namespace: string;
  /** DNS names (or addresses) under which the API server calls; the first is the common name. */
  readonly names: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** Losing this often in a row is not a race any more. */
const ATTEMPTS = 5;

export class SelfMadeCertificate implements CertificateSource {
  readonly name = 'self-made';
  readonly #options: SelfMadeOptions;
  #shown: Certificate | undefined;

  constructor(options: SelfMadeOptions) {
    this.#options = options;
  }

  async current(signal: AbortSignal): Promise<Certificate> {
    const { client, log } = this.#options;
    const keyring = await this.#keyring(signal);
    // Before the leaf is shown: it may be the first of its authority.
    await trust(client, trusted(keyring), log, signal);
    const { leaf } = keyring;
    if (this.#shown?.cert !== leaf.cert) this.#shown = leaf;
    return this.#shown ?? leaf;
  }

  async #keyring(signal: AbortSignal): Promise<Keyring> {
    const { client, namespace, names, clock, log } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const secret = await client.find<KeyringSecret>(SECRET, { namespace, name: SECRET_NAME }, signal);
      const found = decode(secret?.data);
      let keyring = found;
      for (let step = due(keyring, names, clock.now()); step !== undefined; step = due(keyring, names, clock.now())) {
        log.info({ step, secret: `${namespace}/${SECRET_NAME}` }, 'the certificate of the webhooks is due');
        keyring = await take(step, keyring, names, clock.now());
      }
      if (keyring === undefined) throw new TypeError('unreachable: without a keyring everything is due');
      if (keyring === found) return keyring;
      try {
        await this.#write(secret, keyring, signal);
        return keyring;
      } catch (error) {
        if (attempt === ATTEMPTS || !(isConflict(error) || isAlreadyExists(error))) throw error;
      }
    }
  }

  async #write(secret: KeyringSecret | undefined, keyring: Keyring, signal: AbortSignal): Promise<void> {
    const { client, namespace } = this.#options;
    const data = encode(keyring);
    if (secret !== undefined) {
      const renewed: KeyringSecret = { ...secret, data };
      await client.replace(SECRET, renewed, signal);
      return;
    }
    const made: KeyringSecret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: SECRET_NAME, namespace, labels: { 'app.kubernetes.io/part-of': 'hcpio' } },
      type: 'kubernetes.io/tls',
      data,
    };
    await client.create(SECRET, made, signal);
  }
}
