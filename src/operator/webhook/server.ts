/** The HTTPS server of the webhooks. Its certificate can be changed while it serves: connections that are open keep the old one. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../kube/clock.ts';
import { toError } from '../../kube/errors.ts';
import type { Logger } from '../../kube/telemetry.ts';
import type { Certificate } from './certificate.ts';
import type { WebhookMetrics } from './metrics.ts';
import type { Reply, Route } from './router.ts';

export interface ServerOptions {
  readonly route: Route;
  readonly port: number;
  readonly host?: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: WebhookMetrics;
}

/** An object of the API server is at most 3 MiB in JSON, and an AdmissionReview holds two of them. */
const LARGEST_BODY = 8 << 20;
/** The API server gives up after `timeoutSeconds`; a client that is slower than this is none. */
const SLOWEST_REQUEST_MS = 15_000;

export class WebhookServer {
  readonly #options: ServerOptions;
  readonly #server: Server;

  constructor(options: ServerOptions, certificate: Certificate) {
    this.#options = options;
    this.#server = createServer({
      ...secureContext(certificate),
      requestTimeout: SLOWEST_REQUEST_MS,
      headersTimeout: SLOWEST_REQUEST_MS,
    });
    this.#server.on('request', (request, response) => void this.#answer(request, response));
    // Scanners and half-open probes: nothing to do about them, and not worth a crash.
    this.#server.on('tlsClientError', (error) => options.log.debug({ err: error }, 'a TLS handshake failed'));
  }

  async listen(): Promise<void> {
    this.#server.listen(this.#options.port, this.#options.host);
    await once(this.#server, 'listening');
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** For every handshake from now on. */
  use(certificate: Certificate): void {
    this.#server.setSecureContext(secureContext(certificate));
  }

  /** Takes no new connections and answers what was asked already. The API server keeps connections open, so idle ones are closed. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeIdleConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { route, clock, log, metrics } = this.#options;
    const started = clock.monotonic();
    const path = new URL(request.url ?? '/', 'https://webhook').pathname;
    let reply: Reply;
    try {
      const body = await bodyOf(request);
      reply = body === undefined ? { status: 413, body: `more than ${LARGEST_BODY} bytes` } : route(request.method ?? '', path, body);
    } catch (error) {
      log.debug({ err: toError(error), path }, 'the request broke off');
      response.destroy();
      return;
    }
    // A path that nobody serves is a stranger's word, and no stranger may make labels.
    if (reply.status !== 404) metrics.served(path, reply.status, (clock.monotonic() - started) / 1000);
    response.writeHead(reply.status, { 'content-type': reply.status === 200 ? 'application/json' : 'text/plain; charset=utf-8' });
    response.end(reply.body);
    // The rest of an oversized body must not be read as the next request.
    if (reply.status === 413) request.destroy();
  }
}

const secureContext = ({ cert, key }: Certificate) => ({ cert, key, minVersion: 'TLSv1.2' as const });

/** Undefined when it is larger than anything the API server sends. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
