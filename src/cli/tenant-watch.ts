/** Follows tenant networks of a cluster: every change gives the whole picture anew. */
import { Informer, withoutManagedFields } from '../kube/informer.ts';
import type { Selection } from '../kube/list-pager.ts';
import { keyOf, type WireObject } from '../kube/object.ts';
import type { Stored } from '../kube/store.ts';
import { TENANT_NETWORK } from '../operator/resources.ts';
import type { Cluster } from './cluster.ts';
import { surroundings, unreadable } from './live-tenants.ts';
import type { TenantObjects } from './tenant-view.ts';

type Kept = WireObject & Stored;

/** Several objects change at once when an operator writes; one picture of them is enough. */
const SETTLE_MS = 50;

export interface Watching {
  /** One tenant with all that stands beside it, or every one of the namespace (of all when undefined) alone. */
  readonly tenant?: WireObject;
  readonly namespace: string | undefined;
}

/** Calls back with the first picture and with every later one, until the signal. */
export async function watchTenants(
  { client }: Cluster,
  { tenant, namespace }: Watching,
  show: (tenants: readonly TenantObjects[]) => void,
  signal: AbortSignal,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const informer = (selection: Selection) =>
    new Informer<Kept>({ ...selection, transport: client.transport, project: withoutManagedFields, onState: () => later() });
  const tenants = informer({
    resource: TENANT_NETWORK,
    ...(namespace === undefined ? {} : { namespace }),
    ...(tenant === undefined ? {} : { fieldSelector: `metadata.name=${tenant.metadata.name}` }),
  });
  const beside = tenant && surroundings(tenant);
  const pods = beside && informer(beside.pods);
  const nodePools = beside && informer(beside.nodePools);
  const followed = [tenants, ...(pods ? [pods] : []), ...(nodePools ? [nodePools] : [])];

  const seen = (one: Informer<Kept> | undefined) =>
    one?.store.hasSynced && one.state.phase !== 'forbidden' ? one.store.list() : undefined;
  const picture = (): void => {
    if (!followed.every(({ store, state }) => store.hasSynced || state.phase === 'forbidden')) return;
    const notes = followed.flatMap(({ state, name }) =>
      state.phase === 'failing' ? [`${name}: cut off, trying again: ${state.message}`] : [],
    );
    if (pods?.state.phase === 'forbidden' && beside) notes.push(unreadable(beside.pods.resource, beside.pods.namespace));
    if (nodePools?.state.phase === 'forbidden' && beside) notes.push(unreadable(beside.nodePools.resource, beside.nodePools.namespace));
    const sorted = tenants.store.list().toSorted((a, b) => keyOf(a.metadata).localeCompare(keyOf(b.metadata)));
    show(sorted.map((each) => ({ tenant: each, pods: seen(pods), nodePools: seen(nodePools), notes })));
  };
  const later = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      picture();
    }, SETTLE_MS);
  };
  for (const { store } of followed) store.subscribe(later);
  try {
    await Promise.all(followed.map((each) => each.run(signal)));
  } finally {
    clearTimeout(timer);
  }
}
