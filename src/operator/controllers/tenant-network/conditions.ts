/**
 * Every condition of a TenantNetwork and every reason it can have: a closed list, so that scripts and alerts can rely on it.
 * docs/reference/conditions.md is generated from this table.
 */
import type { ConditionInput } from '../../../kube/conditions.ts';

type Status = ConditionInput['status'];

interface Reason {
  readonly status: Status;
  readonly meaning: string;
}

const yes = (meaning: string): Reason => ({ status: 'True', meaning });
const no = (meaning: string): Reason => ({ status: 'False', meaning });
const unknown = (meaning: string): Reason => ({ status: 'Unknown', meaning });

export const CONDITIONS = {
  Accepted: {
    Accepted: yes('The spec, the hosted cluster and the hub make sense together.'),
    Refused: no('A check found an error; what was applied before stays as it is until it is mended. The findings say how.'),
    NodePoolsRefused: no('A NodePool or a machine cannot be served as it is. Everything else of the tenant is.'),
    Unreadable: no('The spec holds something that this version of hcpio does not understand.'),
  },
  Planned: {
    Planned: yes('Every address, name, listener and pool is decided.'),
    WaitingForControlPlane: no('HyperShift has not made the HostedControlPlane yet. Nothing to do.'),
    NotAccepted: no('There is no plan, because of what Accepted says.'),
  },
  Applied: {
    Applied: yes('Every object of the plan is on the hub as planned.'),
    NotPlanned: no('There is nothing to apply. What an earlier plan made stays.'),
    ObjectsRefused: no('The API server does not take an object. The message names it and says why.'),
    ApiTrouble: no('The API server fails to answer for an object, again and again. It is tried on.'),
    NamespaceTaken: no('The namespace that the edge needs exists and belongs to somebody else. Delete or rename it.'),
    NamespaceTerminating: no('The namespace of the edge is being deleted. When it is gone, it is made anew.'),
  },
  EdgeReady: {
    EdgesReady: yes('The pods are ready, and Multus reports net1 with the planned address.'),
    PodsMissing: no('A pod of the edge does not exist yet.'),
    PodsNotReady: no('A pod of the edge is not ready. The message says what it waits for.'),
    AddressTaken: no(
      'Another machine on the segment has the address of an edge, so the edge does not start. The message names the address and the MAC of that machine.',
    ),
    ConfigurationRefused: no(
      'A daemon of the edge does not take a file of its configuration and goes on with the last good one. The message names the file and shows the command that says why.',
    ),
    Updating: no('One edge is made anew while the other one serves. Nothing to do.'),
    UpdateHeld: no(
      'An update stopped at the first edge, which does not come up with it. The other one serves as before and is left alone. The message says how to go back.',
    ),
    NotOnSegment: no('A pod of the edge runs without net1, or with another address than planned.'),
    NotApplied: unknown('There is no edge yet.'),
  },
  EndpointsReady: {
    UpstreamsReady: yes('Every service of the control plane is published, and pods behind it are ready.'),
    WaitingForHyperShift: no('HyperShift has not published a service yet. Nothing to do.'),
    NoReadyUpstream: no('No pod behind a service of the control plane is ready.'),
    NotPlanned: unknown('It is not known yet which services there are.'),
  },
  SegmentProven: {
    Proven: yes('DHCP, DNS and every endpoint answered from the segment.'),
    ProbeFailed: no('Something did not answer from the segment. The message says what, and what to do; `hcpio verify` shows every probe.'),
    VipTaken: no(
      'A machine that is neither of the edges answers for the VIP on the segment. The message names its MAC; find it and take the address from it.',
    ),
    RogueDhcpServer: no('Somebody else gives out addresses on the segment. The message names the server; find it and stop it.'),
    NotProbed: unknown('Nobody has looked from the segment yet.'),
    ProberNotReady: unknown('The pod that looks from the segment does not run yet. The message says what it waits for.'),
    ProberSilent: unknown('The pod that looks from the segment does not answer the operator, or has not looked for a while.'),
    Outdated: unknown('The newest plan has not reached the edges or has not been looked at yet. Nothing to do: it takes seconds.'),
    NoProber: unknown('No address of the segment is left to look from. Reserve less, or set nodePools to Ignore.'),
  },
  NodePoolsReleased: {
    Released: yes('hcpio holds no NodePool back.'),
    NotGated: yes('The spec says nodePools: Ignore.'),
    Gated: no('hcpio holds NodePools back until the segment is proven.'),
  },
  Ready: {
    Ready: yes('All other conditions are True.'),
    Deleting: no('The TenantNetwork is being deleted. The message says what that waits for.'),
  },
} as const satisfies Record<string, Record<string, Reason>>;

export type ConditionType = keyof typeof CONDITIONS;
type ReasonOf<T extends ConditionType> = Extract<keyof (typeof CONDITIONS)[T], string>;

/** The only way to make a condition: its status follows from its reason, so one reason never has two. */
export function condition<T extends ConditionType>(type: T, reason: ReasonOf<T>, message: string): ConditionInput {
  const { status } = (CONDITIONS[type] as Readonly<Record<string, Reason>>)[reason] as Reason;
  return { type, status, reason, message };
}
