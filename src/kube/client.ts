/** The verbs of the API on single objects, in the words of the API. No caches, no opinions. */
import type { IncomingMessage } from 'node:http';
import { isNotFound } from './errors.ts';
import { type Resource, resourcePath, type WireObject } from './object.ts';
import type { ApiRequest, Query, Transport } from './transport.ts';

/** Asks for metadata only: a tenth of the bytes of a typical object. */
export const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
export const METADATA_LIST_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

export interface Named {
  readonly namespace?: string;
  readonly name: string;
}

export interface WriteOptions {
  readonly subresource?: string;
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
  readonly accept?: string;
  readonly urgent?: boolean;
  readonly timeoutMs?: number;
  readonly maxRetries?: number;
}

export interface DeleteOptions {
  /** Only this very object, not one that took its name since. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  readonly dryRun?: boolean;
}

export type Patch =
  | { readonly type: 'merge'; readonly body: object }
  | { readonly type: 'json'; readonly body: readonly object[] }
  | { readonly type: 'apply'; readonly body: object; readonly force: boolean };

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  // JSON is YAML, and this is the one name of the format that every server knows.
  apply: 'application/apply-patch+yaml',
} as const;

type Extras = Omit<ApiRequest, 'path' | 'method' | 'body'>;

export class Client {
  readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  async get<T = WireObject>(resource: Resource, { namespace, name }: Named, signal: AbortSignal, extras: Extras = {}): Promise<T> {
    return this.#send<T>({ ...extras, path: resourcePath(resource, namespace, name) }, signal);
  }

  /** As `get`, but an object that is not there is undefined and not an error. */
  async find<T = WireObject>(resource: Resource, named: Named, signal: AbortSignal, extras: Extras = {}): Promise<T | undefined> {
    return this.get<T>(resource, named, signal, extras).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  }

  async create<T = WireObject>(resource: Resource, object: Body, signal: AbortSignal, options: WriteOptions = {}): Promise<T> {
    const path = resourcePath(resource, object.metadata.namespace);
    return this.#send<T>({ method: 'POST', path, body: object, ...writing(options) }, signal);
  }

  /** Replaces the whole object; with a resourceVersion in it only if it still is that version. */
  async replace<T = WireObject>(resource: Resource, object: NamedBody, signal: AbortSignal, options: WriteOptions = {}): Promise<T> {
    const { namespace, name } = object.metadata;
    const path = resourcePath(resource, namespace, name, options.subresource);
    return this.#send<T>({ method: 'PUT', path, body: object, ...writing(options) }, signal);
  }

  async patch<T = WireObject>(resource: Resource, named: Named, patch: Patch, signal: AbortSignal, options: WriteOptions = {}): Promise<T> {
    const { contentType, ...request } = {
      path: resourcePath(resource, named.namespace, named.name, options.subresource),
      contentType: PATCH_TYPES[patch.type],
      ...writing(options, patch.type === 'apply' ? { force: patch.force } : {}),
    };
    return this.#send<T>({ method: 'PATCH', body: patch.body, contentType, idempotent: patch.type === 'apply', ...request }, signal);
  }

  /** Deletes; true when there was something to delete. */
  async delete(resource: Resource, { namespace, name }: Named, signal: AbortSignal, options: DeleteOptions = {}): Promise<boolean> {
    const { uid, resourceVersion, propagation, dryRun } = options;
    const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: propagation ?? 'Background',
      ...(uid || resourceVersion ? { preconditions } : {}),
      ...(dryRun ? { dryRun: ['All'] } : {}),
    };
    const path = resourcePath(resource, namespace, name);
    // With a uid a second delete cannot hit a stranger, so it may be repeated.
    return this.#send({ method: 'DELETE', path, body, idempotent: uid !== undefined }, signal).then(
      () => true,
      (error: unknown) => {
        if (isNotFound(error)) return false;
        throw error;
      },
    );
  }

  /** Opens a watch; `query` says of what and from where. */
  async watch(
    resource: Resource,
    namespace: string | undefined,
    query: Query,
    accept: string,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    return this.transport.stream({ path: resourcePath(resource, namespace), query: { ...query, watch: true }, accept }, signal);
  }

  async #send<T>(request: ApiRequest, signal: AbortSignal): Promise<T> {
    return (await this.transport.request<T>(request, signal)).body;
  }
}

interface Body {
  readonly metadata: { readonly namespace?: string };
}
interface NamedBody {
  readonly metadata: Named;
}

function writing(options: WriteOptions, extra: Query = {}): Extras {
  const { fieldManager, dryRun, accept, urgent, timeoutMs, maxRetries } = options;
  return {
    query: { ...extra, ...(fieldManager ? { fieldManager } : {}), ...(dryRun ? { dryRun: 'All' } : {}) },
    ...(accept ? { accept } : {}),
    ...(urgent ? { urgent } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxRetries === undefined ? {} : { maxRetries }),
  };
}
