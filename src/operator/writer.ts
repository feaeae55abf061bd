/**
 * Everything that the operator writes goes through here: one place to count it, to give it our name, and to hold it back
 * (`--dry-run` swaps it for one that tells what it would have done).
 */
import { Applier, type ApplyResult } from '../kube/apply.ts';
import { Client, type DeleteOptions, type Named, type Patch } from '../kube/client.ts';
import type { Discovery } from '../kube/discovery.ts';
import { removeFinalizer } from '../kube/finalizers.ts';
import { type PruneResult, prune } from '../kube/inventory.ts';
import { type KubeObject, type ObjectRef, type Resource, refOf, refText, type WireObject } from '../kube/object.ts';
import { writeStatus } from '../kube/status.ts';
import type { Stored } from '../kube/store.ts';
import type { Logger } from '../kube/telemetry.ts';
import type { Transport } from '../kube/transport.ts';
import type { Intent } from './ledger/intent.ts';
import { type Entry, FIELD_MANAGER } from './ledger/ledger.ts';

export interface Writer {
  /** Makes the object what is intended, fields of others left alone. `live` is what is known of it. */
  apply(intent: Intent, live: Stored | undefined, signal: AbortSignal): Promise<ApplyResult>;
  /** Says it in the object's status, when it is not what the status says already. */
  applyStatus(object: KubeObject & { readonly status?: unknown }, status: object, signal: AbortSignal): Promise<WireObject | undefined>;
  /** Removes what is in the inventory and not desired. */
  prune(inventory: readonly Entry[], desired: readonly ObjectRef[], signal: AbortSignal): Promise<PruneResult>;
  create(resource: Resource, object: KubeObject, signal: AbortSignal): Promise<WireObject | undefined>;
  patch(resource: Resource, named: Named, patch: Patch, signal: AbortSignal): Promise<WireObject | undefined>;
  remove(resource: Resource, named: Named, options: DeleteOptions, signal: AbortSignal): Promise<void>;
  /** Removes the finalizer under a lock on the version that was read. */
  dropFinalizer(resource: Resource, object: KubeObject, finalizer: string, signal: AbortSignal): Promise<void>;
  /** What was written of the object need not be remembered: the object itself tells. */
  forget(ref: ObjectRef): void;
}

export function writer(transport: Transport, discovery: Discovery): Writer {
  const client = new Client(transport);
  const applier = new Applier(transport, discovery, FIELD_MANAGER);
  const fieldManager = FIELD_MANAGER;
  return {
    // Never blindly: the applier asks first, takes what is ours by intent, and tells from whom.
    apply: ({ object, hash }, live, signal) => applier.apply(object, signal, { live, hash, onConflict: 'take' }),
    async applyStatus(object, status, signal) {
      const result = await writeStatus(applier, object, status, signal);
      applier.forget(refOf(object));
      if (result.outcome !== 'refused') return result.object;
      // Gone meanwhile: nobody is left to be told.
      if (result.refusal.reason === 'Absent') return undefined;
      throw new Error(`the status of ${refText(result.ref)} was refused: ${result.refusal.message}`);
    },
    prune: (inventory, desired, signal) => prune({ client, discovery, inventory, desired }, signal),
    create: (resource, object, signal) => client.create(resource, object, signal, { fieldManager }),
    patch: (resource, named, patch, signal) => client.patch(resource, named, patch, signal, { fieldManager }),
    remove: async (resource, named, options, signal) => {
      await client.delete(resource, named, signal, options);
    },
    dropFinalizer: async (resource, object, finalizer, signal) => {
      await removeFinalizer(client, resource, object, finalizer, signal);
    },
    forget: (ref) => applier.forget(ref),
  };
}

/** Tells what it would do, and does nothing. Everybody downstream sees a world in which nothing had to be done. */
export function rehearsal(log: Logger): Writer {
  const would = (verb: string, what: string) => log.info({ verb, object: what }, 'dry run: nothing was written');
  const where = (resource: Resource, { namespace, name }: Named) => `${resource.kind} ${namespace ? `${namespace}/` : ''}${name}`;
  return {
    async apply({ object }) {
      const ref = refOf(object as KubeObject);
      would('apply', refText(ref));
      return { outcome: 'unchanged', ref };
    },
    async applyStatus(object) {
      would('write the status of', refText(refOf(object)));
      return undefined;
    },
    async prune(inventory, desired) {
      const wanted = new Set(desired.map(refText));
      for (const entry of inventory) if (!wanted.has(refText(refOf(entry)))) would('delete', refText(refOf(entry)));
      return { deleted: [], terminating: [], refused: [] };
    },
    async create(_, object) {
      would('create', refText(refOf(object)));
      return undefined;
    },
    async patch(resource, named) {
      would('patch', where(resource, named));
      return undefined;
    },
    async remove(resource, named) {
      would('delete', where(resource, named));
    },
    async dropFinalizer(resource, object) {
      would('remove the finalizer of', where(resource, object.metadata));
    },
    forget() {},
  };
}
