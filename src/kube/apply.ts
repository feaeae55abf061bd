/**
 * Server-side apply that sends only what is news: an intent that was applied to the object as it is now is not sent again.
 * What the server refuses for good is told as a result and not thrown, and not sent again either before something changes.
 */
import { hashOf } from './canonical.ts';
import { METADATA_ONLY } from './client.ts';
import { type Discovery, KindNotInstalled } from './discovery.ts';
import { ApiError } from './errors.ts';
import {
  compareResourceVersions,
  identityOf,
  type KubeObject,
  type ObjectRef,
  refOf,
  resourcePath,
  type WireObject,
  withKind,
} from './object.ts';
import { type FieldProblem, type Refusal, refusalOf } from './refusal.ts';
import type { Store, Stored } from './store.ts';
import type { ApiResponse, Transport } from './transport.ts';

export interface ApplyOptions {
  /** The object as it is known now (from a store); undefined when it is not known to exist. */
  readonly live?: Stored | undefined;
  /** tell: a field that somebody else manages is a refusal. take: it is taken over, and the result says from whom. */
  readonly onConflict?: 'tell' | 'take';
  readonly subresource?: 'status';
  /** Stands for the object, where somebody has it already; else it is made here. */
  readonly hash?: string;
  /** Give back the whole object instead of its metadata. */
  readonly wholeObject?: boolean;
}

export type ApplyResult =
  /** Nothing was sent, or the server found nothing to change. */
  | { readonly outcome: 'unchanged'; readonly ref: ObjectRef; readonly object?: WireObject }
  | { readonly outcome: 'created'; readonly ref: ObjectRef; readonly object: WireObject }
  | {
      readonly outcome: 'changed';
      readonly ref: ObjectRef;
      readonly object: WireObject;
      /** The intent was the same as before, so somebody else had changed what we manage. */
      readonly repaired: boolean;
      /** Fields that were taken from other managers. */
      readonly taken: readonly FieldProblem[];
    }
  | { readonly outcome: 'refused'; readonly ref: ObjectRef; readonly refusal: Refusal };

interface Remembered {
  readonly hash: string;
  readonly resourceVersion: string;
  readonly refusal?: Refusal;
}

/**
 * By default the server decodes the YAML of an apply a second time, for nothing but to warn of keys that stand there twice. What we send
 * was serialised and has none; that a field does not exist is found by the apply itself.
 */
const ONCE_DECODED = { fieldValidation: 'Ignore' } as const;

export class Applier {
  readonly #transport: Transport;
  readonly #discovery: Discovery;
  readonly #fieldManager: string;
  /** What was applied last and which version came of it: identity -> hash of the intent, resourceVersion. */
  readonly #memory = new Map<string, Remembered>();

  constructor(transport: Transport, discovery: Discovery, fieldManager: string) {
    this.#transport = transport;
    this.#discovery = discovery;
    this.#fieldManager = fieldManager;
  }

  get remembered(): number {
    return this.#memory.size;
  }

  /** Forgets an object that is gone, so that the memory does not grow with everything that ever was. */
  forget(ref: ObjectRef): void {
    const identity = identityOf(ref);
    this.#memory.delete(identity);
    this.#memory.delete(`${identity} status`);
  }

  /** Forgets whatever the store tells was deleted, by whomever. */
  forgetDeleted<T extends KubeObject & Stored>(store: Store<T>): () => void {
    return store.subscribe((event) => {
      if (event.type === 'deleted') this.forget(refOf(event.object));
    });
  }

  async apply(object: KubeObject, signal: AbortSignal, options: ApplyOptions = {}): Promise<ApplyResult> {
    const ref = refOf(object);
    const intent = intentOf(object, options.subresource);
    const hash = options.hash ?? hashOf(intent);
    const id = options.subresource ? `${identityOf(ref)} ${options.subresource}` : identityOf(ref);
    const known = this.#memory.get(id);
    if (known?.hash === hash && isStillTrue(known, options.live)) {
      return known.refusal ? { outcome: 'refused', ref, refusal: known.refusal } : { outcome: 'unchanged', ref };
    }
    const { live, onConflict = 'tell' } = options;
    try {
      const { response, taken } = await this.#send(ref, intent, onConflict, options, signal);
      const result = judge(ref, response, taken, live, known?.hash === hash);
      const { resourceVersion } = response.body.metadata;
      if (resourceVersion) this.#memory.set(id, { hash, resourceVersion });
      return result;
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal === undefined) throw error;
      // These two follow from the intent and the object alone; the others may heal without either changing.
      const lasting = refusal.reason === 'Conflict' || refusal.reason === 'Immutable';
      if (lasting && live?.metadata.resourceVersion)
        this.#memory.set(id, { hash, resourceVersion: live.metadata.resourceVersion, refusal });
      return { outcome: 'refused', ref, refusal };
    }
  }

  /** What the object would become, without writing anything. Throws what the server says against it. */
  async preview(object: KubeObject, signal: AbortSignal, onConflict: 'tell' | 'take' = 'take'): Promise<WireObject> {
    const { body } = await this.#patch(refOf(object), intentOf(object), onConflict === 'take', { wholeObject: true }, signal, true);
    return body;
  }

  /** Never with force at first: a silent takeover would leave nobody to tell that two parties fight over a field. */
  async #send(
    ref: ObjectRef,
    intent: object,
    onConflict: 'tell' | 'take',
    options: ApplyOptions,
    signal: AbortSignal,
  ): Promise<{ readonly response: ApiResponse<WireObject>; readonly taken: readonly FieldProblem[] }> {
    try {
      return { response: await this.#patch(ref, intent, false, options, signal), taken: [] };
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal?.reason !== 'Conflict' || onConflict === 'tell') throw error;
      return { response: await this.#patch(ref, intent, true, options, signal), taken: refusal.fields };
    }
  }

  async #patch(
    ref: ObjectRef,
    intent: object,
    force: boolean,
    { subresource, wholeObject }: ApplyOptions,
    signal: AbortSignal,
    dryRun = false,
  ): Promise<ApiResponse<WireObject>> {
    const resource = await this.#discovery.resourceFor(ref.apiVersion, ref.kind, signal);
    const response = await this.#transport.request<WireObject>(
      {
        method: 'PATCH',
        path: resourcePath(resource, ref.namespace, ref.name, subresource),
        query: { fieldManager: this.#fieldManager, force, ...ONCE_DECODED, ...(dryRun ? { dryRun: 'All' } : {}) },
        contentType: 'application/apply-patch+yaml',
        accept: wholeObject ? 'application/json' : METADATA_ONLY,
        body: intent,
        idempotent: true,
      },
      signal,
    );
    return { ...response, body: withKind(response.body, resource) };
  }
}

/** What the server keeps for itself is no part of an intent; with a subresource, nothing but that is. */
export function intentOf(object: KubeObject, subresource?: 'status'): KubeObject {
  const { name, namespace, labels, annotations, ownerReferences, finalizers } = object.metadata;
  const identity = { name, ...(namespace ? { namespace } : {}) };
  const { status, ...rest } = object as WireObject;
  if (subresource) return { apiVersion: object.apiVersion, kind: object.kind, metadata: identity, status } as KubeObject;
  const metadata = {
    ...identity,
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
    ...(ownerReferences ? { ownerReferences } : {}),
    ...(finalizers ? { finalizers } : {}),
  };
  return { ...rest, metadata };
}

/** Live at the remembered version, or older: then our own write has just not come back through the watch yet. */
function isStillTrue(known: Remembered, live: Stored | undefined): boolean {
  const version = live?.metadata.resourceVersion;
  return version !== undefined && compareResourceVersions(version, known.resourceVersion) <= 0;
}

function judge(
  ref: ObjectRef,
  response: ApiResponse<WireObject>,
  taken: readonly FieldProblem[],
  live: Stored | undefined,
  sameIntent: boolean,
): ApplyResult {
  const object = response.body;
  if (response.code === 201) return { outcome: 'created', ref, object };
  const { resourceVersion } = object.metadata;
  if (resourceVersion !== undefined && live?.metadata.resourceVersion === resourceVersion) return { outcome: 'unchanged', ref, object };
  return { outcome: 'changed', ref, object, repaired: sameIntent, taken };
}

function refusalIn(error: unknown): Refusal | undefined {
  if (error instanceof KindNotInstalled) return { reason: 'Absent', message: error.message, fields: [] };
  return error instanceof ApiError ? refusalOf(error) : undefined;
}
