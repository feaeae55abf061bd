/** A tenant as `observe` gives it, out of the healthy one of the planner's tests. */
import type { TenantNetworkStatus } from '../../../../api/tenant-network-status.ts';
import { segmentMac } from '../../../../gateway/segment-mac.ts';
import { endpointSlice } from '../../../../hosted-cluster/objects.ts';
import type { Observed } from '../../../../hosted-cluster/observed.ts';
import { blueObserved, type Change } from '../../../../hosted-cluster/testing/blue.ts';
import { planTenant } from '../../../../tenant/plan.ts';
import type { EdgePod } from '../../../world/edge-pod.ts';
import type { KeptTenant } from '../../../world/tenant.ts';
import type { Tenant } from '../observe.ts';

const SERVICES = ['kube-apiserver', 'oauth-openshift', 'konnectivity-server', 'ignition-server-proxy'];

/** The pods behind the four Services, ready but for those that are named. */
export const slices = (...notReady: readonly string[]): Observed['endpointSlices'] =>
  SERVICES.map((service) =>
    endpointSlice.parse({
      kind: 'EndpointSlice',
      metadata: { name: `${service}-x`, namespace: 'clusters-blue', labels: { 'kubernetes.io/service-name': service } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.128.0.21'], conditions: { ready: !notReady.includes(service) } }],
      ports: [{ port: 6443 }],
    }),
  );

export interface TenantChange extends Change {
  readonly status?: TenantNetworkStatus;
  readonly object?: Partial<KeptTenant>;
  readonly pods?: readonly EdgePod[];
}

export function blueTenant(change: TenantChange = {}): Tenant {
  const observed = blueObserved({ ...change, observed: { endpointSlices: slices(), ...change.observed } });
  const { spec } = observed.tenantNetwork;
  const metadata = { name: 'blue', namespace: 'clusters', uid: 'u1', resourceVersion: '1', generation: 3, finalizers: [] };
  return {
    key: 'clusters/blue',
    object: {
      apiVersion: 'hcpio.io/v1alpha1',
      kind: 'TenantNetwork',
      metadata,
      owners: [],
      spec,
      problems: [],
      status: change.status ?? {},
      ...change.object,
    },
    status: change.status ?? {},
    observed,
    hostedCluster: undefined,
    namespaces: { controlPlane: 'clusters-blue', edge: 'clusters-blue-edge' },
    inventory: [],
    pods: change.pods ?? [],
  };
}

/** A pod of an edge that does all that is wanted of it. */
export function edgePodOf(name: 'edge-a' | 'edge-b', change: Partial<EdgePod> = {}): EdgePod {
  const plan = planTenant(blueObserved());
  const edge = plan.edges.find((one) => one.name === name);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'clusters-blue-edge', name: `${name}-0`, uid: `uid-${name}`, resourceVersion: '1' },
    tenant: 'clusters.blue',
    edge: name,
    node: name === 'edge-a' ? 'hub-a' : 'hub-b',
    address: '10.128.0.9',
    ready: true,
    terminating: false,
    made: '2026-11-01T10:00:00Z',
    template: 't',
    configuration: 'c',
    settings: '',
    yielded: '',
    net1: { addresses: Object.values(edge?.addresses ?? {}), mac: segmentMac(plan, { name }) },
    trouble: '',
    stuck: false,
    ...change,
  };
}
