/**
 * An HTTP server that speaks the API's protocol (lists, pages, watches, optimistic locks) and can be told to misbehave.
 * It stands in for a real API server only where that cannot be made to fail on demand.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { systemClock } from '../clock.ts';
import type { Connection } from '../connection.ts';
import type { ApiStatus } from '../errors.ts';
import { keyOf, type ObjectMeta, type WireObject } from '../object.ts';
import { Transport, type TransportOptions } from '../transport.ts';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: unknown;
}

export type Fault = (response: http.ServerResponse, seen: Seen) => void;

interface Change {
  readonly collection: string;
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: WireObject;
}

interface Watcher {
  readonly collection: string;
  readonly response: http.ServerResponse;
}

interface Target {
  readonly collection: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** Every test object is one of these. */
export type Draft = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
};

export class ProtocolServer {
  readonly requests: Seen[] = [];
  /** served: as it should be. refused: 422, as with the feature gate off. ignored: as if the parameter were not there. */
  watchList: 'served' | 'refused' | 'ignored' = 'served';
  readonly #http: http.Server;
  readonly #objects = new Map<string, Map<string, WireObject>>();
  readonly #changes: Change[] = [];
  readonly #watchers = new Set<Watcher>();
  readonly #faults: { readonly applies: (seen: Seen) => boolean; readonly fault: Fault }[] = [];
  #version = 100;

  private constructor() {
    this.#http = http.createServer((request, response) => void this.#handle(request, response));
  }

  static async start(): Promise<ProtocolServer> {
    const server = new ProtocolServer();
    await new Promise<void>((resolve) => server.#http.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`);
  }

  get version(): string {
    return String(this.#version);
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  transport(options: Partial<TransportOptions> = {}): Transport {
    const connection: Connection = { server: this.url, credentials: async () => ({ headers: {}, tls: {} }), invalidate() {} };
    return new Transport({ connection, userAgent: 'test', clock: systemClock, ...options });
  }

  /** The next request for which `applies` is answered by `fault`; the order of calls is the order of faults. */
  failNext(applies: (seen: Seen) => boolean, fault: Fault): void {
    this.#faults.push({ applies, fault });
  }

  put(collection: string, draft: Draft): WireObject {
    const objects = this.#collection(collection);
    const key = keyOf(draft.metadata);
    const old = objects.get(key);
    this.#version += 1;
    const metadata = { uid: `uid-${this.#version}`, ...old?.metadata, ...draft.metadata, resourceVersion: this.version };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', ...draft, metadata };
    objects.set(key, object);
    this.#change({ collection, version: this.#version, type: old ? 'MODIFIED' : 'ADDED', object });
    return object;
  }

  remove(collection: string, key: string): void {
    const object = this.#collection(collection).get(key);
    if (object === undefined) return;
    this.#collection(collection).delete(key);
    this.#version += 1;
    const final = { ...object, metadata: { ...object.metadata, resourceVersion: this.version } };
    this.#change({ collection, version: this.#version, type: 'DELETED', object: final });
  }

  get(collection: string, key: string): WireObject | undefined {
    return this.#collection(collection).get(key);
  }

  list(collection: string): readonly WireObject[] {
    return [...this.#collection(collection).values()];
  }

  /** Moves the version on, as changes to other resources do. */
  skip(): void {
    this.#version += 1;
  }

  bookmark(version = this.version): void {
    for (const { response } of this.#watchers) send(response, 'BOOKMARK', { metadata: { resourceVersion: version } });
  }

  /** Ends every open watch in order, as at its timeout. */
  endWatches(): void {
    for (const { response } of this.#takeWatchers()) response.end();
  }

  /** Cuts every open watch off, as a crash would. */
  resetWatches(): void {
    for (const { response } of this.#takeWatchers()) response.socket?.resetAndDestroy();
  }

  /** Writes raw bytes into every open watch. */
  writeToWatches(bytes: string | Buffer): void {
    for (const { response } of this.#watchers) response.write(bytes);
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  async #handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const body = await text(request);
    const seen: Seen = {
      method: request.method ?? 'GET',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: body === '' ? undefined : JSON.parse(body),
    };
    this.requests.push(seen);
    const index = this.#faults.findIndex(({ applies }) => applies(seen));
    if (index >= 0) {
      const [entry] = this.#faults.splice(index, 1);
      entry?.fault(response, seen);
      return;
    }
    const target = parsePath(url.pathname);
    if (target === undefined) fail(response, 404, 'NotFound', 'no such path');
    else if (seen.method !== 'GET') this.#write(target, seen, response);
    else if (target.name !== undefined) this.#read(target, response);
    else if (seen.query['watch']) this.#watch(target.collection, seen, response);
    else this.#page(target.collection, seen, response);
  }

  #read({ collection, namespace, name }: Target, response: http.ServerResponse): void {
    const object = this.get(collection, keyOf({ ...(namespace ? { namespace } : {}), name: name ?? '' }));
    if (object === undefined) fail(response, 404, 'NotFound', `${name} not found`);
    else answer(response, 200, object);
  }

  #page(collection: string, { query }: Seen, response: http.ServerResponse): void {
    const all = this.list(collection);
    const start = Number(query['continue'] ?? 0);
    const end = start + Number(query['limit'] ?? all.length);
    const metadata = { resourceVersion: this.version, ...(end < all.length ? { continue: String(end) } : {}) };
    // As in a real list: the items come without their kind.
    const items = all.slice(start, end).map((item) => ({ ...item, apiVersion: undefined, kind: undefined }));
    answer(response, 200, { kind: 'List', apiVersion: 'v1', metadata, items });
  }

  #watch(collection: string, { query }: Seen, response: http.ServerResponse): void {
    const initial = query['sendInitialEvents'] === 'true';
    if (initial && this.watchList === 'refused') {
      fail(response, 422, 'Invalid', 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled');
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (initial && this.watchList === 'served') {
      for (const object of this.list(collection)) send(response, 'ADDED', object);
      const annotations = { 'k8s.io/initial-events-end': 'true' };
      send(response, 'BOOKMARK', { metadata: { resourceVersion: this.version, annotations } });
    } else if (!initial) {
      const missed = this.#changes.filter(
        (change) => change.collection === collection && change.version > Number(query['resourceVersion']),
      );
      for (const { type, object } of missed) send(response, type, object);
    }
    const watcher = { collection, response };
    this.#watchers.add(watcher);
    response.on('close', () => this.#watchers.delete(watcher));
  }

  #write({ collection, namespace, name }: Target, seen: Seen, response: http.ServerResponse): void {
    const draft = seen.body as Draft;
    const key = keyOf({ ...(namespace ? { namespace } : {}), name: name ?? draft.metadata.name });
    const old = this.get(collection, key);
    const refusal = refusalOf(seen, key, old);
    if (refusal !== undefined) {
      fail(response, ...refusal);
      return;
    }
    if (seen.method === 'DELETE') {
      this.remove(collection, key);
      answer(response, 200, { kind: 'Status', status: 'Success' });
      return;
    }
    const merged = seen.method === 'PATCH' && old ? { ...old, ...draft, metadata: { ...old.metadata, ...draft.metadata } } : draft;
    const isSame = old !== undefined && JSON.stringify(merged) === JSON.stringify(old);
    const written = isSame
      ? old
      : this.put(collection, { ...merged, metadata: { ...(namespace ? { namespace } : {}), ...merged.metadata } });
    answer(response, old === undefined ? 201 : 200, written);
  }

  #takeWatchers(): readonly Watcher[] {
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    return watchers;
  }

  #change(change: Change): void {
    this.#changes.push(change);
    for (const { collection, response } of this.#watchers) {
      if (collection === change.collection) send(response, change.type, change.object);
    }
  }

  #collection(name: string): Map<string, WireObject> {
    const objects = this.#objects.get(name) ?? new Map<string, WireObject>();
    this.#objects.set(name, objects);
    return objects;
  }
}

/** `/apis/g/v/namespaces/ns/things/name` and its shorter forms. */
function parsePath(path: string): Target | undefined {
  const match = /^\/(?:api|apis\/[^/]+)\/[^/]+(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/status)?$/.exec(path);
  return match?.[2] ? { namespace: match[1], collection: match[2], name: match[3] } : undefined;
}

function refusalOf({ method, body }: Seen, key: string, old: WireObject | undefined): [number, string, string] | undefined {
  const { metadata, preconditions } = body as Partial<Draft> & { readonly preconditions?: { readonly uid?: string } };
  if (method === 'POST') return old && [409, 'AlreadyExists', `${key} already exists`];
  if (method === 'PATCH' && old === undefined) return undefined;
  if (old === undefined) return [404, 'NotFound', `${key} not found`];
  if (preconditions?.uid !== undefined && preconditions.uid !== old.metadata.uid) return [409, 'Conflict', 'the uid differs'];
  const asked = metadata?.resourceVersion;
  return asked !== undefined && asked !== old.metadata.resourceVersion ? [409, 'Conflict', 'the object has been modified'] : undefined;
}

function send(response: http.ServerResponse, type: string, object: object): void {
  response.write(`${JSON.stringify({ type, object })}\n`);
}

export function answer(response: http.ServerResponse, code: number, body: object, headers: http.OutgoingHttpHeaders = {}): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Answers as the API server refuses. */
export function fail(
  response: http.ServerResponse,
  code: number,
  reason: string,
  message: string,
  extra: Partial<ApiStatus> = {},
  headers: http.OutgoingHttpHeaders = {},
): void {
  answer(response, code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, ...extra }, headers);
}
