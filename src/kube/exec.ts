/** Runs a command in a container and keeps what it said, over a WebSocket with the API's own subprotocol. */
import type { IncomingMessage } from 'node:http';
import WebSocket, { type RawData } from 'ws';
import { onAbort } from './clock.ts';
import { ApiError, type ApiStatus, NetworkError } from './errors.ts';
import { bodyText, type Exchange } from './exchange.ts';
import { resourcePath } from './object.ts';
import { apiError, type Transport } from './transport.ts';

export interface ExecOrder {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly [string, ...string[]];
  /** Until the command has ended. */
  readonly timeoutMs?: number;
}

export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const PODS = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
/** Newest first: 5 came with Kubernetes 1.30; what it added (closing the input) is not needed where there is no input. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
/** The first byte of every message says whose it is. */
const CHANNEL = { stdout: 1, stderr: 2, status: 3 } as const;
const DEFAULT_TIMEOUT_MS = 30_000;
/** Whoever runs a command to read its answer has no use for more, and a broken one must not fill our memory. */
const MOST_BYTES = 64 * 1024 * 1024;

/** A command that ends with another status than 0 is a result; ApiError and NetworkError are for commands that did not run to their end. */
export async function exec(transport: Transport, order: ExecOrder, signal: AbortSignal): Promise<ExecResult> {
  const { namespace, pod, container, command, timeoutMs = DEFAULT_TIMEOUT_MS } = order;
  const request = {
    path: resourcePath(PODS, namespace, pod, 'exec'),
    query: { container, command, stdout: true, stderr: true },
    // The handler speaks no JSON: asked for it, it answers 406 before it looks at the upgrade.
    accept: '*/*',
    timeoutMs,
  };
  return transport.upgrade(request, (spec) => new Session(spec, signal).result(), signal);
}

class Session {
  readonly #spec: Exchange;
  readonly #signal: AbortSignal;
  readonly #socket: WebSocket;
  readonly #said: Record<number, Buffer[]> = { [CHANNEL.stdout]: [], [CHANNEL.stderr]: [] };
  readonly #end = Promise.withResolvers<ExecResult>();
  #bytes = 0;
  #open = false;

  constructor(spec: Exchange, signal: AbortSignal) {
    this.#spec = spec;
    this.#signal = signal;
    // Repeated headers (the groups of an impersonation) go through as lists; the types of ws do not know them.
    const headers = spec.headers as Record<string, string>;
    this.#socket = new WebSocket(spec.url, PROTOCOLS, { agent: spec.agent, headers, maxPayload: MOST_BYTES, perMessageDeflate: false });
  }

  async result(): Promise<ExecResult> {
    const socket = this.#socket;
    socket.on('open', () => {
      this.#open = true;
    });
    socket.on('message', (data) => this.#message(data));
    socket.on('unexpected-response', (_request, response) => void this.#refused(response));
    socket.on('error', (error) => this.#fail((error as NodeJS.ErrnoException).code ?? 'UNKNOWN', error));
    socket.on('close', () => this.#fail('CLOSED', new Error('the connection ended before the command did')));
    const unsubscribe = onAbort(this.#signal, () => this.#end.reject(this.#signal.reason));
    const cancelDeadline = this.#spec.clock.after(this.#spec.timeoutMs, () => this.#fail('TIMEOUT'));
    try {
      return await this.#end.promise;
    } finally {
      cancelDeadline();
      unsubscribe();
      // Not a polite close: the answer is in, and the far side may never finish the handshake.
      socket.terminate();
    }
  }

  /** Only the first end counts; what comes after it has no meaning any more. */
  #fail(code: string, cause?: Error): void {
    this.#end.reject(new NetworkError(this.#spec.name, code, this.#open, cause));
  }

  async #refused(response: IncomingMessage): Promise<void> {
    const text = await bodyText(response).catch(() => '');
    this.#end.reject(apiError(this.#spec.name, response.statusCode ?? 0, response.headers, text));
  }

  #message(data: RawData): void {
    // ws gives Buffers unless it is told otherwise.
    const message = data as Buffer;
    const channel = message[0] ?? -1;
    const content = message.subarray(1);
    this.#bytes += content.length;
    if (channel === CHANNEL.status) this.#ended(content.toString());
    else if (this.#bytes > MOST_BYTES) this.#fail('TOO_LONG', new Error(`the command said more than ${MOST_BYTES} bytes`));
    else this.#said[channel]?.push(content);
  }

  #ended(text: string): void {
    const status = parsed(text);
    const exitCode = status?.status === 'Success' ? 0 : exitCodeOf(status);
    const said = (channel: number): string => Buffer.concat(this.#said[channel] ?? []).toString();
    if (status === undefined) this.#fail('UNREADABLE', new Error(`the end of the command is no Status: ${text.slice(0, 200)}`));
    else if (exitCode === undefined) this.#end.reject(new ApiError(this.#spec.name, status.code ?? 500, status));
    else this.#end.resolve({ exitCode, stdout: said(CHANNEL.stdout), stderr: said(CHANNEL.stderr) });
  }
}

function parsed(text: string): (ApiStatus & { readonly status?: string }) | undefined {
  try {
    return JSON.parse(text) as ApiStatus & { readonly status?: string };
  } catch {
    return undefined;
  }
}

/** Undefined when the command was not run at all: there is no such container, or no such file in it. */
function exitCodeOf(status: ApiStatus | undefined): number | undefined {
  if (status?.reason !== 'NonZeroExitCode') return undefined;
  const code = status.details?.causes?.find((cause) => cause.reason === 'ExitCode')?.message;
  return code === undefined ? undefined : Number(code);
}
