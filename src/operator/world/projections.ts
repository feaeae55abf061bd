/**
 * What is kept of other people's objects: the fields that `hosted-cluster/objects.ts` names, with only those labels and
 * annotations that mean something to us. Last-applied configurations and managed fields alone are most of many objects.
 */
import { GROUP } from '../../api/tenant-network.ts';
import * as schemas from '../../hosted-cluster/objects.ts';
import { wireOf } from '../../hosted-cluster/wire.ts';
import type { Condition } from '../../kube/conditions.ts';
import type { WireObject } from '../../kube/object.ts';
import type { Interned } from '../ledger/interned.ts';

/** Of a HostedCluster: how its tenant network fares, for those who look nowhere else. */
export const MIRROR_CONDITION = `${GROUP}/TenantNetworkReady`;

/** Prefixes and not a list of keys: what HyperShift, Multus and we ourselves write there is short, and one of it may be asked for next. */
const KEPT = ['hypershift.openshift.io/', 'k8s.v1.cni.cncf.io/', `${GROUP}/`, 'kubernetes.io/service-name'];

interface Meta {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
}

interface Parsed {
  readonly metadata: Meta;
}

/** The store must know which object it holds, and which version of it. */
export type Kept<T extends Parsed> = Omit<T, 'metadata'> & {
  readonly metadata: Omit<T['metadata'], 'uid'> & { readonly uid: string; readonly resourceVersion: string };
};

export interface KeptHostedCluster extends Kept<schemas.HostedCluster> {
  readonly mirror: Condition | undefined;
}
export interface KeptAttachment extends Kept<schemas.Nad> {
  /** The layer 2 that it leads to, read once: its configuration is text. */
  readonly wire: string;
}
export interface KeptNodePool extends Kept<schemas.NodePool> {
  /** Nodes that it has now, as HyperShift counts them. */
  readonly replicas: number;
}

export type Projections = ReturnType<typeof projectionsFor>;

export function projectionsFor(interned: Interned) {
  const kept =
    <T extends Parsed>(schema: { parse(value: unknown): T }) =>
    (object: WireObject): Kept<T> => {
      const { metadata, ...rest } = schema.parse(object);
      const { uid = '', resourceVersion = '' } = object.metadata;
      const slim = {
        name: interned.of(metadata.name),
        namespace: interned.of(metadata.namespace),
        labels: only(metadata.labels),
        annotations: only(metadata.annotations),
      };
      return { ...rest, metadata: { ...(metadata as T['metadata']), ...slim, uid, resourceVersion } };
    };
  const hostedCluster = kept(schemas.hostedCluster);
  const hostedControlPlane = kept(schemas.hostedControlPlane);
  const nodePool = kept(schemas.nodePool);
  const attachment = kept(schemas.nad);
  return {
    hostedCluster: (object: WireObject): KeptHostedCluster => {
      const { status, ...rest } = hostedCluster(object);
      // HyperShift's own conditions decide nothing here: what was published is read, not what is said about it.
      return { ...rest, status: { ...status, conditions: [] }, mirror: mirrorOf(object) };
    },
    hostedControlPlane: (object: WireObject): Kept<schemas.HostedControlPlane> => {
      const { status, ...rest } = hostedControlPlane(object);
      // Its spec is a copy of the HostedCluster's, and that one is read.
      return { ...rest, spec: NO_SPEC, status: { ...status, conditions: [] } };
    },
    nodePool: (object: WireObject): KeptNodePool => ({ ...nodePool(object), replicas: replicasOf(object) }),
    attachment: (object: WireObject): KeptAttachment => {
      const nad = attachment(object);
      return { ...nad, wire: wireOf(nad) };
    },
    service: kept(schemas.service),
    endpointSlice: kept(schemas.endpointSlice),
    route: kept(schemas.route),
    machine: kept(schemas.virtualMachineInstance),
    hubNetwork: kept(schemas.hubNetwork),
    hubIngress: kept(schemas.hubIngress),
    hubDns: kept(schemas.hubDns),
    hubProxy: kept(schemas.hubProxy),
    node: kept(schemas.node),
    serviceCidr: kept(schemas.serviceCidr),
  };
}

const only = (texts: Record<string, string>): Record<string, string> => {
  const found = Object.entries(texts).filter(([key]) => KEPT.some((prefix) => key.startsWith(prefix)));
  return found.length === 0 ? NONE : Object.fromEntries(found);
};
const NONE: Record<string, string> = Object.freeze({});
const NO_SPEC = schemas.hostedControlPlane.shape.spec.parse({ platform: { type: '' } });

function mirrorOf(object: WireObject): Condition | undefined {
  const status = object['status'] as { readonly conditions?: readonly Condition[] } | undefined;
  return status?.conditions?.find(({ type }) => type === MIRROR_CONDITION);
}

function replicasOf(object: WireObject): number {
  const status = object['status'] as { readonly replicas?: number } | undefined;
  return status?.replicas ?? 0;
}
