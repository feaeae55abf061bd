/**
 * Requests to one API server: credentials, rate limit, retries, metrics.
 * Requests and streams have separate connection pools, so that a hundred watches never starve a write,
 * and urgent requests (lease renewals) queue behind nothing at all.
 */
import type { Agent, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Clock, type Random, sleep, systemClock } from './clock.ts';
import { type Connection, type Credentials, type TlsMaterial, TlsMemo } from './connection.ts';
import { ApiError, type ApiStatus, isUnauthorized, NetworkError } from './errors.ts';
import { agentFor, bodyText, type Exchange, exchange, openStream } from './exchange.ts';
import { type Rate, TokenBucket } from './rate-limit.ts';
import { DEFAULT_RETRY, type RetryPolicy, retryDelay } from './retry.ts';
import { type Logger, type Metrics, noMetrics, silentLogger } from './telemetry.ts';

/** A list is sent as repeated parameters. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** May it happen twice? GET may; a server-side apply may; a create may not. */
  readonly idempotent?: boolean;
  readonly maxRetries?: number;
  readonly timeoutMs?: number;
  /** Past the rate limit and the connection limit: for the few requests that keep the process alive. */
  readonly urgent?: boolean;
  /** Let the server compress the answer: worth its CPU for large lists only. */
  readonly compressed?: boolean;
}

export interface ApiResponse<T> {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: T;
}

export interface TransportOptions {
  readonly connection: Connection;
  readonly userAgent: string;
  /** Undefined: no limit of our own, the server's priority and fairness decides. */
  readonly rate?: Rate;
  /** Requests on the wire at once, streams and urgent ones not counted. */
  readonly maxInFlight?: number;
  readonly timeoutMs?: number;
  readonly retry?: RetryPolicy;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  readonly metrics?: Metrics;
}

interface Agents {
  readonly tls: TlsMaterial;
  readonly requests: Agent;
  readonly streams: Agent;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_IN_FLIGHT = 32;

export class Transport {
  readonly clock: Clock;
  readonly random: Random;
  readonly #options: TransportOptions;
  readonly #log: Logger;
  readonly #metrics: Metrics;
  readonly #retry: RetryPolicy;
  #bucket: TokenBucket | undefined;
  /** Shared with those that are guarded: one way to the server, whoever takes it. */
  #shared: { readonly tls: TlsMemo; agents: Agents | undefined } = { tls: new TlsMemo(), agents: undefined };
  #mayWrite: () => void = () => {};

  constructor(options: TransportOptions) {
    this.#options = options;
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? Math.random;
    this.#log = options.log ?? silentLogger;
    this.#metrics = options.metrics ?? noMetrics;
    this.#retry = options.retry ?? DEFAULT_RETRY;
    this.#bucket = options.rate && new TokenBucket(options.rate, this.clock);
  }

  /**
   * The same way to the same server, but a write leaves it only if `mayWrite` does not throw in that very moment: a process that was
   * frozen wakes up with requests in its queues, and its timers are the last to hear of it. Close the original, not this.
   */
  guarded(mayWrite: () => void): Transport {
    const guarded = new Transport({ ...this.#options, clock: this.clock, random: this.random });
    guarded.#shared = this.#shared;
    guarded.#bucket = this.#bucket;
    guarded.#mayWrite = mayWrite;
    return guarded;
  }

  /** Sends a request until it is answered or not worth repeating. Throws ApiError, NetworkError, or the signal's reason. */
  async request<T = unknown>(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse<T>> {
    const method = request.method ?? 'GET';
    const idempotent = request.idempotent ?? method === 'GET';
    const policy = request.maxRetries === undefined ? this.#retry : { ...this.#retry, maxRetries: request.maxRetries };
    for (let retries = 0; ; retries += 1) {
      try {
        return await this.#throttled(request, signal, () => this.#once<T>(request, signal));
      } catch (error) {
        const wait = signal.aborted ? undefined : retryDelay(error, retries, idempotent, policy, this.random);
        if (wait === undefined) throw error;
        const code = codeOf(error);
        this.#metrics.count('rest_client_request_retries_total', { code, verb: method, host: this.#host });
        this.#log.debug({ method, path: request.path, code, waitMs: Math.round(wait) }, 'request will be sent again');
        await sleep(this.clock, wait, signal);
      }
    }
  }

  /** Opens an answer that does not end by itself (a watch). Not retried: whoever streams has a better plan. */
  async stream(request: ApiRequest, signal: AbortSignal): Promise<IncomingMessage> {
    return this.#authorized(async (credentials) => {
      const spec = this.#exchange(request, credentials, 'streams');
      const response = await this.#measured(
        spec,
        () => openStream(spec, signal),
        (answer) => answer.statusCode ?? 0,
      );
      const code = response.statusCode ?? 0;
      if (code < 400) return response;
      throw apiError(spec.name, code, response.headers, await bodyText(response).catch(() => ''));
    }, signal);
  }

  /** Opens something that is no answer any more (a WebSocket): `open` is given where, as whom and over which connections. */
  async upgrade<T>(request: ApiRequest, open: (spec: Exchange) => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#authorized((credentials) => open(this.#exchange(request, credentials, 'streams')), signal);
  }

  /** Closes the idle and the open connections. */
  close(): void {
    this.#shared.agents?.requests.destroy();
    this.#shared.agents?.streams.destroy();
    this.#shared.agents = undefined;
  }

  get #host(): string {
    return this.#options.connection.server.host;
  }

  async #throttled<T>(request: ApiRequest, signal: AbortSignal, send: () => Promise<T>): Promise<T> {
    const wait = request.urgent ? 0 : (this.#bucket?.reserve() ?? 0);
    if (wait > 0) {
      await sleep(this.clock, wait, signal);
      this.#metrics.observe('rest_client_rate_limiter_duration_seconds', { verb: request.method ?? 'GET', host: this.#host }, wait / 1000);
    }
    return send();
  }

  #once<T>(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse<T>> {
    return this.#authorized(async (credentials) => {
      const spec = this.#exchange(request, credentials, request.urgent ? 'streams' : 'requests');
      const answer = await this.#measured(
        spec,
        () => exchange(spec, signal),
        (done) => done.code,
      );
      if (answer.code >= 400) throw apiError(spec.name, answer.code, answer.headers, answer.text);
      return { code: answer.code, headers: answer.headers, body: parseBody(spec.name, answer.headers, answer.text) as T };
    }, signal);
  }

  /** On 401, and when the server's certificate does not fit the CA, the credentials are read again and it is tried once more. */
  async #authorized<T>(send: (credentials: Credentials) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { connection } = this.#options;
    const credentials = await this.#credentials(signal);
    try {
      return await send(credentials);
    } catch (error) {
      if (!isUnauthorized(error) && !isCertificateError(error)) throw error;
      connection.invalidate();
      const renewed = await this.#credentials(signal);
      const changed = renewed.tls !== credentials.tls || renewed.headers['authorization'] !== credentials.headers['authorization'];
      if (!changed) throw error;
      return send(renewed);
    }
  }

  async #credentials(signal: AbortSignal): Promise<Credentials> {
    const { headers, tls } = await this.#options.connection.credentials(signal);
    return { headers, tls: this.#shared.tls.settle(tls) };
  }

  async #measured<T>(spec: Exchange, send: () => Promise<T>, code: (answer: T) => number): Promise<T> {
    const start = this.clock.monotonic();
    const done = (result: string) => {
      this.#metrics.count('rest_client_requests_total', { code: result, method: spec.method, host: this.#host });
      const seconds = (this.clock.monotonic() - start) / 1000;
      this.#metrics.observe('rest_client_request_duration_seconds', { verb: spec.method, host: this.#host }, seconds);
    };
    try {
      const answer = await send();
      done(String(code(answer)));
      return answer;
    } catch (error) {
      // client-go's label for a request that was never answered.
      done('<error>');
      throw error;
    }
  }

  #exchange(request: ApiRequest, credentials: Credentials, pool: 'requests' | 'streams'): Exchange {
    const { connection, userAgent } = this.#options;
    const method = request.method ?? 'GET';
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    return {
      name: `${method} ${request.path}`,
      url: urlOf(connection.server, request.path, request.query),
      method,
      headers: {
        ...credentials.headers,
        accept: request.accept ?? 'application/json',
        'user-agent': userAgent,
        ...(request.compressed ? { 'accept-encoding': 'gzip' } : {}),
        ...(body === undefined
          ? {}
          : { 'content-type': request.contentType ?? 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      },
      body,
      agent: this.#agentsFor(credentials.tls)[pool],
      clock: this.clock,
      timeoutMs: request.timeoutMs ?? this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      ...(method === 'GET' ? {} : { mayLeave: this.#mayWrite }),
    };
  }

  /** New TLS material gets new connections; those of the old agents end by themselves, busy ones are not cut. */
  #agentsFor(tls: TlsMaterial): Agents {
    if (this.#shared.agents?.tls !== tls) {
      const { connection, maxInFlight = DEFAULT_IN_FLIGHT } = this.#options;
      const requests = agentFor(connection, tls, maxInFlight);
      const streams = agentFor(connection, tls, Number.POSITIVE_INFINITY);
      this.#shared.agents = { tls, requests, streams };
    }
    return this.#shared.agents;
  }
}

function urlOf(server: URL, path: string, query: Query = {}): URL {
  const url = new URL(server);
  // A server URL may have a path of its own (Rancher and other proxies).
  url.pathname = server.pathname.replace(/\/$/, '') + path;
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const each of value) url.searchParams.append(name, each);
    else if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

function parseBody(name: string, headers: IncomingHttpHeaders, text: string): unknown {
  if (!headers['content-type']?.includes('json')) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new NetworkError(name, 'UNREADABLE', true, error);
  }
}

export function apiError(name: string, code: number, headers: IncomingHttpHeaders, text: string): ApiError {
  let status: ApiStatus = {};
  try {
    const parsed = JSON.parse(text) as ApiStatus | null;
    if (parsed?.kind === 'Status') status = parsed;
  } catch {
    // Not ours: a proxy's page, or a handler that answers in plain text. The first line is the best we have.
  }
  const message = status.message ?? (text.split('\n', 1)[0]?.slice(0, 200) || undefined);
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return new ApiError(name, code, { ...status, ...(message ? { message } : {}) }, Number.isFinite(seconds) ? seconds * 1000 : undefined);
}

function codeOf(error: unknown): string {
  return error instanceof ApiError ? String(error.code) : error instanceof NetworkError ? error.code : '<error>';
}

function isCertificateError(error: unknown): boolean {
  return error instanceof NetworkError && /CERT|SIGNATURE|ALTNAME/.test(error.code);
}
