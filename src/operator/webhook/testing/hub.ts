/** A hub for webhooks, out of the healthy tenant of the planner's tests and whatever else is on it. */
import type { TenantNetwork } from '../../../api/tenant-network.ts';
import { hubNetwork } from '../../../hosted-cluster/objects.ts';
import { indexObjects, type ProjectedObject } from '../../../hosted-cluster/select.ts';
import { blueObserved, type Change } from '../../../hosted-cluster/testing/blue.ts';
import type { GateKeeper } from '../../controllers/gate.ts';
import { announcedKeeper } from '../../controllers/gate-keeper.ts';
import type { AdmissionRequest } from '../admission-review.ts';
import type { HubKnowledge } from '../hub-knowledge.ts';

const network = hubNetwork.parse({
  kind: 'Network',
  metadata: { name: 'cluster' },
  status: { clusterNetwork: [{ cidr: '10.128.0.0/14' }], serviceNetwork: ['172.30.0.0/16'] },
});

export interface HubOptions {
  readonly without?: readonly ProjectedObject['kind'][];
  readonly tenants?: readonly TenantNetwork[];
  readonly more?: readonly ProjectedObject[];
  readonly change?: Change;
  readonly ready?: boolean;
  readonly keeper?: GateKeeper;
}

/** The HostedCluster, control plane, attachment and NodePool of tenant blue; no TenantNetwork unless given. */
export function hub({ without = [], tenants = [], more = [], change = {}, ready = true, keeper }: HubOptions = {}): HubKnowledge {
  const { hostedCluster, hostedControlPlanes, services, routes, attachments, nodePools } = blueObserved(change);
  const blue = [...(hostedCluster ? [hostedCluster] : []), ...hostedControlPlanes, ...services, ...routes, ...attachments, ...nodePools];
  const objects: (ProjectedObject | TenantNetwork)[] = [
    network,
    ...blue.filter(({ kind }) => !without.includes(kind)),
    ...more,
    ...tenants,
  ];
  const index = indexObjects(objects);
  return {
    index,
    ready: () => ready,
    keeper: (cluster) => (cluster === 'clusters/blue' ? keeper : undefined) ?? announcedKeeper(index, cluster),
  };
}

/** As the API server sends it: a TenantNetwork with the CRD's defaults in it, or not. */
export const tenantObject = (spec: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}) => ({
  apiVersion: 'hcpio.io/v1alpha1',
  kind: 'TenantNetwork',
  metadata: { name: 'blue', namespace: 'clusters', ...metadata },
  spec: { segment: { attachment: 'default/vlan100', cidrs: ['192.168.100.0/24'] }, ...spec },
});

export const creating = (object: unknown): AdmissionRequest => ({
  operation: 'CREATE',
  namespace: 'clusters',
  name: 'blue',
  object,
});

export const updating = (oldObject: unknown, object: unknown): AdmissionRequest => ({
  operation: 'UPDATE',
  namespace: 'clusters',
  name: 'blue',
  object,
  oldObject,
});
