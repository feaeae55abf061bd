/** What is told of a TenantNetwork in events: changes of mind and deeds, one function each. What merely is stands in the status. */
import type { Finding } from '../../../api/finding.ts';
import { type ObjectRef, refText } from '../../../kube/object.ts';
import { eventOf, type ReasonFor } from '../../events.ts';
import type { EdgePod } from '../../world/edge-pod.ts';
import type { Applied } from './apply.ts';
import type { Context } from './context.ts';
import type { Tenant } from './observe.ts';
import { type Refused, refusedStep, refusedText } from './refused.ts';
import type { Repair } from './work.ts';

type Telling = Pick<Context, 'tell'>;
type Done = Extract<Applied, { outcome: 'done' }>;

export const tellApplied = (tenant: Tenant, { created, changed, removed }: Done, context: Telling): void => {
  const parts = [count(created, 'created'), count(changed, 'changed'), count(removed, 'removed')].filter((part) => part !== '');
  if (parts.length > 0) say(tenant, 'Applied', `${parts.join(', ')} for namespace ${tenant.namespaces.edge}`, context);
};

export const tellRepaired = (tenant: Tenant, { ref, fields, taken }: Repair, context: Telling): void =>
  say(tenant, 'Repaired', `somebody else changed ${refText(ref)}${by(taken)}; put back: ${list(fields)}`, context);

export const tellObjectRefused = (tenant: Tenant, refused: Refused, context: Telling): void =>
  say(tenant, 'ObjectRefused', [refusedText(refused), refusedStep(refused)].filter((part) => part !== undefined).join('. '), context);

export const tellRefused = (tenant: Tenant, finding: Finding, context: Telling): void =>
  say(tenant, 'Refused', `${finding.code} ${finding.object}: ${finding.message}; ${finding.fix}`, context);

export const tellNamespaceTaken = (tenant: Tenant, context: Telling): void =>
  say(tenant, 'NamespaceTaken', `namespace ${tenant.namespaces.edge} exists and is not ours; it is left alone`, context);

export const tellRolled = (tenant: Tenant, pod: EdgePod, context: Telling): void =>
  say(tenant, 'EdgeRolled', `pod ${pod.metadata.name} is made anew, because its template changed`, context);

export const tellYielded = (tenant: Tenant, pod: EdgePod, context: Telling): void =>
  say(tenant, 'VipMoved', `pod ${pod.metadata.name} was asked to give the VIP to the other edge`, context);

export const tellReady = (tenant: Tenant, turn: 'Ready' | 'Changing' | 'NotReady', message: string, context: Telling): void =>
  say(tenant, turn, message, context);

export const tellRogue = (tenant: Tenant, servers: readonly string[], context: Telling): void =>
  say(tenant, 'RogueDhcpServer', `${servers.join(', ')} gives out addresses on the segment as well`, context);

export const tellKept = (tenant: Tenant, reason: string, context: Telling): void => say(tenant, 'Kept', reason, context);

export const tellRemoved = (tenant: Tenant, removed: readonly ObjectRef[], context: Telling): void => {
  if (removed.length > 0) say(tenant, 'Removed', `${count(removed, 'removed')} for namespace ${tenant.namespaces.edge}`, context);
};

const say = (tenant: Tenant, reason: ReasonFor<'TenantNetwork'>, note: string, { tell }: Telling): void =>
  tell(eventOf('TenantNetwork', tenant.object, reason, note));

const count = (refs: readonly ObjectRef[], verb: string): string =>
  refs.length === 0 ? '' : refs.length === 1 && refs[0] ? `${verb} ${refs[0].kind} ${refs[0].name}` : `${refs.length} objects ${verb}`;

const MOST_NAMED = 5;
const list = (fields: readonly string[]): string =>
  fields.length <= MOST_NAMED ? fields.join(', ') : `${fields.slice(0, MOST_NAMED).join(', ')} and ${fields.length - MOST_NAMED} more`;

/** The server names the other party in the conflict that it reports: `conflict with "kubectl-edit" using v1`. */
function by(taken: Repair['taken']): string {
  const names = new Set(taken.flatMap(({ message }) => /conflict with "([^"]+)"/.exec(message)?.[1] ?? []));
  return names.size === 0 ? '' : ` (${[...names].join(', ')})`;
}
