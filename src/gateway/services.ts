import type { ServiceSpec } from 'kubernetes-types/core/v1.d.ts';
import { PEER_PORT } from './edge-ports.ts';
import { edgeLabels, edgeSelector } from './labels.ts';
import type { KubeObject } from './rendered.ts';
import type { EdgePlan, TenantPlan } from './tenant-plan.ts';

/**
 * One address per edge that outlives its pod: the far end of the other edge's `peer0`. The service network follows a recreated pod by
 * itself, so the link heals without the operator, the API or DNS. Not-ready pods too, because an edge becomes ready by talking to its
 * peer. The ClusterIP is read once, at the start of a pod: whoever deletes such a Service cuts the link until both pods were recreated.
 */
export const peerServices = (plan: TenantPlan): readonly KubeObject[] =>
  plan.edges.flatMap((edge) => {
    const peer = plan.edges.find((other) => other.name !== edge.name)?.peer;
    return peer === undefined ? [] : [service(plan, edge, peer.peerService)];
  });

function service(plan: TenantPlan, edge: EdgePlan, name: string): KubeObject {
  const spec: ServiceSpec = {
    type: 'ClusterIP',
    publishNotReadyAddresses: true,
    selector: edgeSelector(edge),
    ports: [{ name: 'peer', protocol: 'UDP', port: PEER_PORT, targetPort: PEER_PORT }],
  };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: plan.edgeNamespace, labels: edgeLabels(plan, edge) }, spec };
}
