/** The writes of one reconciliation: each object is brought to what is intended, and what came of it is kept. */
import type { ApplyResult } from '../../../kube/apply.ts';
import { type ObjectRef, refOf } from '../../../kube/object.ts';
import type { FieldProblem, Refusal } from '../../../kube/refusal.ts';
import type { Intent } from '../../ledger/intent.ts';
import { type Entry, type Standing, standingOf } from '../../ledger/ledger.ts';
import type { FindStrangers } from '../../strangers.ts';
import type { Context } from './context.ts';
import type { Tenant } from './observe.ts';
import type { Refused } from './refused.ts';

export interface Repair {
  readonly ref: ObjectRef;
  readonly fields: readonly string[];
  readonly taken: readonly FieldProblem[];
}

export class Work {
  readonly #context: Context;
  readonly #created: ObjectRef[] = [];
  readonly #changed: ObjectRef[] = [];
  readonly #removed: ObjectRef[] = [];
  readonly #repaired: Repair[] = [];
  readonly refused: Refused[] = [];
  /** The namespace that was made just now: there is nothing in it but ours. */
  #made: string | undefined;
  readonly #strangers = new Map<string, ReturnType<FindStrangers>>();

  constructor(context: Context) {
    this.#context = context;
  }

  async settle(intent: Intent, signal: AbortSignal): Promise<void> {
    const { world, writer, metrics } = this.#context;
    const ref = refOf(intent.object);
    const live = world.entry(ref);
    const standing = standingOf(intent, live);
    // What is about to go cannot be changed any more; when it is gone, we are told and make it anew.
    if (standing.state === 'asIntended' || standing.state === 'terminating') return;
    if (standing.state === 'absent' && (await this.#isStrangers(ref, signal))) return;
    const result = await world.writing(ref, () => this.#apply(intent, live, signal));
    const repair = repairOf(ref, standing, result);
    metrics.applied(repair ? 'repaired' : result.outcome, ref.kind);
    if (result.outcome === 'refused') {
      await this.#refused(ref, result.refusal, signal);
      return;
    }
    // From now on the object itself tells that it is as intended; only one that never can be has to be remembered.
    if (standingOf(intent, world.entry(ref)).state === 'asIntended') writer.forget(ref);
    if (result.outcome === 'created') this.#created.push(ref);
    if (result.outcome === 'created' && ref.kind === 'Namespace') this.#made = ref.name;
    if (repair) this.#repaired.push(repair);
    else if (result.outcome === 'changed') this.#changed.push(ref);
  }

  async #apply(intent: Intent, live: Entry | undefined, signal: AbortSignal): Promise<ApplyResult> {
    const { world, writer } = this.#context;
    const result = await writer.apply(intent, live, signal);
    if (result.outcome !== 'refused' && result.object) world.wrote(result.object, intent.object.kind);
    return result;
  }

  /** Whose a namespace is was asked before anything else. */
  async #isStrangers(ref: ObjectRef, signal: AbortSignal): Promise<boolean> {
    if (ref.kind === 'Namespace' || ref.namespace === this.#made) return false;
    const maker = (await this.#strangersBeside(ref, signal)).get(ref.name);
    if (maker === undefined) return false;
    this.#context.metrics.applied('refused', ref.kind);
    this.refused.push({ ref, maker });
    return true;
  }

  /** Asked once for all that is to be made there of a kind. */
  #strangersBeside({ kind, namespace }: ObjectRef, signal: AbortSignal): ReturnType<FindStrangers> {
    const { world, findStrangers } = this.#context;
    const place = `${kind} ${namespace}`;
    const asked = this.#strangers.get(place) ?? findStrangers(world.resourceOf(kind), namespace, signal);
    this.#strangers.set(place, asked);
    return asked;
  }

  async #refused(ref: ObjectRef, refusal: Refusal, signal: AbortSignal): Promise<void> {
    const { world, writer } = this.#context;
    const entry = world.entry(ref);
    // Parts of a StatefulSet cannot be changed. Its pods do not mind being left alone: the next one adopts them, and they are rolled then.
    if (refusal.reason === 'Immutable' && ref.kind === 'StatefulSet' && entry) {
      // Under a lock on the version that was seen: a next look that comes before the news of it would delete it once more.
      const { uid, resourceVersion } = entry.metadata;
      await writer.remove(world.resourceOf(ref.kind), ref, { uid, resourceVersion, propagation: 'Orphan' }, signal);
      this.#removed.push(ref);
      return;
    }
    // A control plane that is being taken down needs no door to it.
    if (refusal.reason === 'Terminating') return;
    this.refused.push({ ref, refusal });
  }

  async prune({ inventory }: Tenant, intents: readonly Intent[], signal: AbortSignal): Promise<void> {
    const pruned = await this.#context.writer.prune(
      inventory,
      intents.map(({ object }) => refOf(object)),
      signal,
    );
    for (const ref of pruned.deleted) this.#context.writer.forget(ref);
    this.#removed.push(...pruned.deleted);
    this.refused.push(...pruned.refused);
  }

  result() {
    return { created: this.#created, changed: this.#changed, removed: this.#removed, repaired: this.#repaired, refused: this.refused };
  }
}

/**
 * Undefined: nobody's work was undone. It was, when we want what we wanted before; and when it was taken out of our sight by its labels, or
 * changed in the moment in which we changed our mind.
 */
function repairOf(ref: ObjectRef, standing: Standing, result: ApplyResult): Repair | undefined {
  if (result.outcome !== 'changed') return undefined;
  const { taken } = result;
  if (standing.state === 'altered') return { ref, fields: standing.lost, taken };
  return taken.length === 0 ? undefined : { ref, fields: taken.map(({ field }) => field), taken };
}
