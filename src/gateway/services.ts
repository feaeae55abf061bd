import type { ServiceSpec } from 'kubernetes-types/core/v1.d.ts';
import { PEER_PORT } from './edge-ports.ts';
import { edgeLabels, edgeSelector, peerServiceOf } from './labels.ts';
import type { KubeObject } from './rendered.ts';
import type { EdgePlan, TenantPlan } from './tenant-plan.ts';

/**
 * One address per edge that outlives its pod: the far end of the other edge's `peer0`. The service network follows a recreated pod by
 * itself, so the link heals without the operator, the API or DNS. Not-ready pods too, because an edge becomes ready by talking to its
 * peer. The ClusterIP is read once, at the start of a pod: whoever deletes such a Service cuts the link until both pods were recreated. So a
 * single edge has both already: a second one finds the first, without the first being made anew.
 */
export const peerServices = (plan: TenantPlan): readonly KubeObject[] =>
  plan.edges.length === 0 ? [] : (['edge-a', 'edge-b'] as const).map((name) => service(plan, { name }));

function service(plan: TenantPlan, edge: Pick<EdgePlan, 'name'>): KubeObject {
  const spec: ServiceSpec = {
    type: 'ClusterIP',
    publishNotReadyAddresses: true,
    selector: edgeSelector(edge),
    ports: [{ name: 'peer', protocol: 'UDP', port: PEER_PORT, targetPort: PEER_PORT }],
  };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: peerServiceOf(edge), namespace: plan.edgeNamespace, labels: edgeLabels(plan, edge) },
    spec,
  };
}
