/** One tenant network as it runs: what the operator reported, with its pods and NodePools beside it. Pure; `-o json` prints it, keep it stable. */
import { PAUSE_MARKER, RELEASE_MARKER } from '../api/markers.ts';
import type { TenantNetworkStatus } from '../api/tenant-network-status.ts';
import type { WireObject } from '../kube/object.ts';
import { CONDITIONS } from '../operator/controllers/tenant-network/conditions.ts';
import { type EdgePod, edgePod } from '../operator/world/edge-pod.ts';
import { namespacesOf, tenantOf } from '../operator/world/tenant.ts';
import type { Surroundings } from './look-around.ts';
import { type MachineView, machineViews } from './machine-steps.ts';

type Reported<K extends keyof TenantNetworkStatus> = NonNullable<TenantNetworkStatus[K]>;

/** What was read. Undefined: it could not be, and `notes` says why. */
export interface TenantObjects {
  readonly tenant: WireObject;
  readonly pods?: readonly WireObject[] | undefined;
  readonly nodePools?: readonly WireObject[] | undefined;
  readonly notes?: readonly string[];
  /** What was asked of others; absent where nobody was. */
  readonly around?: Surroundings | undefined;
}

export interface TenantView {
  readonly tenant: string;
  readonly hostedCluster: string;
  readonly mode: string;
  /** The condition Ready, said about the spec as it is now. */
  readonly ready: boolean;
  readonly conditions: readonly ConditionView[];
  readonly controlPlaneNamespace: string;
  readonly edgeNamespace: string;
  readonly segment: { readonly attachment: string; readonly mtu: number };
  readonly addresses: Reported<'addresses'>;
  readonly pool: TenantNetworkStatus['pool'];
  readonly edges: readonly EdgeView[];
  readonly endpoints: Reported<'endpoints'>;
  readonly nodePools: readonly NodePoolView[];
  readonly workers: number;
  readonly machines: readonly MachineView[];
  /** What the prober saw when it looked last; absent when it was not asked, or could not be. */
  readonly probes: Surroundings['probes'];
  readonly findings: Reported<'findings'>;
  /** What could not be asked of others, and why. */
  readonly unseen: readonly string[];
  /** What could not be read, or what to know about the rest. */
  readonly notes: readonly string[];
}

export type ConditionView = Reported<'conditions'>[number] & {
  /** What the reason means, for those who do not know it. */
  readonly meaning: string;
};

export interface EdgeView {
  readonly name: string;
  readonly pod: string | undefined;
  readonly node: string | undefined;
  readonly ready: boolean;
  /** Its addresses on the segment, as Multus reports them. */
  readonly net1: readonly string[];
  readonly holdsVip: boolean | undefined;
  readonly trouble: string | undefined;
}

/** held: paused by hcpio. released: hcpio let it go. paused: by somebody else. free: never held. */
export type Gate = 'held' | 'released' | 'paused' | 'free';

export interface NodePoolView {
  readonly name: string;
  readonly replicas: number | undefined;
  /** Nodes that it has, as HyperShift counts them. */
  readonly nodes: number;
  readonly gate: Gate;
}

export function tenantView({ tenant, pods, nodePools, notes = [], around }: TenantObjects): TenantView {
  const kept = tenantOf(tenant);
  const { status } = kept;
  const namespaces = namespacesOf(kept);
  const { namespace, name, generation } = kept.metadata;
  const hostedCluster = kept.spec?.hostedCluster ?? name;
  const conditions = (status.conditions ?? []).map((condition) => ({ ...condition, meaning: meaningOf(condition.type, condition.reason) }));
  const stale = status.observedGeneration !== undefined && status.observedGeneration < generation;
  return {
    tenant: `${namespace}/${name}`,
    hostedCluster,
    mode: kept.spec?.mode ?? 'unknown',
    ready: !stale && conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    conditions,
    controlPlaneNamespace: namespaces.controlPlane,
    edgeNamespace: namespaces.edge,
    segment: { attachment: kept.spec?.segment.attachment ?? '', mtu: kept.spec?.segment.mtu ?? 0 },
    addresses: status.addresses ?? {},
    pool: status.pool,
    edges: edgeViews(status, pods?.map(edgePod)),
    endpoints: status.endpoints ?? [],
    nodePools: (nodePools ?? []).map(asNodePool).flatMap((pool) => (pool.spec?.clusterName === hostedCluster ? [nodePoolView(pool)] : [])),
    workers: status.workers ?? 0,
    machines: machineViews(status.machines ?? [], status.endpoints ?? [], around ?? {}),
    probes: around?.probes,
    findings: status.findings ?? [],
    notes: [
      ...(conditions.length === 0 ? ['no operator has reported on it yet: kubectl get pods -n hcpio-system'] : []),
      ...(stale
        ? [`the operator has not looked at the newest spec yet (generation ${generation}, seen ${status.observedGeneration})`]
        : []),
      ...notes,
    ],
    unseen: around?.notes ?? [],
  };
}

/** A version of the operator that is newer than we are may have reasons that we do not know. */
function meaningOf(type: string, reason: string): string {
  const conditions: Readonly<Record<string, Readonly<Record<string, { readonly meaning: string }>>>> = CONDITIONS;
  return conditions[type]?.[reason]?.meaning ?? '';
}

/** What the operator reported, brought up to date by the pods where they can be read. */
function edgeViews({ edges = [] }: TenantNetworkStatus, pods: readonly EdgePod[] | undefined): readonly EdgeView[] {
  const names = [...new Set([...edges.map(({ name }) => name as string), ...(pods ?? []).map(({ edge }) => edge)])].sort();
  return names.map((name) => {
    const reported = edges.find((edge) => edge.name === name);
    const own = pods?.filter((pod) => pod.edge === name) ?? [];
    const pod = own.find(({ terminating }) => !terminating) ?? own[0];
    const node = pod?.node || reported?.node;
    return {
      name,
      pod: pod?.metadata.name,
      node,
      ready: pods === undefined ? (reported?.ready ?? false) : pod?.ready === true && !pod.terminating && (reported?.ready ?? false),
      net1: pod?.net1?.addresses ?? reported?.addresses ?? [],
      holdsVip: isAway(pods, pod) ? undefined : reported?.holdsVip,
      trouble: troubleOf(pods, pod),
    };
  });
}

/** Then what the operator reported is what was: a stopping edge hands the VIP over, and one that is not on the segment yet has none. */
const isAway = (pods: readonly EdgePod[] | undefined, pod: EdgePod | undefined): boolean =>
  pods !== undefined && (pod === undefined || pod.terminating || pod.net1 === undefined);

function troubleOf(pods: readonly EdgePod[] | undefined, pod: EdgePod | undefined): string | undefined {
  if (pods !== undefined && pod === undefined) return 'it has no pod';
  if (pod?.terminating) return 'its pod is being replaced';
  return pod?.trouble || undefined;
}

type NodePool = WireObject & {
  readonly spec?: { readonly clusterName?: string; readonly replicas?: number; readonly pausedUntil?: string };
  readonly status?: { readonly replicas?: number };
};
const asNodePool = (object: WireObject): NodePool => object as NodePool;

const nodePoolView = ({ metadata, spec, status }: NodePool): NodePoolView => ({
  name: metadata.name,
  replicas: spec?.replicas,
  nodes: status?.replicas ?? 0,
  gate: gateOf(metadata.annotations ?? {}, spec?.pausedUntil ?? ''),
});

function gateOf(annotations: Readonly<Record<string, string>>, pausedUntil: string): Gate {
  if (PAUSE_MARKER in annotations) return 'held';
  if (pausedUntil !== '') return 'paused';
  return RELEASE_MARKER in annotations ? 'released' : 'free';
}
