/**
 * Every event that the operator tells, by what it is about: a closed list, so that people and scripts can select by reason.
 * docs/reference/events.md is generated from this table.
 */
import type { EventToTell } from '../kube/events.ts';
import type { KubeObject } from '../kube/object.ts';

export interface EventReason {
  readonly type: EventToTell['type'];
  /** What the operator was doing. */
  readonly action: string;
  readonly meaning: string;
}

const normal = (action: string, meaning: string): EventReason => ({ type: 'Normal', action, meaning });
const warning = (action: string, meaning: string): EventReason => ({ type: 'Warning', action, meaning });

export const EVENTS = {
  TenantNetwork: {
    Applied: normal('Apply', 'Objects were created, changed or removed, because what is wanted is another thing now.'),
    Repaired: warning(
      'Apply',
      'Somebody else changed an object of hcpio. The note says who, where that is known, and which fields were put back.',
    ),
    ObjectRefused: warning('Apply', 'An object of the plan cannot be made. Told once for as long as it lasts.'),
    NamespaceTaken: warning('Apply', 'The namespace of the edge belongs to somebody else. Told once for as long as it lasts.'),
    Refused: warning('Plan', 'A check found an error that stops everything, one event per finding.'),
    EdgeRolled: normal('Roll', 'A pod of the edge is made anew, because its template changed.'),
    VipMoved: normal(
      'Roll',
      'An edge was asked to give the VIP to the other one, before it is made anew or because the segment was not well with it.',
    ),
    Ready: normal('Report', 'The tenant network became ready.'),
    Changing: normal(
      'Report',
      'What is wanted is another thing now, and is brought to one edge after the other. The tenant is served meanwhile.',
    ),
    NotReady: warning('Report', 'The tenant network was ready and is no longer. The note says why.'),
    RogueDhcpServer: warning('Probe', 'Somebody else began to give out addresses on the segment.'),
    Kept: normal('Delete', 'The edge stays although the TenantNetwork is deleted, because workers still drain through it.'),
    Removed: normal('Delete', 'Objects were removed with the TenantNetwork.'),
  },
  NodePool: {
    Held: normal('Gate', 'The NodePool was paused until the segment is proven.'),
    Released: normal('Gate', 'The pause of hcpio was lifted.'),
    Yielded: normal('Gate', 'Somebody else changed the pause of hcpio, which leaves the NodePool alone from then on.'),
  },
  HostedCluster: {
    AnnotationRefused: warning('Create', 'The annotation leads to no TenantNetwork. Told once for as long as it lasts.'),
  },
} as const satisfies Record<string, Record<string, EventReason>>;

type Kind = keyof typeof EVENTS;
export type ReasonFor<K extends Kind> = Extract<keyof (typeof EVENTS)[K], string>;

interface Regarding {
  readonly apiVersion: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string };
}

/** The only way to make an event: its type and its action follow from its reason. */
export function eventOf<K extends Kind>(kind: K, about: Regarding, reason: ReasonFor<K>, note: string): EventToTell {
  const { type, action } = (EVENTS[kind] as Readonly<Record<string, EventReason>>)[reason] as EventReason;
  const { name, namespace, uid } = about.metadata;
  const regarding = { apiVersion: about.apiVersion, kind, metadata: { name, namespace, uid } } satisfies KubeObject;
  return { regarding, type, reason, action, note };
}
