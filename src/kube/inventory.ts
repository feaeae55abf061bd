/** What belongs to an owner, and the removal of what no longer should be there. */
import type { Client } from './client.ts';
import type { Discovery } from './discovery.ts';
import { ApiError, isConflict } from './errors.ts';
import { identityOf, type ObjectRef, refOf, type WireObject } from './object.ts';
import { mapParallel } from './parallel.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import type { Stored } from './store.ts';

/** The least that must be kept of an object to know whose it is and whether it changed: some hundred bytes. */
export interface LedgerEntry extends Stored {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly namespace?: string;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly terminating: boolean;
  };
  /** The value of the owner label: whose inventory it is in. */
  readonly owner: string;
}

/**
 * A projection for stores of objects that we write and others merely run: to be used with metadata-only watches.
 * What many entries have in common is kept once; parsed JSON has a copy of it in each.
 */
export function ledger(ownerLabel: string): (object: WireObject) => LedgerEntry {
  const pool = new Map<string, string>();
  const once = (text: string): string => {
    const known = pool.get(text);
    if (known === undefined) pool.set(text, text);
    return known ?? text;
  };
  return ({ apiVersion, kind, metadata }) => {
    const { namespace, name, uid = '', resourceVersion = '', deletionTimestamp, labels } = metadata;
    const terminating = deletionTimestamp !== undefined;
    return {
      apiVersion: once(apiVersion),
      kind: once(kind),
      // Two literals and no spread: objects of a known shape take half the memory.
      metadata: namespace
        ? { namespace: once(namespace), name, uid, resourceVersion, terminating }
        : { name, uid, resourceVersion, terminating },
      owner: once(labels?.[ownerLabel] ?? ''),
    };
  };
}

export interface PruneResult {
  readonly deleted: readonly ObjectRef[];
  /** Deleted before and not gone yet: something holds them with a finalizer. */
  readonly terminating: readonly ObjectRef[];
  readonly refused: readonly { readonly ref: ObjectRef; readonly refusal: Refusal }[];
}

export interface PruneOptions {
  readonly client: Client;
  readonly discovery: Discovery;
  /** The inventory of one owner. Whatever is in it and not desired goes. */
  readonly inventory: readonly LedgerEntry[];
  readonly desired: readonly ObjectRef[];
  readonly parallel?: number;
}

const DELETES_AT_ONCE = 8;

export async function prune(options: PruneOptions, signal: AbortSignal): Promise<PruneResult> {
  const wanted = new Set(options.desired.map(identityOf));
  const surplus = options.inventory.filter((entry) => !wanted.has(identityOf(entryRef(entry))));
  const terminating = surplus.filter((entry) => entry.metadata.terminating);
  const doomed = surplus.filter((entry) => !entry.metadata.terminating);
  const results: (Outcome | undefined)[] = [];
  // Namespaces last: deleting one takes along whatever is in it, in no order and without our seeing refusals.
  for (const wave of [doomed.filter((entry) => entry.kind !== 'Namespace'), doomed.filter((entry) => entry.kind === 'Namespace')]) {
    results.push(...(await mapParallel(wave, options.parallel ?? DELETES_AT_ONCE, (entry) => remove(entry, options, signal), signal)));
  }
  const outcomes = results.filter((result) => result !== undefined);
  return {
    deleted: outcomes.filter(({ refusal }) => refusal === undefined).map(({ ref }) => ref),
    terminating: terminating.map(entryRef),
    refused: outcomes.flatMap(({ ref, refusal }) => (refusal ? [{ ref, refusal }] : [])),
  };
}

interface Outcome {
  readonly ref: ObjectRef;
  readonly refusal?: Refusal;
}

/** Undefined when there was nothing to delete any more. */
async function remove(entry: LedgerEntry, { client, discovery }: PruneOptions, signal: AbortSignal): Promise<Outcome | undefined> {
  const ref = entryRef(entry);
  try {
    const resource = await discovery.resourceFor(entry.apiVersion, entry.kind, signal);
    // By uid: an object of the same name that somebody made since is not in our inventory.
    const found = await client.delete(resource, entry.metadata, signal, { uid: entry.metadata.uid });
    return found ? { ref } : undefined;
  } catch (error) {
    if (isConflict(error)) return undefined;
    const refusal = error instanceof ApiError ? refusalOf(error) : undefined;
    if (refusal === undefined) throw error;
    return { ref, refusal };
  }
}

function entryRef(entry: LedgerEntry): ObjectRef {
  return refOf(entry);
}
