/** What HyperShift and Cluster API make of a NodePool: how many machines, under which names, and what they say about it. */
import type { KubeObject } from '../../../kube/object.ts';
import type { Condition } from '../hosted-cluster.ts';

export const NODE_POOL_ANNOTATION = 'hypershift.openshift.io/nodePool';
export const NODE_POOL_LABEL = 'hypershift.openshift.io/nodepool-name';
/** The lab's own: what stands for the machines of this pool. Absent means VMs. */
export const WORKER_KIND = 'lab.hcpio.io/worker-kind';
/** The lab's own: `networkmanager` for VMs that ask for their address as RHCOS does. Absent means busybox, which is quicker. */
export const DHCP_CLIENT = 'lab.hcpio.io/dhcp-client';

export interface NodePool extends KubeObject {
  readonly spec: {
    readonly clusterName: string;
    readonly replicas?: number;
    readonly pausedUntil?: string;
    readonly release: { readonly image: string };
    readonly platform: {
      readonly kubevirt?: {
        readonly compute?: { readonly cores?: number; readonly memory?: string };
        readonly attachDefaultNetwork?: boolean;
        readonly additionalNetworks?: readonly { readonly name: string }[];
      };
    };
  };
  readonly status?: { readonly conditions?: readonly Condition[]; readonly replicas?: number };
}

/** "true" or a time in the future; anything else does not pause. */
export function isPaused({ spec: { pausedUntil } }: NodePool, now: Date): boolean {
  if (pausedUntil === undefined) return false;
  if (pausedUntil === 'true') return true;
  const until = Date.parse(pausedUntil);
  return !Number.isNaN(until) && until > now.getTime();
}

export interface Scaling {
  readonly create: number;
  readonly remove: readonly string[];
}

/** Marked machines go first, then the youngest, as Cluster API does by default (nearly: it takes any). */
export function scaling(pool: NodePool, machines: readonly KubeObject[]): Scaling {
  const wanted = pool.metadata.deletionTimestamp ? 0 : (pool.spec.replicas ?? 0);
  const alive = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const marked = (machine: KubeObject) => machine.metadata.annotations?.['cluster.x-k8s.io/delete-machine'] !== undefined;
  const order = alive.toSorted(
    (a, b) =>
      Number(marked(b)) - Number(marked(a)) || (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''),
  );
  return {
    create: Math.max(0, wanted - alive.length),
    remove: order.slice(0, Math.max(0, alive.length - wanted)).map(({ metadata }) => metadata.name),
  };
}
