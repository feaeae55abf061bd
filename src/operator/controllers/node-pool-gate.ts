/** Holds new NodePools of a gated tenant until its segment is proven: a VM that boots before DHCP answers may need a reset. */
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts';
import { type Condition, isTrue } from '../../kube/conditions.ts';
import type { Controller, Reconcile } from '../../kube/controller.ts';
import type { EventToTell } from '../../kube/events.ts';
import { apiVersionOf, type Key, keyOf } from '../../kube/object.ts';
import { NODE_POOL } from '../resources.ts';
import { follow } from '../world/feeds.ts';
import type { KeptNodePool } from '../world/projections.ts';
import { NODE_POOL_LABEL } from '../world/sources.ts';
import { clusterOf, type KeptTenant, namespacesOf } from '../world/tenant.ts';
import type { World } from '../world/world.ts';
import type { Writer } from '../writer.ts';
import { decideGate, type GateDecision, type GateKeeper, gatePatch } from './gate.ts';

export const nodePoolGateRules: readonly PolicyRule[] = [
  { apiGroups: [NODE_POOL.group], resources: [NODE_POOL.plural], verbs: ['get', 'list', 'watch', 'patch'] },
];

interface Context {
  readonly world: World;
  readonly writer: Writer;
  readonly tell: (event: EventToTell) => void;
}

export const nodePoolGateReconciler =
  ({ world, writer, tell }: Context): Reconcile =>
  async (key, { signal }) => {
    const pool = world.sources.nodePools.get(key);
    if (pool === undefined) return undefined;
    const decision = decide(pool, world);
    if (decision === 'leave') return undefined;
    const { metadata, ...rest } = gatePatch[decision];
    // Locked on the version that was read: a person's pause that came in between must not be undone.
    const body = { metadata: { ...metadata, resourceVersion: pool.metadata.resourceVersion }, ...rest };
    // Its echo is not laid over the store: to the tenant's controller it is news.
    await writer.patch(NODE_POOL, pool.metadata, { type: 'merge', body }, signal);
    tell(eventOf(pool, decision));
    return undefined;
  };

export function feedNodePoolGate(controller: Controller, world: World): void {
  const { nodePools, tenants } = world.sources;
  follow(controller, nodePools, ({ metadata }) => [keyOf(metadata)]);
  // Our own reports too: that the segment is proven is said by us.
  controller.watch(tenants.store, (row) => poolsOf(tenants.open(row), world));
}

const poolsOf = (tenant: KeptTenant, world: World): Key[] =>
  world.sources.nodePools.byIndex('cluster', clusterOf(tenant)).map(({ metadata }) => keyOf(metadata));

function decide(pool: KeptNodePool, world: World): GateDecision {
  const { metadata, spec, replicas } = pool;
  const [tenant] = world.sources.tenants.byIndex('cluster', `${metadata.namespace}/${spec.clusterName}`);
  return decideGate(
    {
      annotations: metadata.annotations,
      pausedUntil: spec.pausedUntil ?? '',
      deleting: metadata.deletionTimestamp !== undefined,
      inUse: replicas > 0 || (tenant !== undefined && hasMachines(pool, tenant, world)),
    },
    tenant && keeperOf(tenant),
  );
}

/** A TenantNetwork that is being deleted holds nobody any more. */
export const keeperOf = (tenant: KeptTenant): GateKeeper => ({
  gated: tenant.spec?.nodePools === 'Gate' && tenant.metadata.deletionTimestamp === undefined,
  proven: isTrue(tenant.status.conditions as readonly Condition[] | undefined, 'SegmentProven'),
});

const hasMachines = ({ metadata }: KeptNodePool, tenant: KeptTenant, world: World): boolean =>
  world.sources.machines
    .byIndex('namespace', namespacesOf(tenant).controlPlane)
    .some((machine) => machine.metadata.labels[NODE_POOL_LABEL] === metadata.name);

const NOTES: Readonly<Record<Exclude<GateDecision, 'leave'>, readonly [reason: string, note: string]>> = {
  hold: ['Held', 'paused until the tenant network answers on the segment'],
  release: ['Released', 'the tenant network answers on the segment, or nobody asks for it any more; the pause is lifted'],
  yield: ['Yielded', 'somebody else changed the pause; hcpio leaves the NodePool alone from now on'],
};

function eventOf({ metadata }: KeptNodePool, decision: Exclude<GateDecision, 'leave'>): EventToTell {
  const [reason, note] = NOTES[decision];
  const { name, namespace, uid } = metadata;
  const regarding = { apiVersion: apiVersionOf(NODE_POOL), kind: NODE_POOL.kind, metadata: { name, namespace, uid } };
  return { regarding, type: 'Normal', reason, action: 'Gate', note };
}
