/** What the webhooks may know of the hub: the planner's view of the operator's stores. They ask the API server for nothing. */
import type { ObjectIndex } from '../../hosted-cluster/select.ts';
import type { GateKeeper } from '../controllers/gate.ts';
import { keeperFor } from '../controllers/gate-keeper.ts';
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
  keeper: (cluster) => keeperFor(world, cluster),
});
