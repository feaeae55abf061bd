/** From what was planned, applied and seen to the conditions. Pure; each says what is waited for and what to do. */
import type { Finding } from '../../../api/finding.ts';
import { PAUSE_MARKER } from '../../../api/markers.ts';
import { type ConditionInput, summarize } from '../../../kube/conditions.ts';
import { refText } from '../../../kube/object.ts';
import type { SegmentProof } from '../../segment/proof.ts';
import type { Applied } from './apply.ts';
import { condition, type Names } from './conditions.ts';
import type { EdgeState } from './edges.ts';
import type { Tenant } from './observe.ts';
import { type Planned, stopsAll } from './plan.ts';
import type { Seen } from './probe.ts';
import { refusedStep, refusedText } from './refused.ts';
import { isOutdated, isWayBack } from './roll.ts';
import type { HeldBack } from './standby-first.ts';

export function judge(tenant: Tenant, planned: Planned, applied: Applied, seen: Seen): readonly ConditionInput[] {
  const names = namesOf(tenant);
  const parts = [
    accepted(planned, names),
    plannedCondition(planned, names),
    appliedCondition(applied, names),
    edgeReady(applied, seen, names),
    endpointsReady(planned, seen, names),
    segmentProven(seen, names),
    nodePoolsReleased(tenant, names),
  ];
  const ready = summarize('Ready', parts, { reason: 'Ready', message: 'everything answers from the segment' });
  return [...parts, ready];
}

/** While the TenantNetwork goes, nothing but that is worth saying. */
export const leaving = (tenant: Tenant, message: string): readonly ConditionInput[] => [
  condition('Ready', 'Deleting', message, namesOf(tenant)),
];

function namesOf({ object: { metadata, spec }, namespaces }: Tenant): Names {
  const { namespace, name } = metadata;
  return { namespace, name, hostedCluster: spec?.hostedCluster ?? name, ...namespaces };
}

function accepted({ verdict, findings }: Planned, names: Names): ConditionInput {
  if (verdict === 'unreadable') return condition('Accepted', 'Unreadable', worst(findings), names);
  if (findings.some(stopsAll)) return condition('Accepted', 'Refused', worst(findings.filter(stopsAll)), names);
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) return condition('Accepted', 'NodePoolsRefused', worst(errors), names);
  const warnings = findings.filter(({ severity }) => severity === 'warning').length;
  return condition(
    'Accepted',
    'Accepted',
    warnings === 0 ? 'no check objects' : `no check objects; see the ${plural(warnings, 'warning')} in status.findings`,
    names,
  );
}

/** The first in full, with what to do about it; the others are in the findings. */
function worst(findings: readonly Finding[]): string {
  const [first, ...others] = findings;
  if (first === undefined) return 'no reason was given';
  return `${first.code} ${first.object}: ${first.message}. To do: ${first.fix}${others.length === 0 ? '' : ` (and ${others.length} more in status.findings)`}`;
}

function plannedCondition({ verdict, plan }: Planned, names: Names): ConditionInput {
  if (verdict === 'go')
    return condition(
      'Planned',
      'Planned',
      `${plural(plan.edges.length, 'edge')}, ${plural(plan.listeners.length, 'listener')}, ${plural(plan.names.length, 'record')}, ${plural(plan.dhcp.reservations.length, 'machine')}`,
      names,
    );
  if (verdict === 'wait')
    return condition(
      'Planned',
      'WaitingForControlPlane',
      `waiting for HyperShift to create the HostedControlPlane in namespace ${names.controlPlane}`,
      names,
    );
  return condition('Planned', 'NotAccepted', 'there is no plan', names);
}

function appliedCondition(applied: Applied, names: Names): ConditionInput {
  switch (applied.outcome) {
    case 'held':
      return condition('Applied', 'NotPlanned', 'there is no plan that may be applied', names);
    case 'failed':
      return condition('Applied', 'ApiTrouble', applied.error.message, names);
    case 'namespaceTaken':
      return condition('Applied', 'NamespaceTaken', `namespace ${names.edge} exists and is not ours`, names);
    case 'namespaceTerminating':
      return condition(
        'Applied',
        'NamespaceTerminating',
        `waiting for namespace ${names.edge}, which somebody deleted, to be gone; then it is made anew`,
        names,
      );
    case 'done': {
      // In an order of its own: in which the answers came is no news.
      const [first, ...others] = [...applied.refused].sort((a, b) => (refText(a.ref) < refText(b.ref) ? -1 : 1));
      if (first === undefined && applied.held) return standbyFirst(applied.held, names);
      if (first === undefined) return condition('Applied', 'Applied', `${applied.objects} objects are as planned`, names);
      const [more, step] = [others.length === 0 ? '' : ` (and ${others.length} more)`, refusedStep(first)];
      return condition('Applied', 'ObjectsRefused', `${refusedText(first)}${more}${step ? `. ${step}` : ''}`, names);
    }
  }
}

const standbyFirst = ({ holder, standby }: HeldBack, names: Names): ConditionInput =>
  condition(
    'Applied',
    'StandbyFirst',
    `${standby} has the change; ${holder} keeps what it has until ${standby} was seen to be well with it`,
    names,
  );

function edgeReady(applied: Applied, { edges, proof }: Seen, names: Names): ConditionInput {
  if (edges.length === 0 || applied.outcome === 'held') return condition('EdgeReady', 'NotApplied', 'there is no edge yet', names);
  const held = updateOf(applied, edges, proof, names);
  if (held) return held;
  const troubled = edges.flatMap(({ problem }) => problem ?? []);
  const [first] = troubled;
  if (first === undefined) {
    const where = edges.map(
      ({ name, pod }) => `${name} on ${pod?.node ?? 'no node'} with ${pod?.net1?.addresses.join(', ') || pod?.net1?.mac}`,
    );
    return condition('EdgeReady', 'EdgesReady', where.join('; '), names);
  }
  const reason = {
    missing: 'PodsMissing',
    notReady: 'PodsNotReady',
    addressTaken: 'AddressTaken',
    refused: 'ConfigurationRefused',
    notOnSegment: 'NotOnSegment',
  } as const;
  return condition('EdgeReady', reason[first.kind], troubled.map(({ text }) => text).join('; '), names);
}

/** An update is under way as long as one edge is new and the other is not. It goes no further than to an edge that is not ready. */
function updateOf(applied: Applied, edges: readonly EdgeState[], proof: SegmentProof, names: Names): ConditionInput | undefined {
  if (applied.outcome !== 'done') return undefined;
  const { held } = applied;
  const waiting = edges.filter((edge) => isOutdated(edge, applied.edges.get(edge.name)));
  const next = waiting[0] ?? edges.find(({ name }) => name === held?.holder);
  const stopped = edges.find((edge) => !edge.ready && edge !== next && !waiting.includes(edge));
  if (next === undefined || !next.ready) return undefined;
  const kept = edges.filter((edge) => !waiting.includes(edge));
  if (waiting.length > 0 && kept.length > 0 && isWayBack(waiting, kept))
    return condition('EdgeReady', 'Updating', `${next.name} is made anew as it was before`, names);
  const given = edges.find(({ pod }) => pod !== undefined && pod.yielded !== '' && pod.yielded === pod.template);
  if (given)
    return condition(
      'EdgeReady',
      'UpdateHeld',
      `the segment was not well while ${given.name} had the VIP after its update, so ${next.name} has it again and stays as it is`,
      names,
    );
  // That an address is taken has nothing to do with the update, and going back would not help.
  if (stopped?.problem?.kind === 'addressTaken') return undefined;
  const serving = `${next.name} serves as before`;
  if (stopped?.problem) {
    // A pod that starts is given its time; one that ran before its configuration changed has had it.
    const lateWithFiles = held?.problem !== undefined && waiting.length === 0;
    const fails =
      stopped.problem.kind === 'refused' || stopped.problem.kind === 'notOnSegment' || stopped.pod?.stuck === true || lateWithFiles;
    if (!fails) return condition('EdgeReady', 'Updating', `${stopped.name} is made anew, ${serving}: ${stopped.problem.text}`, names);
    return condition('EdgeReady', 'UpdateHeld', `the update stopped at ${stopped.name}, ${serving}: ${stopped.problem.text}`, names);
  }
  if (held?.problem)
    return condition('EdgeReady', 'UpdateHeld', `the change stopped at ${held.standby}, ${serving}: ${held.problem}`, names);
  return waiting.length > 0 && waiting.length < edges.length ? unseen(serving, proof, names) : undefined;
}

/** The last one goes only when somebody saw that the segment is well with what is new already. */
function unseen(serving: string, proof: SegmentProof, names: Names): ConditionInput | undefined {
  if (proof.outcome === 'failed')
    return condition('EdgeReady', 'UpdateHeld', `${serving}, because the segment is not well with the new one: ${proof.message}`, names);
  if (proof.reason === 'ProberSilent' || proof.reason === 'ProberNotReady')
    return condition(
      'EdgeReady',
      'UpdateHeld',
      `${serving}, because nobody looks from the segment whether it is well: ${proof.message}. To do: kubectl delete pod -n ${names.edge} prober-0; the update goes on when the prober answers`,
      names,
    );
  return undefined;
}

function endpointsReady({ plan }: Planned, { endpoints }: Seen, names: Names): ConditionInput {
  if (plan === undefined || endpoints.length === 0)
    return condition('EndpointsReady', 'NotPlanned', 'no service of the control plane is known yet', names);
  const troubled = endpoints.flatMap(({ problem }) => problem ?? []);
  if (troubled.length === 0)
    return condition('EndpointsReady', 'UpstreamsReady', `${plural(endpoints.length, 'service')} published, each with ready pods`, names);
  const reason = troubled.some(({ kind }) => kind === 'unpublished') ? 'WaitingForHyperShift' : 'NoReadyUpstream';
  return condition('EndpointsReady', reason, `waiting: ${troubled.map(({ text }) => text).join('; ')}`, names);
}

function segmentProven({ proof }: Seen, names: Names): ConditionInput {
  return condition('SegmentProven', proof.reason, proof.message, names);
}

function nodePoolsReleased({ observed }: Tenant, names: Names): ConditionInput {
  if (observed?.tenantNetwork.spec.nodePools === 'Ignore')
    return condition('NodePoolsReleased', 'NotGated', 'the spec says to leave NodePools alone', names);
  const held = (observed?.nodePools ?? []).filter(({ metadata }) => metadata.annotations[PAUSE_MARKER] !== undefined);
  if (held.length === 0) return condition('NodePoolsReleased', 'Released', 'no NodePool is held back', names);
  return condition(
    'NodePoolsReleased',
    'Gated',
    `${held.map(({ metadata }) => metadata.name).join(', ')} held back until the segment is proven`,
    names,
  );
}

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
