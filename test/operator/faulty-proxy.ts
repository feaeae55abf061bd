/**
 * Stands between the operator and a real API server and does what bad networks and busy servers do. In plain HTTP towards the operator, so
 * that it can break answers in the middle; what it does not break it passes on as it is.
 */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';

/** What can happen to a request: it is not let through, or its answer is lost. To a watch: it is refused, cut, or falls silent. */
const REQUEST_FAULTS = ['reset', 'answerLost', 'tooManyRequests', 'serverError'] as const;
const WATCH_FAULTS = ['reset', 'tooManyRequests', 'serverError', 'gone', 'goneLater', 'truncated', 'stalled'] as const;
export type Fault = (typeof REQUEST_FAULTS)[number] | (typeof WATCH_FAULTS)[number];

export interface FaultyProxyOptions {
  readonly server: { readonly url: string; readonly ca: string };
  readonly random: () => number;
}

const REFUSALS = {
  tooManyRequests: { code: 429, reason: 'TooManyRequests', headers: { 'retry-after': '1' } },
  serverError: { code: 500, reason: 'InternalError', headers: {} },
  gone: { code: 410, reason: 'Expired', headers: {} },
} as const;

export class FaultyProxy {
  /** How many of each were played. */
  readonly played = new Map<Fault, number>();
  /** Of every request, that something happens to it. */
  chance = { request: 0, watch: 0 };
  /** How many watches were let through, from the start. */
  opened = 0;
  readonly #watches = new Set<ServerResponse>();
  readonly #options: FaultyProxyOptions;
  readonly #agent: https.Agent;
  readonly #server: http.Server;

  private constructor(options: FaultyProxyOptions) {
    this.#options = options;
    this.#agent = new https.Agent({ ca: options.server.ca, keepAlive: true });
    this.#server = http.createServer((request, response) => this.#take(request, response));
  }

  static async start(options: FaultyProxyOptions): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(options);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await closed;
  }

  /** How many watches there are now. */
  get watches(): number {
    return this.#watches.size;
  }

  /** Ends all watches, as the API server does when their time is over, or because what they would go on from is too old. */
  endWatches(how: 'timeout' | 'gone'): void {
    for (const response of this.#watches) response.end(how === 'gone' ? gone() : undefined);
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const watch = isWatch(request);
    const fault = this.#choose(watch ? WATCH_FAULTS : REQUEST_FAULTS, watch ? this.chance.watch : this.chance.request);
    // What is yet to happen is counted when it does.
    if (fault !== undefined && !isLater(fault)) this.#count(fault);
    if (fault === 'reset') request.socket.resetAndDestroy();
    else if (fault === 'tooManyRequests' || fault === 'serverError' || fault === 'gone') refuse(response, fault);
    else this.#pass(request, response, fault);
  }

  #choose(faults: readonly Fault[], chance: number): Fault | undefined {
    const { random } = this.#options;
    if (random() >= chance) return undefined;
    return faults[Math.floor(random() * faults.length)];
  }

  #follow(response: ServerResponse): void {
    this.opened += 1;
    this.#watches.add(response);
    response.once('close', () => this.#watches.delete(response));
  }

  #count(fault: Fault): void {
    this.played.set(fault, (this.played.get(fault) ?? 0) + 1);
  }

  #pass(request: IncomingMessage, response: ServerResponse, fault: Fault | undefined): void {
    const { host: _, ...headers } = request.headers;
    const options = { method: request.method ?? 'GET', headers, agent: this.#agent };
    const upstream = https.request(new URL(request.url ?? '/', this.#options.server.url), options, (answer) => {
      if (fault === 'answerLost') {
        // Done, and nobody hears of it.
        answer.resume().once('end', () => request.socket.resetAndDestroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      if (isWatch(request) && answer.statusCode === 200) this.#follow(response);
      if (fault === undefined) answer.pipe(response);
      else this.#spoil(answer, response, fault);
    });
    upstream.on('error', () => request.socket.destroy());
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  }

  /** After a while in which all was well. */
  #spoil(answer: IncomingMessage, response: ServerResponse, fault: Fault): void {
    let left = Math.floor(this.#options.random() * 1_500);
    response.flushHeaders();
    answer.on('error', () => response.destroy());
    answer.on('data', (chunk: Buffer) => {
      if (left < 0) return;
      left -= chunk.length;
      if (left >= 0) {
        response.write(chunk);
        return;
      }
      this.#count(fault);
      if (fault === 'goneLater') response.end(gone());
      // In the middle of an event, as if that were all.
      else if (fault === 'truncated') response.end(chunk.subarray(0, Math.max(1, chunk.length + left)));
      // Stalled: the connection stays, and nothing comes any more.
    });
    answer.on('end', () => response.end());
  }
}

const isWatch = ({ url = '/' }: IncomingMessage): boolean => new URL(url, 'http://proxy').searchParams.get('watch') === 'true';

const gone = (): string => `${JSON.stringify({ type: 'ERROR', object: status('gone') })}\n`;

const isLater = (fault: Fault): boolean => ['goneLater', 'truncated', 'stalled'].includes(fault);

const status = (refusal: keyof typeof REFUSALS) => {
  const { code, reason } = REFUSALS[refusal];
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `played: ${reason}` };
};

function refuse(response: ServerResponse, refusal: keyof typeof REFUSALS): void {
  const { code, headers } = REFUSALS[refusal];
  response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(status(refusal)));
}
