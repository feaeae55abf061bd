/** The webhooks as a part of the operator: serves from the first certificate on, and follows it as it is renewed. Leading or not. */
import { type Clock, pause } from '../../kube/clock.ts';
import { toError } from '../../kube/errors.ts';
import type { Runnable } from '../../kube/manager.ts';
import type { Logger } from '../../kube/telemetry.ts';
import { type Certificate, type CertificateSource, expiryOf } from './certificate.ts';
import { WEBHOOK_PORT } from './configurations.ts';
import type { HubKnowledge } from './hub-knowledge.ts';
import type { WebhookMetrics } from './metrics.ts';
import { routes } from './router.ts';
import { WebhookServer } from './server.ts';

export interface WebhooksOptions {
  readonly hub: HubKnowledge;
  readonly source: CertificateSource;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: WebhookMetrics;
  readonly port?: number;
  readonly host?: string;
  /** How often the source is asked for something newer. */
  readonly lookEveryMs?: number;
}

/** Kubelet itself takes up to a minute or two to renew a mounted Secret, and all renewals come weeks before they are needed. */
const LOOK_EVERY_MS = 60_000;
const TRY_AGAIN_MS = 5_000;

export class Webhooks implements Runnable {
  readonly name = 'webhooks';
  readonly #options: WebhooksOptions;
  #server: WebhookServer | undefined;
  #shown: Certificate | undefined;

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  /** The port that it listens on; undefined while it does not serve. For readiness, and for who asked for any port. */
  get port(): number | undefined {
    return this.#server?.port;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, lookEveryMs = LOOK_EVERY_MS } = this.#options;
    try {
      while (!signal.aborted) {
        const looked = await this.#look(signal);
        await pause(clock, looked ? lookEveryMs : TRY_AGAIN_MS, signal);
      }
    } finally {
      const server = this.#server;
      this.#server = undefined;
      await server?.close();
    }
  }

  /** False when there was no telling which certificate is right; whatever is shown stays. */
  async #look(signal: AbortSignal): Promise<boolean> {
    const { source, log } = this.#options;
    let certificate: Certificate | undefined;
    try {
      certificate = await source.current(signal);
    } catch (error) {
      if (!signal.aborted) log.warn({ err: toError(error), source: source.name }, 'the certificate of the webhooks cannot be had');
    }
    if (certificate === undefined) return false;
    if (certificate !== this.#shown) await this.#show(certificate);
    return true;
  }

  async #show(certificate: Certificate): Promise<void> {
    const { hub, source, log, metrics, clock, port = WEBHOOK_PORT, host } = this.#options;
    const expiry = expiryOf(certificate);
    if (this.#server) this.#server.use(certificate);
    else {
      const server = new WebhookServer(
        { route: routes(hub, log), port, clock, log, metrics, ...(host === undefined ? {} : { host }) },
        certificate,
      );
      await server.listen();
      this.#server = server;
    }
    this.#shown = certificate;
    metrics.certificate(expiry);
    log.info(
      { source: source.name, expires: new Date(expiry * 1000).toISOString(), port: this.port },
      'the webhooks show this certificate',
    );
  }
}
