/** From what was planned, applied and seen to the conditions. Pure; each says what is waited for and what to do. */
import type { Finding } from '../../../api/finding.ts';
import { PAUSE_MARKER } from '../../../api/markers.ts';
import { type ConditionInput, summarize } from '../../../kube/conditions.ts';
import { refText } from '../../../kube/object.ts';
import type { Applied } from './apply.ts';
import { condition } from './conditions.ts';
import type { EdgeState } from './edges.ts';
import type { Tenant } from './observe.ts';
import { type Planned, stopsAll } from './plan.ts';
import type { Seen } from './probe.ts';
import { isOutdated } from './roll.ts';

export function judge(tenant: Tenant, planned: Planned, applied: Applied, seen: Seen): readonly ConditionInput[] {
  const parts = [
    accepted(planned),
    plannedCondition(tenant, planned),
    appliedCondition(tenant, applied),
    edgeReady(applied, seen),
    endpointsReady(planned, seen),
    segmentProven(seen),
    nodePoolsReleased(tenant),
  ];
  const ready = summarize('Ready', parts, { reason: 'Ready', message: 'everything answers from the segment' });
  return [...parts, ready];
}

/** While the TenantNetwork goes, nothing but that is worth saying. */
export const leaving = (message: string): readonly ConditionInput[] => [condition('Ready', 'Deleting', message)];

function accepted({ verdict, findings }: Planned): ConditionInput {
  if (verdict === 'unreadable') return condition('Accepted', 'Unreadable', worst(findings));
  if (findings.some(stopsAll)) return condition('Accepted', 'Refused', worst(findings.filter(stopsAll)));
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) return condition('Accepted', 'NodePoolsRefused', worst(errors));
  const warnings = findings.filter(({ severity }) => severity === 'warning').length;
  return condition(
    'Accepted',
    'Accepted',
    warnings === 0 ? 'no check objects' : `no check objects; see the ${plural(warnings, 'warning')} in status.findings`,
  );
}

/** The first in full, with what to do about it; the others are in the findings. */
function worst(findings: readonly Finding[]): string {
  const [first, ...others] = findings;
  if (first === undefined) return 'no reason was given';
  return `${first.code} ${first.object}: ${first.message}. To do: ${first.fix}${others.length === 0 ? '' : ` (and ${others.length} more in status.findings)`}`;
}

function plannedCondition({ namespaces }: Tenant, { verdict, plan }: Planned): ConditionInput {
  if (verdict === 'go')
    return condition(
      'Planned',
      'Planned',
      `${plural(plan.edges.length, 'edge')}, ${plural(plan.listeners.length, 'listener')}, ${plural(plan.names.length, 'record')}, ${plural(plan.dhcp.reservations.length, 'machine')}`,
    );
  if (verdict === 'wait')
    return condition(
      'Planned',
      'WaitingForControlPlane',
      `waiting for HyperShift to create the HostedControlPlane in namespace ${namespaces.controlPlane}`,
    );
  return condition('Planned', 'NotAccepted', 'see Accepted');
}

function appliedCondition({ namespaces: { edge } }: Tenant, applied: Applied): ConditionInput {
  switch (applied.outcome) {
    case 'held':
      return condition('Applied', 'NotPlanned', 'there is no plan that may be applied; see Accepted and Planned');
    case 'failed':
      return condition('Applied', 'ApiTrouble', `${applied.error.message}; it is tried again`);
    case 'namespaceTaken':
      return condition(
        'Applied',
        'NamespaceTaken',
        `namespace ${edge} exists and is not ours: delete it, or create the HostedCluster under another name`,
      );
    case 'namespaceTerminating':
      return condition(
        'Applied',
        'NamespaceTerminating',
        `waiting for namespace ${edge}, which somebody deleted, to be gone; then it is made anew`,
      );
    case 'done': {
      // In an order of its own: in which the answers came is no news.
      const [first, ...others] = [...applied.refused].sort((a, b) => (refText(a.ref) < refText(b.ref) ? -1 : 1));
      if (first === undefined) return condition('Applied', 'Applied', `${applied.objects} objects are as planned`);
      return condition(
        'Applied',
        'ObjectsRefused',
        `the API server does not take ${refText(first.ref)}: ${first.refusal.message}${others.length === 0 ? '' : ` (and ${others.length} more)`}`,
      );
    }
  }
}

function edgeReady(applied: Applied, { edges }: Seen): ConditionInput {
  if (edges.length === 0 || applied.outcome === 'held') return condition('EdgeReady', 'NotApplied', 'there is no edge yet');
  const held = updateOf(applied, edges);
  if (held) return held;
  const troubled = edges.flatMap(({ problem }) => problem ?? []);
  const [first] = troubled;
  if (first === undefined) {
    const where = edges.map(
      ({ name, pod }) => `${name} on ${pod?.node ?? 'no node'} with ${pod?.net1?.addresses.join(', ') || pod?.net1?.mac}`,
    );
    return condition('EdgeReady', 'EdgesReady', where.join('; '));
  }
  const reason = {
    missing: 'PodsMissing',
    notReady: 'PodsNotReady',
    addressTaken: 'AddressTaken',
    refused: 'ConfigurationRefused',
    notOnSegment: 'NotOnSegment',
  } as const;
  return condition('EdgeReady', reason[first.kind], troubled.map(({ text }) => text).join('; '));
}

/** An update is under way as long as one edge is new and the other is not. It goes no further than to an edge that is not ready. */
function updateOf(applied: Applied, edges: readonly EdgeState[]): ConditionInput | undefined {
  if (applied.outcome !== 'done') return undefined;
  const waiting = edges.filter((edge) => isOutdated(edge, applied.edges.get(edge.name)));
  const stopped = edges.find((edge) => !edge.ready && !waiting.includes(edge));
  const [next] = waiting;
  if (next === undefined || !next.ready) return undefined;
  const given = edges.find(({ pod }) => pod !== undefined && pod.yielded !== '' && pod.yielded === pod.template);
  if (given)
    return condition(
      'EdgeReady',
      'UpdateHeld',
      `the segment was not well while ${given.name} had the VIP after its update, so ${next.name} has it again and stays as it is. ${WAY_BACK}`,
    );
  // That an address is taken has nothing to do with the update, and going back would not help.
  if (stopped?.problem === undefined || stopped.problem.kind === 'addressTaken') return undefined;
  const serving = `${next.name} serves as before`;
  const fails = stopped.problem.kind === 'refused' || stopped.problem.kind === 'notOnSegment' || stopped.pod?.stuck === true;
  if (!fails) return condition('EdgeReady', 'Updating', `${stopped.name} is made anew, ${serving}: ${stopped.problem.text}`);
  return condition('EdgeReady', 'UpdateHeld', `the update stopped at ${stopped.name}, ${serving}: ${stopped.problem.text}. ${WAY_BACK}`);
}

const WAY_BACK =
  'To go back: undo the last change of the TenantNetwork, or give the operator the edge image that it had (--edge-image, HCPIO_EDGE_IMAGE)';

function endpointsReady({ plan }: Planned, { endpoints }: Seen): ConditionInput {
  if (plan === undefined || endpoints.length === 0)
    return condition('EndpointsReady', 'NotPlanned', 'no service of the control plane is known yet');
  const troubled = endpoints.flatMap(({ problem }) => problem ?? []);
  if (troubled.length === 0)
    return condition('EndpointsReady', 'UpstreamsReady', `${plural(endpoints.length, 'service')} published, each with ready pods`);
  const reason = troubled.some(({ kind }) => kind === 'unpublished') ? 'WaitingForHyperShift' : 'NoReadyUpstream';
  return condition('EndpointsReady', reason, `waiting: ${troubled.map(({ text }) => text).join('; ')}`);
}

function segmentProven({ proof }: Seen): ConditionInput {
  return condition('SegmentProven', proof.reason, proof.message);
}

function nodePoolsReleased({ observed }: Tenant): ConditionInput {
  if (observed?.tenantNetwork.spec.nodePools === 'Ignore')
    return condition('NodePoolsReleased', 'NotGated', 'the spec says to leave NodePools alone');
  const held = (observed?.nodePools ?? []).filter(({ metadata }) => metadata.annotations[PAUSE_MARKER] !== undefined);
  if (held.length === 0) return condition('NodePoolsReleased', 'Released', 'no NodePool is held back');
  return condition(
    'NodePoolsReleased',
    'Gated',
    `${held.map(({ metadata }) => metadata.name).join(', ')} held back until the segment is proven`,
  );
}

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
