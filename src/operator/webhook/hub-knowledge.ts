/** What the webhooks may know of the hub: the planner's view of the operator's stores. They ask the API server for nothing. */
import { SHORTHAND_ANNOTATION } from '../../api/shorthand.ts';
import type { ObjectIndex } from '../../hosted-cluster/select.ts';
import type { GateKeeper } from '../controllers/gate.ts';
import { keeperOf } from '../controllers/node-pool-gate.ts';
import type { World } from '../world/world.ts';

export interface HubKnowledge {
  readonly index: ObjectIndex;
  /** Every store has been filled once. Before that, what is missing from the index may be there. */
  readonly ready: () => boolean;
  /** Who decides over new NodePools of a HostedCluster (`namespace/name`); undefined when nobody does. */
  readonly keeper: (cluster: string) => GateKeeper | undefined;
}

export const knowledgeOf = (world: World): HubKnowledge => ({
  index: world.index,
  ready: () => world.informers.every(({ store }) => store.hasSynced),
  keeper(cluster) {
    const [tenant] = world.sources.tenants.byIndex('cluster', cluster);
    return tenant ? keeperOf(tenant) : announcedKeeper(world.index, cluster);
  },
});

/** Annotated a moment ago: the TenantNetwork that the annotation stands for gates by default, and is not there yet. */
export function announcedKeeper(index: Pick<ObjectIndex, 'hostedClusters'>, cluster: string): GateKeeper | undefined {
  const metadata = index.hostedClusters.get(cluster)?.metadata;
  if (metadata?.annotations[SHORTHAND_ANNOTATION] === undefined || metadata.deletionTimestamp !== undefined) return undefined;
  return { gated: true, proven: false };
}
