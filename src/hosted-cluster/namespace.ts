import { type Finding, finding, type ObjectRef } from '../api/finding.ts';
import { hostedClusterName } from '../api/tenant-network.ts';
import { shortName } from '../api/text.ts';
import type { HostedControlPlane } from './objects.ts';
import type { Observed } from './observed.ts';

/** HyperShift writes `namespace/name` of the HostedCluster here; there is no owner reference, because those do not cross namespaces. */
const CLUSTER_ANNOTATION = 'hypershift.openshift.io/cluster';

/** Where HyperShift puts the control plane. Not injective (`a` + `b-c` is `a-b` + `c`), so never trust it without the annotation. */
export const controlPlaneNamespace = (hostedCluster: { readonly namespace: string; readonly name: string }): string =>
  `${hostedCluster.namespace}-${hostedCluster.name.replaceAll('.', '-')}`;

/** Where the edge of that control plane lives. */
export const edgeNamespace = (controlPlane: string): string => shortName(controlPlane, 'edge');

export interface Namespaces {
  readonly controlPlane: string;
  readonly edge: string;
  /** Only when it is this tenant's beyond doubt; nothing else of its namespace may be read without it. */
  readonly hostedControlPlane: HostedControlPlane | undefined;
  readonly findings: readonly Finding[];
}

type Input = Pick<Observed, 'tenantNetwork' | 'hostedCluster' | 'hostedControlPlanes'>;

/** Finds the tenant's HostedControlPlane and makes sure that the namespace is the tenant's alone. */
export function readNamespaces({ tenantNetwork, hostedCluster, hostedControlPlanes }: Input): Namespaces {
  const cluster = { kind: 'HostedCluster', namespace: tenantNetwork.metadata.namespace, name: hostedClusterName(tenantNetwork) };
  const controlPlane = controlPlaneNamespace(cluster);
  const names = { controlPlane, edge: edgeNamespace(controlPlane) };
  const none = (...findings: Finding[]): Namespaces => ({ ...names, hostedControlPlane: undefined, findings });

  const here = hostedControlPlanes.filter((plane) => plane.metadata.namespace === controlPlane);
  const [plane] = here;
  // Without a HostedCluster there is nothing to wait for.
  if (!plane) return hostedCluster ? none(waiting(cluster, controlPlane)) : none();
  if (here.length > 1) return none(crowded(cluster, controlPlane, here));
  if (plane.metadata.annotations[CLUSTER_ANNOTATION] !== `${cluster.namespace}/${cluster.name}`) return none(foreign(cluster, plane));
  return { ...names, hostedControlPlane: plane, findings: [] };
}

const RENAME = 'create one of the HostedClusters under another name: namespace and name joined by a dash must differ';

const waiting = (cluster: ObjectRef, namespace: string): Finding =>
  finding('HCPIO-TEN-006', {
    object: cluster,
    message: `waiting for HyperShift to create the HostedControlPlane in namespace ${namespace}`,
    fix: `nothing to do; if it stays away, read the conditions: kubectl describe hostedcluster -n ${cluster.namespace} ${cluster.name}`,
  });

function crowded(cluster: ObjectRef, namespace: string, planes: readonly HostedControlPlane[]): Finding {
  const names = planes.map((plane) => plane.metadata.name).sort();
  return finding('HCPIO-TEN-002', {
    object: cluster,
    message: `namespace ${namespace} holds ${planes.length} HostedControlPlanes (${names.join(', ')}), so their Services cannot be told apart`,
    fix: RENAME,
  });
}

function foreign(cluster: ObjectRef, { metadata }: HostedControlPlane): Finding {
  const owner = metadata.annotations[CLUSTER_ANNOTATION];
  const plane = `HostedControlPlane ${metadata.namespace}/${metadata.name}`;
  return finding('HCPIO-TEN-003', {
    object: cluster,
    message:
      owner === undefined
        ? `${plane} does not say which HostedCluster it belongs to (annotation ${CLUSTER_ANNOTATION})`
        : `${plane} belongs to HostedCluster ${JSON.stringify(owner)}, not to ${cluster.namespace}/${cluster.name}`,
    fix: owner === undefined ? 'let HyperShift annotate it; if somebody made it by hand, delete it' : RENAME,
  });
}
