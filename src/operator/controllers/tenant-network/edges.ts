/** How each edge fares, as far as its pod tells. */
import { segmentMac } from '../../../gateway/segment-mac.ts';
import type { EdgePlan, TenantPlan } from '../../../gateway/tenant-plan.ts';
import type { EdgePod } from '../../world/edge-pod.ts';

export interface EdgeState {
  readonly name: EdgePlan['name'];
  /** The pod that counts: of several (one on its way out, one on its way in) the one that stays. */
  readonly pod: EdgePod | undefined;
  /** Ready, and on the segment as planned. */
  readonly ready: boolean;
  readonly problem:
    | { readonly kind: 'missing' | 'notReady' | 'addressTaken' | 'refused' | 'notOnSegment'; readonly text: string }
    | undefined;
}

export const edgeStates = (plan: TenantPlan, pods: readonly EdgePod[]): readonly EdgeState[] =>
  plan.edges.map((edge) => {
    const own = pods.filter((pod) => pod.edge === edge.name);
    const pod = own.find(({ terminating }) => !terminating) ?? own[0];
    const problem = problemOf(plan, edge, pod);
    return { name: edge.name, pod, ready: problem === undefined, problem };
  });

function problemOf(plan: TenantPlan, edge: EdgePlan, pod: EdgePod | undefined): EdgeState['problem'] {
  if (pod === undefined) return { kind: 'missing', text: `${edge.name} has no pod yet` };
  if (pod.terminating) return { kind: 'notReady', text: `pod ${pod.metadata.name} is being replaced` };
  if (pod.taken) return { kind: 'addressTaken', text: takenText(edge, pod.taken) };
  if (!pod.ready) return { kind: 'notReady', text: `pod ${pod.metadata.name} is not ready: ${pod.trouble}` };
  const wrong = segmentProblem(plan, edge, pod);
  return wrong === undefined ? undefined : { kind: 'notOnSegment', text: `pod ${pod.metadata.name} ${wrong}` };
}

const takenText = ({ name }: EdgePlan, { address, by }: NonNullable<EdgePod['taken']>): string => {
  const pin = name === 'edge-a' ? 'edgeA' : 'edgeB';
  return `${name} does not start, because ${by} on the segment has its address ${address}. To do: find that machine and take the address from it, or give ${name} another one (spec.gateway.addresses.${pin})`;
};

/**
 * Multus says what it attached. With OVN it knows no address, because the guard sets it; then the MAC, which is the edge's
 * alone, has to do.
 */
function segmentProblem(plan: TenantPlan, edge: EdgePlan, { net1 }: EdgePod): string | undefined {
  if (net1 === undefined) return 'has no interface net1, according to Multus';
  const planned = Object.values(edge.addresses);
  if (net1.addresses.length === 0) {
    return net1.mac === segmentMac(plan, edge) ? undefined : `has net1 without an address and with MAC ${net1.mac || 'unknown'}`;
  }
  const absent = planned.filter((address) => !net1.addresses.includes(address));
  return absent.length === 0 ? undefined : `has net1 with ${net1.addresses.join(', ')} instead of ${planned.join(', ')}`;
}
