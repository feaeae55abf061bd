/** Makes the objects of one owner be what they should be, all of them: applies what is wanted, then removes what is not. */
import type { Applier, ApplyResult } from './apply.ts';
import type { Client } from './client.ts';
import { type Discovery, KindNotInstalled } from './discovery.ts';
import { type LedgerEntry, type PruneResult, prune } from './inventory.ts';
import { identityOf, type KubeObject, refOf } from './object.ts';
import { mapParallel } from './parallel.ts';

export interface ApplySetOptions {
  readonly client: Client;
  readonly discovery: Discovery;
  readonly applier: Applier;
  readonly desired: readonly KubeObject[];
  /** What this owner has now, as far as known: the base for "unchanged" and for pruning. */
  readonly inventory: readonly LedgerEntry[];
  readonly onConflict?: 'tell' | 'take';
  /** Requests under way at once for this owner. */
  readonly parallel?: number;
}

export interface ApplySetResult {
  /** One per desired object, in their order. */
  readonly applied: readonly ApplyResult[];
  /** Undefined when it was held back, because not everything wanted is there yet. */
  readonly pruned: PruneResult | undefined;
}

const APPLIES_AT_ONCE = 8;

export async function applySet(options: ApplySetOptions, signal: AbortSignal): Promise<ApplySetResult> {
  const { desired, inventory, applier, parallel = APPLIES_AT_ONCE, onConflict = 'tell' } = options;
  const live = new Map(inventory.map((entry) => [identityOf(refOf(entry)), entry]));
  const results = new Map<string, ApplyResult>();
  for (const wave of await waves(options, signal)) {
    const apply = async (object: KubeObject) => {
      const id = identityOf(refOf(object));
      results.set(id, await applier.apply(object, signal, { live: live.get(id), onConflict }));
    };
    await mapParallel(wave, parallel, apply, signal);
  }
  const applied = desired.map((object) => results.get(identityOf(refOf(object))) as ApplyResult);
  // The old may be what still works: it goes only when all of the new is there.
  if (applied.some(({ outcome }) => outcome === 'refused')) return { applied, pruned: undefined };
  const pruned = await prune({ ...options, desired: desired.map(refOf) }, signal);
  for (const ref of pruned.deleted) applier.forget(ref);
  return { applied, pruned };
}

/** What lives in no namespace first (namespaces above all), then what lives in one. */
async function waves({ desired, discovery }: ApplySetOptions, signal: AbortSignal): Promise<readonly (readonly KubeObject[])[]> {
  const cluster: KubeObject[] = [];
  const namespaced: KubeObject[] = [];
  const seen = new Set<string>();
  for (const object of desired) {
    const id = identityOf(refOf(object));
    if (seen.has(id)) throw new TypeError(`${id} is wanted twice`);
    seen.add(id);
    const wave = (await isClusterWide(object, discovery, signal)) ? cluster : namespaced;
    wave.push(object);
  }
  return [cluster, namespaced];
}

async function isClusterWide(object: KubeObject, discovery: Discovery, signal: AbortSignal): Promise<boolean> {
  try {
    return !(await discovery.resourceFor(object.apiVersion, object.kind, signal)).namespaced;
  } catch (error) {
    // Its own apply will tell; it must not keep the others from being applied.
    if (error instanceof KindNotInstalled) return false;
    throw error;
  }
}
