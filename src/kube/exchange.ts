/** One HTTP request and its answer, with a deadline and an abort; nothing of Kubernetes yet. */
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createSecureContext, TLSSocket } from 'node:tls';
import { createGunzip } from 'node:zlib';
import { type Clock, onAbort } from './clock.ts';
import type { Connection, Headers, TlsMaterial } from './connection.ts';
import { NetworkError } from './errors.ts';

export interface Exchange {
  /** How the request is called in errors: method and path, without the query. */
  readonly name: string;
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | undefined;
  readonly agent: http.Agent;
  readonly clock: Clock;
  /** Until the answer's head when it is streamed, until its end when it is read. */
  readonly timeoutMs: number;
  /** Asked in the moment before the first byte; what it throws is the answer. */
  readonly mayLeave?: () => void;
}

export interface Answer {
  readonly code: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

/** Sends and reads the answer to its end. */
export async function exchange(spec: Exchange, signal: AbortSignal): Promise<Answer> {
  const open = new OpenExchange(spec, signal);
  try {
    const response = await open.head();
    return { code: response.statusCode ?? 0, headers: response.headers, text: await bodyText(response) };
  } catch (error) {
    throw open.failure(error, signal);
  } finally {
    open.release();
  }
}

/** Sends and gives the answer when its head is there; the body ends with `signal`, whose reason is then its error. */
export async function openStream(spec: Exchange, signal: AbortSignal): Promise<http.IncomingMessage> {
  const open = new OpenExchange(spec, signal);
  try {
    const response = await open.head();
    open.disarm();
    // Released when the stream closes: until then an abort must still reach it.
    response.once('close', () => open.release());
    return response;
  } catch (error) {
    open.release();
    throw open.failure(error, signal);
  }
}

export function bodyText(response: http.IncomingMessage): Promise<string> {
  return text(response.headers['content-encoding'] === 'gzip' ? pipeline(response, createGunzip(), () => {}) : response);
}

class OpenExchange {
  readonly #spec: Exchange;
  readonly #request: http.ClientRequest;
  readonly #unsubscribe: () => void;
  readonly #cancelDeadline: () => void;
  #response: http.IncomingMessage | undefined;
  #connected = false;
  #timedOut = false;
  #forbidden: { readonly reason: unknown } | undefined;

  constructor(spec: Exchange, signal: AbortSignal) {
    this.#spec = spec;
    const { request } = spec.url.protocol === 'http:' ? http : https;
    this.#request = request(spec.url, { method: spec.method, headers: spec.headers as http.OutgoingHttpHeaders, agent: spec.agent });
    this.#request.on('socket', (socket) => {
      this.#watchConnect(socket);
      this.#ask();
    });
    // A late error (the socket dies after we have given up) must not become an uncaught exception.
    this.#request.on('error', () => {});
    this.#unsubscribe = onAbort(signal, () => this.#destroy());
    this.#cancelDeadline = spec.clock.after(spec.timeoutMs, () => {
      this.#timedOut = true;
      this.#destroy();
    });
  }

  head(): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      this.#request.once('response', (response) => {
        this.#response = response;
        resolve(response);
      });
      this.#request.once('error', reject);
      this.#request.end(this.#spec.body);
    });
  }

  disarm(): void {
    this.#cancelDeadline();
  }

  release(): void {
    this.#cancelDeadline();
    this.#unsubscribe();
  }

  failure(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    if (this.#forbidden) return this.#forbidden.reason;
    if (this.#timedOut) return new NetworkError(this.#spec.name, 'TIMEOUT', this.#connected);
    const code = (error as NodeJS.ErrnoException | undefined)?.code ?? 'UNKNOWN';
    return new NetworkError(this.#spec.name, code, this.#connected, error);
  }

  /** What failed before the connection stood was never sent, and may be sent again whatever it is. */
  #watchConnect(socket: Socket): void {
    const connected = () => {
      this.#connected = true;
    };
    if (socket.connecting) socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', connected);
    else connected();
  }

  /** Here and not when the request is made: until it gets a connection it waits in the agent's queue. */
  #ask(): void {
    try {
      this.#spec.mayLeave?.();
    } catch (reason) {
      this.#forbidden = { reason };
      this.#destroy();
    }
  }

  #destroy(): void {
    this.#request.destroy(new Error('given up'));
    this.#response?.destroy(new Error('given up'));
  }
}

/** Half of the time after which the API server closes an idle connection (90 s), so that we rarely write into a closing one. */
const IDLE_SOCKET_MS = 45_000;
const TCP_KEEPALIVE_MS = 15_000;

export function agentFor(connection: Connection, tls: TlsMaterial, maxSockets: number): http.Agent {
  const { server, proxyUrl } = connection;
  const common = {
    keepAlive: true,
    keepAliveMsecs: TCP_KEEPALIVE_MS,
    maxSockets,
    maxFreeSockets: Math.min(maxSockets, 64),
    timeout: IDLE_SOCKET_MS,
    ...(proxyUrl ? { proxyEnv: { HTTPS_PROXY: proxyUrl, HTTP_PROXY: proxyUrl } } : {}),
  };
  if (server.protocol === 'http:') return new http.Agent(common);
  return new https.Agent({
    ...common,
    // One for all connections: each would make its own out of the same material, and keep it.
    secureContext: createSecureContext({
      ...(tls.ca ? { ca: tls.ca } : {}),
      ...(tls.cert && tls.key ? { cert: tls.cert, key: tls.key } : {}),
    }),
    ...(tls.servername ? { servername: tls.servername } : {}),
    ...(tls.insecureSkipVerify ? { rejectUnauthorized: false } : {}),
  });
}
