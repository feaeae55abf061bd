/** One write of status per reconciliation, and only when it says something new; and the events of what changed. */
import type { TenantNetworkStatus } from '../../../api/tenant-network-status.ts';
import { type Condition, findCondition, setConditions } from '../../../kube/conditions.ts';
import { mirror } from '../mirror.ts';
import type { Applied } from './apply.ts';
import type { ReasonOf } from './conditions.ts';
import type { Context } from './context.ts';
import { tellApplied, tellNamespaceTaken, tellObjectRefused, tellReady, tellRefused, tellRepaired, tellRogue } from './events.ts';
import { judge, leaving } from './judge.ts';
import type { Tenant } from './observe.ts';
import { type Planned, stopsAll } from './plan.ts';
import type { Seen } from './probe.ts';
import { allFindings, statusFor } from './status.ts';

export async function report(
  tenant: Tenant,
  planned: Planned,
  applied: Applied,
  seen: Seen,
  context: Context,
  signal: AbortSignal,
): Promise<void> {
  const conditions = judge(tenant, planned, applied, seen);
  const status = statusFor(tenant, planned, seen, conditions, context.clock.now());
  tellNews(tenant, planned, applied, status, context);
  tellSegment(tenant, seen, context);
  const findings = allFindings(planned, seen, tenant.object.metadata);
  context.metrics.tenant(tenant.key, readyOf(status)?.status ?? 'Unknown', findings);
  await write(tenant, status, context, signal);
  const ready = readyOf(status);
  if (tenant.hostedCluster && ready) await mirror(tenant.hostedCluster, ready, context, signal);
}

/** The same for a TenantNetwork that is on its way out: what it waits for. Says whether that is news. */
export async function reportLeaving(tenant: Tenant, message: string, context: Context, signal: AbortSignal): Promise<boolean> {
  const { status: before, object } = tenant;
  const known = (before.conditions ?? []) as readonly Condition[];
  const said = leaving(tenant, message).map((one) => ({ ...one, observedGeneration: object.metadata.generation }));
  const conditions = [...setConditions(known, said, context.clock.now())];
  const status = { ...before, observedGeneration: object.metadata.generation, conditions };
  await write(tenant, status, context, signal);
  return !saysTheSame(before, status, 'Ready');
}

async function write(
  { key, object, status: before }: Tenant,
  status: TenantNetworkStatus,
  { writer, world }: Context,
  signal: AbortSignal,
) {
  const { apiVersion, kind, metadata } = object;
  const known = { apiVersion, kind, metadata: { name: metadata.name, namespace: metadata.namespace, uid: metadata.uid }, status: before };
  const { tenants } = world.sources;
  await tenants.writing(key, async () => {
    const answer = await writer.applyStatus(known, status, signal);
    if (answer) tenants.wrote(answer);
  });
}

function tellNews(tenant: Tenant, { findings }: Planned, applied: Applied, status: TenantNetworkStatus, context: Context): void {
  const before = tenant.status;
  const known = new Set(before.findings?.map(({ code, object }) => `${code} ${object}`));
  for (const finding of findings.filter(stopsAll))
    if (!known.has(`${finding.code} ${finding.object}`)) tellRefused(tenant, finding, context);
  const isNews = !saysTheSame(before, status, 'Applied');
  if (applied.outcome === 'namespaceTaken' && isNews) tellNamespaceTaken(tenant, context);
  if (applied.outcome === 'done') {
    tellApplied(tenant, applied, context);
    for (const repair of applied.repaired) tellRepaired(tenant, repair, context);
    if (isNews) for (const refused of applied.refused) tellObjectRefused(tenant, refused, context);
  }
  const [was, is] = [readyOf(before), readyOf(status)];
  if (was !== undefined && is !== undefined && isNewTurn(was, is)) tellReady(tenant, turnOf(is), is.message, context);
}

type Turn = 'Ready' | 'Changing' | 'NotReady';

const CHANGING: readonly string[] = ['StandbyFirst', 'Updating', 'Outdated'] satisfies readonly ReasonOf<
  'Applied' | 'EdgeReady' | 'SegmentProven'
>[];

const turnOf = ({ status, reason }: Condition): Turn => (status === 'True' ? 'Ready' : CHANGING.includes(reason) ? 'Changing' : 'NotReady');

/** That something new is not ready yet is no news, before somebody has looked at it for the first time and after. */
function isNewTurn(was: Condition, is: Condition): boolean {
  const [before, now] = [turnOf(was), turnOf(is)];
  const isNew = before === 'NotReady' || was.reason === 'Outdated';
  return before !== now && (now === 'Ready' || !isNew);
}

/** A server that was there at the last look is no news. */
function tellSegment(tenant: Tenant, { proof }: Seen, context: Context): void {
  if (proof.outcome === 'notProbed' || proof.reason !== 'RogueDhcpServer') return;
  const before = findCondition(tenant.status.conditions as readonly Condition[] | undefined, 'SegmentProven');
  if (before?.reason !== proof.reason) tellRogue(tenant, proof.rogueServers, context);
}

/** What lasts is looked at again and again, and stands in the status all the time: it is told when it begins, and when it turns into something else. */
function saysTheSame(before: TenantNetworkStatus, now: TenantNetworkStatus, type: string): boolean {
  const [was, is] = [before, now].map(({ conditions }) => findCondition(conditions as readonly Condition[] | undefined, type));
  return was?.reason === is?.reason && was?.message === is?.message;
}

const readyOf = ({ conditions }: TenantNetworkStatus): Condition | undefined =>
  findCondition(conditions as readonly Condition[] | undefined, 'Ready');
