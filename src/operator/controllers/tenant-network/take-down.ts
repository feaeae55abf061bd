/** The end of a tenant: what was made for it goes, and then the finalizer. */
import type { Next } from '../../../kube/controller.ts';
import { refText } from '../../../kube/object.ts';
import type { Entry } from '../../ledger/ledger.ts';
import { TENANT_NETWORK } from '../../resources.ts';
import { withdrawMirror } from '../mirror.ts';
import { FINALIZER } from './claim.ts';
import type { Context } from './context.ts';
import { tellKept, tellRemoved } from './events.ts';
import { REFUSED_MS } from './next-look.ts';
import type { Tenant } from './observe.ts';
import { reportLeaving } from './report.ts';

export async function takeDown(tenant: Tenant, context: Context, signal: AbortSignal): Promise<Next> {
  const { object, inventory, hostedCluster } = tenant;
  if (!object.metadata.finalizers.includes(FINALIZER)) return undefined;
  if (isStillNeeded(tenant)) {
    const cluster = `${object.metadata.namespace}/${hostedCluster?.metadata.name}`;
    const reason = `the edge stays until HostedCluster ${cluster} is gone, because its workers drain through it`;
    const step = `Nothing to do; if it stays: kubectl describe hostedcluster -n ${object.metadata.namespace} ${hostedCluster?.metadata.name}`;
    if (await reportLeaving(tenant, `${reason}. ${step}`, context, signal)) tellKept(tenant, reason, context);
    return undefined;
  }
  const doomed = inventory.filter((entry) => !isRetained(entry, tenant));
  if (doomed.length > 0) return remove(tenant, doomed, context, signal);
  if (hostedCluster) await withdrawMirror(hostedCluster, context, signal);
  await context.writer.dropFinalizer(TENANT_NETWORK, object, FINALIZER, signal);
  context.metrics.gone(tenant.key);
  return undefined;
}

/**
 * When the HostedCluster goes as well (somebody deleted the whole namespace, say), its workers still drain through the gateway.
 * Whoever deletes the TenantNetwork alone means it.
 */
const isStillNeeded = ({ hostedCluster, inventory }: Tenant): boolean =>
  hostedCluster?.metadata.deletionTimestamp !== undefined && inventory.length > 0;

/** The volumes with the leases are in the namespace and share its fate. A spec that cannot be read asked for no deletion either. */
const isRetained = ({ kind }: Entry, { object }: Tenant): boolean => kind === 'Namespace' && object.spec?.deletionPolicy !== 'Delete';

async function remove(tenant: Tenant, doomed: readonly Entry[], context: Context, signal: AbortSignal): Promise<Next> {
  const { edge } = tenant.namespaces;
  // The namespace takes along all that is in it, in one request.
  const wholeNamespace = doomed.some(({ kind, metadata }) => kind === 'Namespace' && metadata.name === edge);
  const outermost = wholeNamespace ? doomed.filter(({ metadata }) => metadata.namespace !== edge) : doomed;
  const { deleted, refused } = await context.writer.prune(outermost, [], signal);
  tellRemoved(tenant, deleted, context);
  const [stuck] = refused;
  const message = stuck
    ? `${refText(stuck.ref)} cannot be deleted: ${stuck.refusal.message}. To do: lift what refuses it; it is tried again every minute`
    : `waiting for ${wholeNamespace ? `namespace ${edge}` : `${doomed.length} objects`} to be gone`;
  await reportLeaving(tenant, message, context, signal);
  return stuck && { requeueAfterMs: REFUSED_MS };
}
