/** `hcpio.io/tenant-network: default/vlan100` on a HostedCluster: makes the TenantNetwork that it stands for. Never changes or deletes one. */
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts';
import { attempt } from '../../api/finding.ts';
import { fromShorthand } from '../../api/shorthand.ts';
import { API_VERSION, type TenantNetwork } from '../../api/tenant-network.ts';
import type { Clock } from '../../kube/clock.ts';
import type { Controller, Reconcile } from '../../kube/controller.ts';
import { ApiError, isAlreadyExists } from '../../kube/errors.ts';
import type { EventToTell } from '../../kube/events.ts';
import { apiVersionOf, keyOf } from '../../kube/object.ts';
import { refusalOf } from '../../kube/refusal.ts';
import { eventOf } from '../events.ts';
import { HOSTED_CLUSTER, TENANT_NETWORK } from '../resources.ts';
import { follow } from '../world/feeds.ts';
import type { KeptHostedCluster } from '../world/projections.ts';
import { clusterOf } from '../world/tenant.ts';
import type { World } from '../world/world.ts';
import type { Writer } from '../writer.ts';
import { mirror, withdrawMirror } from './mirror.ts';
import { REFUSED_MS } from './tenant-network/next-look.ts';

export const shorthandRules: readonly PolicyRule[] = [
  { apiGroups: [HOSTED_CLUSTER.group], resources: [HOSTED_CLUSTER.plural], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [TENANT_NETWORK.group], resources: [TENANT_NETWORK.plural], verbs: ['create'] },
];

interface Context {
  readonly world: World;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly tell: (event: EventToTell) => void;
}

export const shorthandReconciler =
  (context: Context): Reconcile =>
  async (key, { signal }) => {
    const { world, writer } = context;
    const cluster = world.sources.hostedClusters.get(key);
    // One that is written out wins, also when it has another name; a difference is a finding (HCPIO-TEN-008).
    if (cluster === undefined || cluster.metadata.deletionTimestamp || isServed(key, world)) return undefined;
    const { value, findings } = attempt(() => fromShorthand(cluster));
    const [finding] = findings;
    if (finding) return refuse(cluster, `${finding.message}; ${finding.fix}`, context, signal);
    if (value === undefined) return takeBack(cluster, context, signal);
    // Its echo is not laid over the store: to the tenant's controller it is news.
    const refused = await writer.create(TENANT_NETWORK, objectOf(value, cluster), signal).then(noRefusal, refusalIn);
    if (refused === undefined) return undefined;
    await refuse(cluster, `the API server does not take the TenantNetwork that the annotation asks for: ${refused}`, context, signal);
    return { requeueAfterMs: REFUSED_MS };
  };

const REFUSED = 'AnnotationRefused';

/** In an event, which is gone after an hour, and for as long as it lasts where the tenant network would say how it fares. */
async function refuse(cluster: KeptHostedCluster, message: string, context: Context, signal: AbortSignal): Promise<undefined> {
  const { mirror: before } = cluster;
  if (before?.reason !== REFUSED || before.message !== message)
    context.tell(eventOf('HostedCluster', { apiVersion: apiVersionOf(HOSTED_CLUSTER), metadata: cluster.metadata }, REFUSED, message));
  await mirror(cluster, { status: 'False', reason: REFUSED, message }, context, signal);
}

/** Nobody asks any more. */
async function takeBack(cluster: KeptHostedCluster, context: Context, signal: AbortSignal): Promise<undefined> {
  if (cluster.mirror?.reason === REFUSED) await withdrawMirror(cluster, context, signal);
}

export function feedShorthand(controller: Controller, world: World): void {
  follow(controller, world.sources.hostedClusters, ({ metadata }) => [keyOf(metadata)]);
  // One that somebody deleted comes back for as long as the annotation asks for it.
  follow(controller, world.sources.tenants, (tenant) => [clusterOf(tenant), keyOf(tenant.metadata)]);
}

const isServed = (cluster: string, { sources: { tenants } }: World): boolean =>
  tenants.byIndex('cluster', cluster).length > 0 || tenants.get(cluster) !== undefined;

/** Only what the annotation says; the API server fills in the rest, so that it reads as if a person had written it. */
const objectOf = ({ metadata, spec }: TenantNetwork, cluster: KeptHostedCluster) => ({
  apiVersion: API_VERSION,
  kind: TENANT_NETWORK.kind,
  metadata: {
    name: metadata.name,
    namespace: metadata.namespace,
    ownerReferences: [
      { apiVersion: apiVersionOf(HOSTED_CLUSTER), kind: HOSTED_CLUSTER.kind, name: cluster.metadata.name, uid: cluster.metadata.uid },
    ],
  },
  spec: { segment: { attachment: spec.segment.attachment } },
});

const noRefusal = (): undefined => undefined;

/** Why it may not be; undefined when it is there already. A webhook that refuses has read what the annotation means, and says what to do. */
function refusalIn(error: unknown): string | undefined {
  if (isAlreadyExists(error)) return undefined;
  const refusal = error instanceof ApiError ? refusalOf(error) : undefined;
  if (refusal === undefined) throw error;
  return refusal.message;
}
