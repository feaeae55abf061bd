/** A TenantNetwork as the operator keeps it: read strictly, with what was reported of it last. */
import { readTenantNetwork } from '../../api/defaults.ts';
import type { FieldProblem } from '../../api/field-problem.ts';
import { API_VERSION, type TenantNetwork } from '../../api/tenant-network.ts';
import type { TenantNetworkStatus } from '../../api/tenant-network-status.ts';
import { TENANT, tenantLabels } from '../../gateway/labels.ts';
import { controlPlaneNamespace, edgeNamespace as edgeNamespaceOf } from '../../hosted-cluster/namespace.ts';
import type { WireObject } from '../../kube/object.ts';

export interface KeptTenant {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'TenantNetwork';
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation: number;
    readonly deletionTimestamp?: string;
    readonly finalizers: readonly string[];
  };
  /** The uids of its owners. */
  readonly owners: readonly string[];
  /** Undefined when it cannot be understood; then `problems` says why. The API server lets no such object in, but an older CRD may have. */
  readonly spec: TenantNetwork['spec'] | undefined;
  readonly problems: readonly FieldProblem[];
  /** What was reported last. Only ever written by us, so it has the shape that we gave it. */
  readonly status: TenantNetworkStatus;
}

export function tenantOf(object: WireObject): KeptTenant {
  const { name, namespace = '', uid = '', resourceVersion = '', generation = 0, deletionTimestamp } = object.metadata;
  const { finalizers = [], ownerReferences = [] } = object.metadata;
  const { value, problems } = readTenantNetwork(object);
  return {
    apiVersion: API_VERSION,
    kind: 'TenantNetwork',
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      generation,
      ...(deletionTimestamp ? { deletionTimestamp } : {}),
      finalizers,
    },
    owners: ownerReferences.map((owner) => owner.uid),
    spec: value?.spec,
    problems,
    status: (object['status'] ?? {}) as TenantNetworkStatus,
  };
}

/** The tenant as the planner wants it. */
export const plannable = ({ apiVersion, kind, metadata, spec }: KeptTenant): TenantNetwork | undefined =>
  spec && {
    apiVersion,
    kind,
    metadata: { name: metadata.name, namespace: metadata.namespace, uid: metadata.uid, generation: metadata.generation },
    spec,
  };

/** The HostedCluster that it serves, as `namespace/name`. */
export const clusterOf = ({ metadata, spec }: KeptTenant): string => `${metadata.namespace}/${spec?.hostedCluster ?? metadata.name}`;

export function namespacesOf({ metadata, spec }: KeptTenant): { readonly controlPlane: string; readonly edge: string } {
  const controlPlane = controlPlaneNamespace({ namespace: metadata.namespace, name: spec?.hostedCluster ?? metadata.name });
  return { controlPlane, edge: edgeNamespaceOf(controlPlane) };
}

/** The value of the label that everything of this tenant carries. */
export const tenantLabel = ({ metadata }: Pick<KeptTenant, 'metadata'>): string =>
  tenantLabels({ tenant: `${metadata.namespace}/${metadata.name}` })[TENANT] ?? '';
