/** All reads: what is known of one tenant when its reconciliation begins. From here on nobody looks around. */
import type { TenantNetworkStatus } from '../../../api/tenant-network-status.ts';
import { earlierIn } from '../../../hosted-cluster/earlier.ts';
import type { Observed } from '../../../hosted-cluster/observed.ts';
import { observeTenant } from '../../../hosted-cluster/select.ts';
import type { Key } from '../../../kube/object.ts';
import type { Entry } from '../../ledger/ledger.ts';
import type { EdgePod } from '../../world/edge-pod.ts';
import type { KeptHostedCluster } from '../../world/projections.ts';
import { clusterOf, type KeptTenant, namespacesOf, plannable, tenantLabel } from '../../world/tenant.ts';
import type { Context } from './context.ts';

export interface Tenant {
  readonly key: Key;
  readonly object: KeptTenant;
  /** What was reported last. */
  readonly status: TenantNetworkStatus;
  /** The planner's input; undefined when the spec cannot be understood. */
  readonly observed: Observed | undefined;
  readonly hostedCluster: KeptHostedCluster | undefined;
  readonly namespaces: { readonly controlPlane: string; readonly edge: string };
  /** Everything that was written for it, as it stands now. */
  readonly inventory: readonly Entry[];
  readonly pods: readonly EdgePod[];
}

/** Undefined: there is no such tenant any more, and nothing to do. */
export async function observe(
  key: Key,
  { world, guestRouter }: Pick<Context, 'world' | 'guestRouter'>,
  signal: AbortSignal,
): Promise<Tenant | undefined> {
  const { tenants, hostedClusters, pods } = world.sources;
  const object = tenants.get(key);
  if (object === undefined) return undefined;
  const { status } = object;
  const tenantNetwork = plannable(object);
  if (tenantNetwork) await world.followServices(tenantNetwork, signal);
  const label = tenantLabel(object);
  const earlier = earlierIn(status);
  return {
    key,
    object,
    status,
    observed:
      tenantNetwork && observeTenant(world.index, tenantNetwork, { ...earlier, guestRouter: guestRouter(key) ?? earlier.guestRouter }),
    hostedCluster: hostedClusters.get(clusterOf(object)),
    namespaces: namespacesOf(object),
    inventory: world.inventory(label),
    pods: pods.byIndex('tenant', label),
  };
}
