/** All writes of the player: server-side apply of what it means, and nothing when nothing changed. */
import type { Applier, ApplyOptions } from '../../../kube/apply.ts';
import type { Client } from '../../../kube/client.ts';
import { type ConditionInput, type Condition as KubeCondition, setConditions } from '../../../kube/conditions.ts';
import type { KubeObject } from '../../../kube/object.ts';
import type { Condition, Manifest } from '../hosted-cluster.ts';
import type { Status } from '../status.ts';
import { type HubView, type Kind, RESOURCES } from './hub-view.ts';

export class Writer {
  readonly client: Client;
  readonly #applier: Applier;
  readonly #view: HubView;

  constructor(client: Client, applier: Applier, view: HubView) {
    this.client = client;
    this.#applier = applier;
    this.#view = view;
  }

  /** In the order given. The first few are what the others live in, so they are written one by one; the rest may overtake each other. */
  async applyAll(objects: readonly Manifest[], signal: AbortSignal): Promise<void> {
    const alone = objects.slice(0, 2);
    for (const object of alone) await this.apply(object, signal);
    await Promise.all(objects.slice(2).map((object) => this.apply(object, signal)));
  }

  async apply(object: Manifest, signal: AbortSignal, options: ApplyOptions = {}): Promise<void> {
    const live = this.#view.live(object);
    const result = await this.#applier.apply(object, signal, { live, onConflict: 'take', ...options });
    if (result.outcome === 'refused') throw new Error(`${object.kind} ${object.metadata.name} was refused: ${result.refusal.message}`);
  }

  /** Conditions that others added to the object stay theirs. */
  async status(object: KubeObject & { readonly status?: unknown }, status: Status, now: number, signal: AbortSignal): Promise<void> {
    const { apiVersion, kind, metadata } = object;
    const { name, namespace } = metadata;
    const existing = (object.status as { readonly conditions?: readonly Condition[] } | undefined)?.conditions ?? [];
    const conditions = dated(existing, status.conditions, now);
    const manifest = { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) }, status: { ...status, conditions } };
    await this.apply(manifest, signal, { subresource: 'status' });
  }

  async delete(kind: Kind, object: KubeObject, signal: AbortSignal): Promise<void> {
    if (object.metadata.deletionTimestamp !== undefined) return;
    await this.client.delete(RESOURCES[kind], object.metadata, signal);
  }

  /** A merge patch, for the parts of other people's objects that HyperShift fills in. */
  async patch(kind: Kind, object: KubeObject, body: object, signal: AbortSignal, subresource?: string): Promise<void> {
    const options = subresource === undefined ? {} : { subresource };
    await this.client.patch(RESOURCES[kind], object.metadata, { type: 'merge', body }, signal, options);
  }
}

/** The time of a change moves with the status of a condition only. */
function dated(existing: readonly Condition[], wanted: readonly Condition[], now: number): readonly Condition[] {
  const types = new Set(wanted.map(({ type }) => type));
  const ours = existing.filter(({ type }) => types.has(type)) as readonly KubeCondition[];
  const merged = setConditions(
    ours,
    wanted.map((condition) => ({ reason: '', message: '', ...condition })) as readonly ConditionInput[],
    now,
  );
  // A NodePool's conditions may lack a reason; an empty one would be refused.
  return merged.map(({ reason, ...rest }) => (reason === '' ? rest : { ...rest, reason }));
}
