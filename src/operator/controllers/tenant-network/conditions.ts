/**
 * Every condition of a TenantNetwork and every reason it can have: a closed list, so that scripts and alerts can rely on it.
 * docs/reference/conditions.md is generated from this table.
 */
import type { ConditionInput } from '../../../kube/conditions.ts';

type Status = ConditionInput['status'];

/** What the next step of a message has to name. */
export interface Names {
  readonly namespace: string;
  readonly name: string;
  readonly hostedCluster: string;
  readonly controlPlane: string;
  readonly edge: string;
}

type Step = (names: Names) => string;

export interface Reason {
  readonly status: Status;
  readonly meaning: string;
  /** What to do now, as the message says it. Only where all is well there is nothing. */
  readonly next?: Step;
}

const yes = (meaning: string): Reason => ({ status: 'True', meaning });
const no = (meaning: string, next: Step): Reason => ({ status: 'False', meaning, next });
const unknown = (meaning: string, next: Step): Reason => ({ status: 'Unknown', meaning, next });
const toDo =
  (step: string | Step): Step =>
  (names) =>
    `To do: ${typeof step === 'string' ? step : step(names)}`;
/** It goes on by itself; what to look at when it does not. */
const wait =
  (otherwise: string | Step): Step =>
  (names) =>
    `Nothing to do${otherwise === '' ? '' : `; if it stays: ${typeof otherwise === 'string' ? otherwise : otherwise(names)}`}`;

const hyperShiftIsStuck = wait(({ namespace, hostedCluster }) => `kubectl describe hostedcluster -n ${namespace} ${hostedCluster}`);

export const CONDITIONS = {
  Accepted: {
    Accepted: yes('The spec, the hosted cluster and the hub make sense together.'),
    Refused: no(
      'A check found an error; what was applied before stays as it is until it is mended.',
      toDo('mend what status.findings says, each of which has a fix'),
    ),
    NodePoolsRefused: no(
      'A NodePool or a machine cannot be served as it is. Everything else of the tenant is.',
      toDo('mend what status.findings says, each of which has a fix'),
    ),
    Unreadable: no(
      'The spec holds something that this version of hcpio does not understand.',
      toDo('correct the spec, or install the version of hcpio that it was written for'),
    ),
  },
  Planned: {
    Planned: yes('Every address, name, listener and pool is decided.'),
    WaitingForControlPlane: no('HyperShift has not made the HostedControlPlane yet.', hyperShiftIsStuck),
    NotAccepted: no('A plan is made only of what is accepted.', toDo('what Accepted says')),
  },
  Applied: {
    Applied: yes('Every object of the plan is on the hub as planned.'),
    StandbyFirst: unknown(
      'A change is with the edge that does not hold the VIP. The other one keeps what it has until that one was seen to be well.',
      wait('see what EdgeReady says'),
    ),
    NotPlanned: no('There is nothing to apply. What an earlier plan made stays.', toDo('what Accepted and Planned say')),
    ObjectsRefused: no(
      'An object of the plan cannot be made. The message names it and says why. Nothing is removed meanwhile.',
      toDo(
        ({ edge }) => `lift the quota, the policy or the missing right that it names (namespace ${edge}); it is tried again every minute`,
      ),
    ),
    ApiTrouble: no(
      'The API server fails to answer for an object, again and again. It is tried on.',
      toDo("see whether the API server is well: kubectl get --raw '/readyz?verbose'; it is tried again by itself"),
    ),
    NamespaceTaken: no(
      'The namespace that the edge needs exists and belongs to somebody else. It is left alone.',
      toDo(({ edge }) => `delete namespace ${edge}, or create the HostedCluster under another name`),
    ),
    NamespaceTerminating: no(
      'The namespace of the edge is being deleted. When it is gone, it is made anew.',
      wait(({ edge }) => `kubectl get namespace ${edge} -o yaml says what holds it`),
    ),
  },
  EdgeReady: {
    EdgesReady: yes('The pods are ready, and Multus reports net1 with the planned address.'),
    PodsMissing: no(
      'A pod of the edge does not exist yet.',
      wait(({ edge }) => `kubectl get events -n ${edge}`),
    ),
    PodsNotReady: no(
      'A pod of the edge is not ready. The message says what it waits for.',
      wait(({ edge }) => `kubectl describe pods -n ${edge}`),
    ),
    AddressTaken: no(
      'Another machine on the segment has the address of an edge, so the edge does not start. The message names the address and the MAC of that machine.',
      toDo('find that machine and take the address from it, or give the edge another one (spec.gateway.addresses)'),
    ),
    ConfigurationRefused: no(
      'A daemon of the edge does not take a file of its configuration and goes on with the last good one.',
      toDo('undo the last change of the TenantNetwork, or mend what the daemon does not like'),
    ),
    Updating: no(
      'One edge is made anew while the other one serves.',
      wait(({ edge }) => `kubectl describe pods -n ${edge}`),
    ),
    UpdateHeld: no(
      'An update or a change of the spec stopped at the first edge: it does not do well with it, or nobody can see from the segment whether it does. The other one serves as before and is left alone.',
      () =>
        'To go back: undo the last change of the TenantNetwork, or give the operator the edge image that it had (--edge-image, HCPIO_EDGE_IMAGE)',
    ),
    NotOnSegment: no(
      'A pod of the edge runs without net1, or with another address than planned.',
      toDo(
        ({ edge }) =>
          `see that the bridge or VLAN of the attachment is on the node (kubectl get pods -n ${edge} -o wide), then delete the pod: it comes back`,
      ),
    ),
    NotApplied: unknown('There is no edge yet.', toDo('what Applied says')),
  },
  EndpointsReady: {
    UpstreamsReady: yes('Every service of the control plane is published, and pods behind it are ready.'),
    WaitingForHyperShift: no('HyperShift has not published a service yet.', hyperShiftIsStuck),
    NoReadyUpstream: no(
      'No pod behind a service of the control plane is ready.',
      toDo(({ controlPlane }) => `see what those pods wait for: kubectl get pods -n ${controlPlane}`),
    ),
    NotPlanned: unknown('It is not known yet which services there are.', toDo('what Planned says')),
  },
  SegmentProven: {
    Proven: yes('DHCP, DNS and every endpoint answered from the segment.'),
    ProbeFailed: no(
      'Something did not answer from the segment.',
      toDo(({ namespace, name }) => `look at every probe: hcpio verify ${namespace}/${name}`),
    ),
    VipTaken: no(
      'A machine that is neither of the edges answers for the VIP on the segment. The message names its MAC.',
      toDo('find that machine and take the address from it, or give the VIP another one while no VM runs (spec.gateway.addresses.vip)'),
    ),
    RogueDhcpServer: no(
      'Somebody else gives out addresses on the segment. The message names the server.',
      toDo('find it on the segment and stop it; if it is meant to serve the segment, set gateway.dhcp.serve to Nobody'),
    ),
    NotProbed: unknown('Nobody has looked from the segment yet.', toDo('what EdgeReady says')),
    ProberNotReady: unknown(
      'The pod that looks from the segment does not run yet. The message says what it waits for.',
      wait(({ edge }) => `kubectl describe pod -n ${edge} prober-0`),
    ),
    ProberSilent: unknown(
      'The pod that looks from the segment does not answer the operator, or has not looked for a while.',
      toDo(({ edge }) => `kubectl logs -n ${edge} prober-0; if it runs, a policy stands between the operator and namespace ${edge}`),
    ),
    Outdated: unknown(
      'The newest plan has not reached the edges or has not been looked at yet. It takes seconds.',
      wait(({ namespace, name }) => `hcpio verify ${namespace}/${name}`),
    ),
    NoProber: unknown('No address of the segment is left to look from.', toDo('reserve less of the segment, or set nodePools to Ignore')),
  },
  NodePoolsReleased: {
    Released: yes('hcpio holds no NodePool back.'),
    NotGated: yes('The spec says nodePools: Ignore.'),
    Gated: no('hcpio holds NodePools back until the segment is proven, and then lets them go by itself.', toDo('what SegmentProven says')),
  },
  Ready: {
    Ready: yes('All other conditions are True.'),
    Deleting: no(
      'The TenantNetwork is being deleted. The message says what that waits for.',
      wait(({ edge }) => `kubectl get namespace ${edge} -o yaml says what holds it`),
    ),
  },
} as const satisfies Record<string, Record<string, Reason>>;

export type ConditionType = keyof typeof CONDITIONS;
export type ReasonOf<T extends ConditionType> = T extends ConditionType ? Extract<keyof (typeof CONDITIONS)[T], string> : never;

/** A message that knows better than its reason what to do says so itself. */
const HAS_STEP = /\b(?:To do|To go back|Nothing to do)\b/;

/**
 * The only way to make a condition: its status follows from its reason, so one reason never has two; and so does the next step, so that
 * none that is not True leaves its reader without one.
 */
export function condition<T extends ConditionType>(type: T, reason: ReasonOf<T>, message: string, names: Names): ConditionInput {
  const { status, next } = (CONDITIONS[type] as Readonly<Record<string, Reason>>)[reason] as Reason;
  const said = next === undefined || HAS_STEP.test(message) ? message : `${message}. ${next(names)}`;
  return { type, status, reason, message: said };
}
