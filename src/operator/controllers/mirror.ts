/**
 * How a tenant network fares, on the HostedCluster, for those who look nowhere else. Under a type of our own: HyperShift writes the
 * ones that it knows back every minute, and leaves others alone.
 */
import type { Clock } from '../../kube/clock.ts';
import { type ConditionInput, setConditions } from '../../kube/conditions.ts';
import { apiVersionOf, keyOf } from '../../kube/object.ts';
import { HOSTED_CLUSTER } from '../resources.ts';
import { type KeptHostedCluster, MIRROR_CONDITION } from '../world/projections.ts';
import type { World } from '../world/world.ts';
import type { Writer } from '../writer.ts';

interface Context {
  readonly world: Pick<World, 'sources'>;
  readonly writer: Writer;
  readonly clock: Clock;
}

type Said = Pick<ConditionInput, 'status' | 'reason' | 'message'>;

export async function mirror(cluster: KeptHostedCluster, said: Said, context: Context, signal: AbortSignal): Promise<void> {
  const known = cluster.mirror ? [cluster.mirror] : [];
  const { status, reason, message } = said;
  const conditions = setConditions(known, [{ type: MIRROR_CONDITION, status, reason, message }], context.clock.now());
  if (conditions !== known) await write(cluster, conditions, context, signal);
}

/** A network that is not there is neither ready nor not. */
export async function withdrawMirror(cluster: KeptHostedCluster, context: Context, signal: AbortSignal): Promise<void> {
  if (cluster.mirror !== undefined) await write(cluster, [], context, signal);
}

async function write(cluster: KeptHostedCluster, conditions: readonly ConditionInput[], { world, writer }: Context, signal: AbortSignal) {
  if (cluster.metadata.deletionTimestamp) return;
  const { hostedClusters } = world.sources;
  await hostedClusters.writing(keyOf(cluster.metadata), async () => {
    const answer = await writer.applyStatus(objectOf(cluster), { conditions }, signal);
    if (answer) hostedClusters.wrote(answer);
  });
}

const objectOf = ({ metadata: { name, namespace, uid } }: KeptHostedCluster) => ({
  apiVersion: apiVersionOf(HOSTED_CLUSTER),
  kind: HOSTED_CLUSTER.kind,
  metadata: { name, namespace, uid },
});
