/** Makes the TenantNetwork ours to clean up after, and the HostedCluster's to take along. */
import { GROUP } from '../../../api/tenant-network.ts';
import { apiVersionOf } from '../../../kube/object.ts';
import { HOSTED_CLUSTER, TENANT_NETWORK } from '../../resources.ts';
import type { Context } from './context.ts';
import type { Tenant } from './observe.ts';

/** The only finalizer that hcpio sets, and only on its own kind: one in the control-plane namespace would hold up HyperShift. */
export const FINALIZER = `${GROUP}/edge`;

/**
 * The owner is in the same namespace, so the garbage collector takes the TenantNetwork along when the HostedCluster is really
 * gone, which is after its workers have drained through our gateway. `blockOwnerDeletion` stays away: nobody waits for us.
 */
export async function claim({ key, object, hostedCluster }: Tenant, { world, writer }: Context, signal: AbortSignal): Promise<void> {
  const { finalizers, name, namespace, uid } = object.metadata;
  const owned = hostedCluster === undefined || object.owners.includes(hostedCluster.metadata.uid);
  if (finalizers.includes(FINALIZER) && owned) return;
  const owner = hostedCluster && {
    apiVersion: apiVersionOf(HOSTED_CLUSTER),
    kind: HOSTED_CLUSTER.kind,
    name: hostedCluster.metadata.name,
    uid: hostedCluster.metadata.uid,
  };
  // By server-side apply, which adds to both lists and takes nothing away. With the uid: a deleted object must not come back by this.
  const body = {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: { name, namespace, uid, finalizers: [FINALIZER], ...(owner ? { ownerReferences: [owner] } : {}) },
  };
  const { tenants } = world.sources;
  await tenants.writing(key, async () => {
    const answer = await writer.patch(TENANT_NETWORK, object.metadata, { type: 'apply', force: true, body }, signal);
    if (answer) tenants.wrote(answer);
  });
}
