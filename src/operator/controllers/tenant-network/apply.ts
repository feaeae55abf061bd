/**
 * All writes of objects: makes those of one tenant be what the plan says, and removes what it no longer says. Only what is
 * not as intended is sent (see `ledger/`), so at rest, and after a restart, nothing is.
 */
import { configMapName } from '../../../gateway/config-maps.ts';
import { TENANT } from '../../../gateway/labels.ts';
import { PROBES_FILE } from '../../../gateway/probes.ts';
import type { TenantPlan } from '../../../gateway/tenant-plan.ts';
import { hashOf } from '../../../kube/canonical.ts';
import { isConflict, toError } from '../../../kube/errors.ts';
import { keyOf, type ObjectRef } from '../../../kube/object.ts';
import { mapParallel } from '../../../kube/parallel.ts';
import { hashOfList } from '../../../probes/probe-list.ts';
import { renderTenant } from '../../../tenant/render.ts';
import { type Intent, intentOf, templateMark } from '../../ledger/intent.ts';
import { tenantLabel } from '../../world/tenant.ts';
import type { Context } from './context.ts';
import type { Tenant } from './observe.ts';
import type { Planned } from './plan.ts';
import type { Refused } from './refused.ts';
import { type HeldBack, heldBack, isHeld } from './standby-first.ts';
import { type Repair, Work } from './work.ts';

export interface EdgeIntent {
  /** The mark of the template that its pod should be made from. */
  readonly template: string;
  /** The configuration that its pod should read. */
  readonly configuration: string;
}

export type Applied =
  | { readonly outcome: 'held' }
  | { readonly outcome: 'namespaceTaken' | 'namespaceTerminating' }
  /** The API server could not answer, again and again. It is tried on; this is what is said meanwhile. */
  | { readonly outcome: 'failed'; readonly error: Error }
  | {
      readonly outcome: 'done';
      readonly objects: number;
      readonly created: readonly ObjectRef[];
      readonly changed: readonly ObjectRef[];
      readonly removed: readonly ObjectRef[];
      readonly repaired: readonly Repair[];
      readonly refused: readonly Refused[];
      /** By the edge's name. */
      readonly edges: ReadonlyMap<string, EdgeIntent>;
      /** The hash of what the prober should look at; undefined when there is no prober. */
      readonly probes: string | undefined;
      /** A decision that has not reached every edge yet: the objects of one still say what was decided before. */
      readonly held?: HeldBack;
    };

const REQUESTS_AT_ONCE = 6;

/** A hiccup is the queue's business. What fails again and again should not only be found in the log. */
const FAILURES_BEFORE_TELLING = 3;

export async function apply(tenant: Tenant, planned: Planned, context: Context, signal: AbortSignal): Promise<Applied> {
  try {
    return await applyAll(tenant, planned, context, signal);
  } catch (error) {
    if (signal.aborted || isConflict(error) || context.failures < FAILURES_BEFORE_TELLING) throw error;
    return { outcome: 'failed', error: toError(error) };
  }
}

async function applyAll(tenant: Tenant, planned: Planned, context: Context, signal: AbortSignal): Promise<Applied> {
  if (planned.verdict !== 'go' || tenant.observed === undefined) return { outcome: 'held' };
  const namespace = await standingOfNamespace(tenant, context, signal);
  if (namespace !== 'ours') return { outcome: namespace };
  const { manifests } = renderTenant(planned.plan, tenant.observed, context.render);
  // What all tenants share comes with the installation: who may write that could give himself everything.
  const intents = manifests.filter(({ metadata }) => metadata.labels?.[TENANT] !== undefined).map(intentOf);
  const work = new Work(context);
  const due = isAlone(tenant, planned.plan)
    ? intents
    : intents.filter(({ object }) => object.kind !== 'ConfigMap' && object.kind !== 'StatefulSet');
  const held = await heldBack(tenant, planned.plan, due, context, signal);
  const now = held ? due.filter((intent) => !isHeld(intent, held)) : due;
  for (const wave of waves(now)) await mapParallel(wave, REQUESTS_AT_ONCE, (intent) => work.settle(intent, signal), signal);
  // The old may be what still works: it goes only when all of the new is there.
  if (work.refused.length === 0) await work.prune(tenant, intents, signal);
  const result = {
    outcome: 'done',
    objects: intents.length,
    ...work.result(),
    edges: edgeIntents(due),
    probes: probesIn(intents),
  } as const;
  return held ? { ...result, held } : result;
}

/**
 * The second edge is gone, or was never to go. The Kea of an edge that is to be the only one gives out addresses without asking anybody, so
 * it is told of that only when no other one can do so.
 */
const isAlone = ({ pods }: Tenant, { edges }: Pick<TenantPlan, 'edges'>): boolean =>
  pods.every((pod) => !pod.edge.startsWith('edge-') || edges.some(({ name }) => name === pod.edge));

/**
 * A namespace that somebody else made is never taken over: it would be deleted with the tenant. Its absence from the ledger
 * says only that it is not known to be ours, so before the first write the API server is asked.
 */
async function standingOfNamespace({ object, namespaces }: Tenant, { world, namespaceOwner }: Context, signal: AbortSignal) {
  const entry = world.entry({ kind: 'Namespace', name: namespaces.edge });
  const owner = entry?.owner ?? (await namespaceOwner(namespaces.edge, signal));
  // With our mark, and the label of nobody: the label is what somebody changed, and it is put back with the rest.
  const relabelled = entry !== undefined && entry.intent !== '' && world.sources.tenants.byIndex('label', entry.owner).length === 0;
  if (owner !== undefined && owner !== tenantLabel(object) && !relabelled) return 'namespaceTaken';
  return entry?.metadata.terminating ? 'namespaceTerminating' : 'ours';
}

/** The namespace before what is in it; the workloads last, because a pod must find its attachment, its policies and its peer's Service. */
function waves(intents: readonly Intent[]): readonly (readonly Intent[])[] {
  const rank = ({ object }: Intent): number => (object.kind === 'Namespace' ? 0 : object.kind === 'StatefulSet' ? 2 : 1);
  return [0, 1, 2].map((wave) => intents.filter((intent) => rank(intent) === wave));
}

function probesIn(intents: readonly Intent[]): string | undefined {
  const map = intents.find(({ object }) => object.kind === 'ConfigMap' && object.metadata.name === configMapName('prober', 'probes'));
  const text = (map?.object['data'] as Readonly<Record<string, string>> | undefined)?.[PROBES_FILE];
  return text === undefined ? undefined : hashOfList(text);
}

/** What each edge's pod, and the prober's, should be and read, from the objects that make it so. */
function edgeIntents(intents: readonly Intent[]): ReadonlyMap<string, EdgeIntent> {
  const workloads = intents.filter(({ object }) => object.kind === 'StatefulSet');
  return new Map(
    workloads.map(({ object }) => {
      const maps = intents.filter(
        (intent) => intent.object.kind === 'ConfigMap' && intent.object.metadata.name.startsWith(`${object.metadata.name}-`),
      );
      const configuration = hashOf(maps.map((map) => [keyOf(map.object.metadata), map.hash]));
      return [object.metadata.name, { template: templateMark(object), configuration }];
    }),
  );
}
