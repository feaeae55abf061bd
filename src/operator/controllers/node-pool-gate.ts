/** Holds new NodePools of a gated tenant until its segment is proven: a VM that boots before DHCP answers may need a reset. */
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts';
import { controlPlaneNamespace } from '../../hosted-cluster/namespace.ts';
import type { Controller, Reconcile } from '../../kube/controller.ts';
import type { EventToTell } from '../../kube/events.ts';
import { apiVersionOf, type Key, keyOf } from '../../kube/object.ts';
import { eventOf, type ReasonFor } from '../events.ts';
import { NODE_POOL } from '../resources.ts';
import { follow } from '../world/feeds.ts';
import type { KeptNodePool } from '../world/projections.ts';
import { NODE_POOL_LABEL } from '../world/sources.ts';
import { clusterOf } from '../world/tenant.ts';
import type { World } from '../world/world.ts';
import type { Writer } from '../writer.ts';
import { decideGate, type GateDecision, gatePatch } from './gate.ts';
import { keeperFor } from './gate-keeper.ts';

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
    tell(told(pool, decision));
    return undefined;
  };

export function feedNodePoolGate(controller: Controller, world: World): void {
  const { nodePools, tenants, hostedClusters } = world.sources;
  follow(controller, nodePools, ({ metadata }) => [keyOf(metadata)]);
  // An annotation that goes before its TenantNetwork came takes its say with it.
  follow(controller, hostedClusters, ({ metadata }) => poolsOf(keyOf(metadata), world));
  // Our own reports too: that the segment is proven is said by us.
  controller.watch(tenants.store, (row) => poolsOf(clusterOf(tenants.open(row)), world));
}

const poolsOf = (cluster: string, world: World): Key[] =>
  world.sources.nodePools.byIndex('cluster', cluster).map(({ metadata }) => keyOf(metadata));

function decide(pool: KeptNodePool, world: World): GateDecision {
  const { metadata, spec, replicas } = pool;
  const cluster = { namespace: metadata.namespace, name: spec.clusterName };
  return decideGate(
    {
      annotations: metadata.annotations,
      pausedUntil: spec.pausedUntil ?? '',
      deleting: metadata.deletionTimestamp !== undefined,
      inUse: replicas > 0 || hasMachines(pool, controlPlaneNamespace(cluster), world),
    },
    keeperFor(world, keyOf(cluster)),
  );
}

const hasMachines = ({ metadata }: KeptNodePool, controlPlane: string, world: World): boolean =>
  world.sources.machines.byIndex('namespace', controlPlane).some((machine) => machine.metadata.labels[NODE_POOL_LABEL] === metadata.name);

const NOTES: Readonly<Record<Exclude<GateDecision, 'leave'>, readonly [reason: ReasonFor<'NodePool'>, note: string]>> = {
  hold: ['Held', 'paused until the tenant network answers on the segment'],
  release: ['Released', 'the tenant network answers on the segment, or nobody asks for it any more; the pause is lifted'],
  yield: ['Yielded', 'somebody else changed the pause; hcpio leaves the NodePool alone from now on'],
};

function told({ metadata }: KeptNodePool, decision: Exclude<GateDecision, 'leave'>): EventToTell {
  const [reason, note] = NOTES[decision];
  return eventOf('NodePool', { apiVersion: apiVersionOf(NODE_POOL), metadata }, reason, note);
}
