/** Who decides over new NodePools of a HostedCluster. The controller and the webhook ask the same, or one would undo what the other did. */
import { SHORTHAND_ANNOTATION } from '../../api/shorthand.ts';
import type { ObjectIndex } from '../../hosted-cluster/select.ts';
import { type Condition, isTrue } from '../../kube/conditions.ts';
import type { KeptTenant } from '../world/tenant.ts';
import type { World } from '../world/world.ts';
import type { GateKeeper } from './gate.ts';

/** Of the HostedCluster `namespace/name`; undefined when nobody does. */
export function keeperFor(world: World, cluster: string): GateKeeper | undefined {
  const [tenant] = world.sources.tenants.byIndex('cluster', cluster);
  return tenant ? keeperOf(tenant) : announcedKeeper(world.index, cluster);
}

/** A TenantNetwork that is being deleted holds nobody any more. */
const keeperOf = (tenant: KeptTenant): GateKeeper => ({
  gated: tenant.spec?.nodePools === 'Gate' && tenant.metadata.deletionTimestamp === undefined,
  proven: isTrue(tenant.status.conditions as readonly Condition[] | undefined, 'SegmentProven'),
});

/** Annotated a moment ago: the TenantNetwork that the annotation stands for gates by default, and is not there yet. */
export function announcedKeeper(index: Pick<ObjectIndex, 'hostedClusters'>, cluster: string): GateKeeper | undefined {
  const metadata = index.hostedClusters.get(cluster)?.metadata;
  if (metadata?.annotations[SHORTHAND_ANNOTATION] === undefined || metadata.deletionTimestamp !== undefined) return undefined;
  return { gated: true, proven: false };
}
