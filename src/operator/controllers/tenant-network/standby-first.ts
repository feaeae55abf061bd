/**
 * The order in which a decision reaches a pair of edges: the standby first, and the one that holds the VIP only when the other has it in
 * force and the segment is not the worse for it. What was decided is the spec and what renders it. What merely happened (a machine came, a
 * pod of the control plane moved) is followed by both at once: the old configuration is wrong already, and waiting would make nobody safer.
 *
 * Nothing is remembered: the pods' annotations say what each was told, and when.
 */
import type { TenantPlan } from '../../../gateway/tenant-plan.ts';
import { hashOf } from '../../../kube/canonical.ts';
import { type Condition, isTrue } from '../../../kube/conditions.ts';
import { refOf } from '../../../kube/object.ts';
import type { ProbeReport, ProbeResult } from '../../../probes/report.ts';
import { type Intent, templateMark } from '../../ledger/intent.ts';
import { type Standing, standingOf } from '../../ledger/ledger.ts';
import type { EdgePod } from '../../world/edge-pod.ts';
import type { Context } from './context.ts';
import { type EdgeState, edgeStates } from './edges.ts';
import type { Tenant } from './observe.ts';
import { holderNow, reportNow } from './probe.ts';

export interface HeldBack {
  /** The edge that keeps the configuration before. */
  readonly holder: EdgeState['name'];
  readonly standby: EdgeState['name'];
  /** Why the change goes no further. Undefined while it only takes its time. */
  readonly problem: string | undefined;
  readonly againMs: number;
}

/**
 * Two failures in a row, ten seconds apart, make a container unready (`gateway/containers.ts`); before that kubelet refreshes the volume and
 * the daemon reads it. Who is ready after this long has taken its configuration.
 */
export const SETTLED_MS = 25_000;
const LOOK_AGAIN_MS = 5000;

/** By this a decision is told from another one. */
export const settingsOf = ({ object }: Tenant, { render }: Pick<Context, 'render'>): string => hashOf([object.spec, render]);

/** What a pod was told last, as its annotation has it. */
export interface Told {
  readonly settings: string;
  readonly at: number;
  /** The segment was well then. If it was not, what fails now says nothing of the change, which may be the cure. */
  readonly proven: boolean;
}

export const writeTold = ({ settings, at, proven }: Told): string =>
  `${settings} ${new Date(at).toISOString()} ${proven ? 'proven' : 'unproven'}`;

export function readTold(text: string): Told | undefined {
  const [settings = '', at = '', proven] = text.split(' ');
  const time = Date.parse(at);
  return Number.isNaN(time) ? undefined : { settings, at: time, proven: proven === 'proven' };
}

export const isProvenBy = (conditions: readonly unknown[] | undefined): boolean =>
  isTrue(conditions as readonly Condition[] | undefined, 'SegmentProven');

/** Undefined: everything may be written. */
export async function heldBack(
  tenant: Tenant,
  plan: TenantPlan,
  intents: readonly Intent[],
  context: Context,
  signal: AbortSignal,
): Promise<HeldBack | undefined> {
  const settings = settingsOf(tenant, context);
  const edges = edgeStates(plan, tenant.pods);
  const hasIt = (edge: EdgeState): boolean => toldTo(edge)?.settings === settings;
  if (edges.every(hasIt) || !edges.some((edge) => isBehind(edge, intents, context))) return undefined;
  const pair = pairOf(edges, settings, edges.some(hasIt) ? undefined : await holderNow(tenant, context, signal));
  if (pair === undefined) return undefined;
  const { holder, standby } = pair;
  if (toldTo(holder)?.settings === settings || !isBehind(holder, intents, context) || isToBe(standby, intents, context)) return undefined;
  // Away for reasons of its own: nobody is left to go first. Not so when it has been told something already, or is being made anew.
  if (!isAlive(standby.pod) && !isUnderWay(pair, intents, context)) return undefined;
  const told = toldTo(standby);
  const held = (problem?: string, againMs = LOOK_AGAIN_MS): HeldBack => ({ holder: holder.name, standby: standby.name, problem, againMs });
  if (told?.settings !== settings) return held();
  const settlesIn = told.at + SETTLED_MS - context.clock.now();
  if (settlesIn > 0) return held(undefined, settlesIn);
  if (!standby.ready) return held(standby.problem?.text);
  if (plan.prober === undefined) return undefined;
  const report = await reportNow(tenant, context, signal);
  if (report === undefined) return held('nobody looks from the segment: the prober does not answer');
  const [failed] = report.results.filter((result) => speaksAgainst(result, report, standby.name, told));
  return failed && held(`seen from the segment, ${failed.group} ${failed.subject} fails since: ${failed.message}`);
}

/** What stays as it is while a change is held back: the holder's files, and what the segment is measured by. */
export const isHeld = ({ object }: Intent, { holder }: HeldBack): boolean =>
  object.kind === 'ConfigMap' && [holder, 'prober'].some((name) => object.metadata.name.startsWith(`${name}-`));

interface Pair {
  readonly holder: EdgeState & { readonly pod: EdgePod };
  readonly standby: EdgeState;
}

/**
 * Who goes last. A change that is under way goes on as it began, wherever the VIP is by now; a new one leaves the edge for last that is
 * seen with the VIP. As long as nobody says who that is, edge-a is more likely: it wins a cold start.
 */
function pairOf(edges: readonly EdgeState[], settings: string, seen: string | undefined): Pair | undefined {
  const isUnderWay = new Set(edges.map((edge) => toldTo(edge)?.settings)).size > 1;
  const rank = (edge: EdgeState): readonly number[] => {
    const told = toldTo(edge);
    return [Number(told?.settings === settings), Number(edge.name !== seen), isUnderWay ? (told?.at ?? Number.MAX_SAFE_INTEGER) : 0];
  };
  const [holder, standby] = [...edges].sort((a, b) => compare(rank(a), rank(b)) || (a.name < b.name ? -1 : 1));
  if (holder?.pod === undefined || standby === undefined || !isAlive(holder.pod)) return undefined;
  return { holder: { ...holder, pod: holder.pod }, standby };
}

const compare = (a: readonly number[], b: readonly number[]): number =>
  a.map((value, i) => value - (b[i] ?? 0)).find((value) => value !== 0) ?? 0;

const toldTo = ({ pod }: EdgeState): Told | undefined => (pod ? readTold(pod.settings) : undefined);

/** It runs, though it may have refused its last configuration. The pod of a lost node is not ready, and none of its containers says why. */
const isAlive = (pod: EdgePod | undefined): boolean => pod !== undefined && !pod.terminating && (pod.ready || pod.unready !== undefined);

/** Some of its files say what was decided before. */
const isBehind = (edge: EdgeState, intents: readonly Intent[], context: Context): boolean =>
  standings(edge, intents, context).some((state) => state === 'outdated');

/** It is about to come into being. One that was alone becomes half of a pair together with it: two that serve apart would serve twice. */
const isToBe = (edge: EdgeState, intents: readonly Intent[], context: Context): boolean =>
  standings(edge, intents, context).every((state) => state === 'absent');

const standings = ({ name }: EdgeState, intents: readonly Intent[], { world }: Context): readonly Standing['state'][] =>
  intents
    .filter(({ object }) => object.kind === 'ConfigMap' && object.metadata.name.startsWith(`${name}-`))
    .map((intent) => standingOf(intent, world.entry(refOf(intent.object))).state);

/** The standby was told of this decision or of one that it did not survive; its pod may have gone since. */
function isUnderWay({ holder, standby }: Pair, intents: readonly Intent[], context: Context): boolean {
  const told = toldTo(standby);
  const workload = intents.find(({ object }) => object.kind === 'StatefulSet' && object.metadata.name === holder.name);
  return (
    !isBehind(standby, intents, context) ||
    (told !== undefined && told.settings !== toldTo(holder)?.settings) ||
    (workload !== undefined && templateMark(workload.object) !== holder.pod.template)
  );
}

/**
 * The list is still that of the plan before, which the holder follows. What the standby answers is therefore not compared with it, only that
 * it does: whether it serves what is mounted is what its readiness says.
 */
function speaksAgainst({ verdict, subject }: ProbeResult, { serials }: ProbeReport, standby: string, { proven }: Told): boolean {
  if (verdict !== 'failed') return false;
  return subject.startsWith(`${standby} `) ? !serials.some(({ edge }) => edge === standby) : proven;
}
