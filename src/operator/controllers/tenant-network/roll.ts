/**
 * Brings changed workloads and configurations to the pods. StatefulSets of edges do not roll by themselves (two of them would
 * roll at once), so the order is made here: one at a time, the standby first, and no further when the segment is not well.
 */
import { YIELD } from '../../../gateway/labels.ts';
import { isConflict, isNotFound } from '../../../kube/errors.ts';
import { POD } from '../../resources.ts';
import type { SegmentProof } from '../../segment/proof.ts';
import { CONFIGURATION, type EdgePod, SETTINGS } from '../../world/edge-pod.ts';
import type { Applied, EdgeIntent } from './apply.ts';
import type { Context } from './context.ts';
import type { EdgeState } from './edges.ts';
import { tellRolled, tellYielded } from './events.ts';
import type { Tenant } from './observe.ts';
import { holderNow, proofNow, type Seen } from './probe.ts';
import { isProvenBy, readTold, settingsOf, writeTold } from './standby-first.ts';

type Done = Extract<Applied, { outcome: 'done' }>;

/**
 * Tells kubelet that there is news: a changed annotation makes it look at the pod, and refresh its volumes, at once instead of
 * within a minute or so. Compared, not remembered: a crash between the write and this changes nothing. With it goes which decision the
 * pod now follows, and since when; see `standby-first.ts`.
 */
export async function refresh(tenant: Tenant, applied: Applied, context: Context, signal: AbortSignal): Promise<void> {
  if (applied.outcome !== 'done' || applied.refused.length > 0) return;
  const { world, writer, clock } = context;
  const settings = settingsOf(tenant, context);
  for (const { metadata, edge, terminating, configuration, settings: before } of tenant.pods) {
    const wanted = applied.edges.get(edge)?.configuration;
    if (wanted === undefined || terminating || (applied.held && edge !== applied.held.standby)) continue;
    const isNew = readTold(before)?.settings !== settings;
    if (configuration === wanted && !isNew) continue;
    const told = { settings, at: clock.now(), proven: isProvenBy(tenant.status.conditions) };
    const annotations = { [CONFIGURATION]: wanted, ...(isNew ? { [SETTINGS]: writeTold(told) } : {}) };
    const body = { metadata: { uid: metadata.uid, annotations } };
    const answer = await writer.patch(POD, metadata, { type: 'merge', body }, signal).catch(unlessGone);
    if (answer) world.sources.pods.wrote(answer);
  }
}

/** A pod that went meanwhile reads the newest configuration when it comes again. */
function unlessGone(error: unknown): undefined {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}

/** A step has to be seen before the next one, and a look that failed is taken again: nobody tells when it would do well. */
const LOOK_AGAIN_MS = 5000;

/** One step of an update. Returns when to come again, if the next one is to be looked for. */
export async function roll(
  tenant: Tenant,
  applied: Applied,
  { edges, proof }: Seen,
  context: Context,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (applied.outcome !== 'done' || applied.refused.length > 0) return undefined;
  const outdated = edges.filter((edge) => isOutdated(edge, applied.edges.get(edge.name)));
  if (outdated.length === 0) return undefined;
  const current = edges.filter((edge) => !outdated.includes(edge));
  const isPair = edges.length > 1 && edges.every(serves);
  // With one of two new, what was seen before it was says nothing of it.
  const now = isPair && current.length > 0 ? await proofNow(tenant, applied, context, signal) : undefined;
  if (now?.outcome === 'notProbed' && !isWayBack(outdated, current)) return LOOK_AGAIN_MS;
  const holder = isPair && current.length === 0 ? await holderNow(tenant, context, signal) : undefined;
  const step = nextStep(edges, applied.edges, now ?? proof, holder);
  if (step === undefined) return now && LOOK_AGAIN_MS;
  if (step.kind === 'replace') {
    await context.writer.remove(POD, step.pod.metadata, { uid: step.pod.metadata.uid }, signal);
    tellRolled(tenant, step.pod, context);
    return undefined;
  }
  const body = { metadata: { uid: step.pod.metadata.uid, annotations: { [YIELD]: step.word } } };
  const answer = await context.writer.patch(POD, step.pod.metadata, { type: 'merge', body }, signal).catch(unlessGone);
  if (answer) context.world.sources.pods.wrote(answer);
  tellYielded(tenant, step.pod, context);
  return LOOK_AGAIN_MS;
}

export type Step =
  | { readonly kind: 'replace'; readonly pod: EdgePod }
  /** It is asked to give the VIP to the other edge. */
  | { readonly kind: 'yield'; readonly pod: EdgePod; readonly word: string };

/**
 * The VIP is moved to the edge that is new before the other one is touched, so that there is somebody to go back to. The word is the
 * template that the update leads to: each is asked once per update, and one that does not understand is replaced all the same, which
 * moves the VIP too.
 */
export function nextStep(
  edges: readonly EdgeState[],
  intents: Done['edges'],
  proof: SegmentProof,
  seen = holderOf(proof),
): Step | undefined {
  const holder = edges.find(({ name }) => name === seen);
  const wasMoved = (edge: EdgeState): boolean => edge.pod?.yielded === intents.get(edge.name)?.template;
  const [old] = edges.filter((edge) => isOutdated(edge, intents.get(edge.name)));
  if (holder?.pod && proof.outcome === 'failed' && holder !== old && old && serves(old) && wasMoved(old) && !wasMoved(holder))
    return { kind: 'yield', pod: holder.pod, word: holder.pod.template };
  const pod = nextToRoll(edges, intents, proof, seen);
  const others = edges.filter((edge) => edge.pod !== pod);
  // It was moved back from there: the segment was not well with it.
  if (pod === undefined || others.some(wasMoved)) return undefined;
  const word = intents.get(pod.edge)?.template ?? '';
  const isLast = others.length > 0 && others.every((edge) => !isOutdated(edge, intents.get(edge.name)));
  return isLast && holder?.pod === pod && pod.yielded !== word ? { kind: 'yield', pod, word } : { kind: 'replace', pod };
}

/**
 * The pod that is to be made anew now, if any. What must never happen: that a pod which still serves is deleted while nobody knows
 * that its replacement will, so whatever is new already has to be ready, on the segment, and not known to be bad for it. On the way back
 * what serves is what is wanted.
 */
export function nextToRoll(
  edges: readonly EdgeState[],
  intents: Done['edges'],
  proof: SegmentProof,
  holder = holderOf(proof),
): EdgePod | undefined {
  const outdated = edges.filter((edge) => isOutdated(edge, intents.get(edge.name)));
  const current = edges.filter((edge) => !outdated.includes(edge));
  if (current.some(({ pod, ready }) => pod !== undefined && !ready)) return undefined;
  if (proof.outcome === 'failed' && current.length > 0 && !isWayBack(outdated, current)) return undefined;
  const [candidate] = [...outdated].sort((a, b) => Number(serves(a)) - Number(serves(b)) || standbyFirst(a, b, holder));
  if (candidate === undefined || !serves(candidate)) return candidate?.pod; // what does nothing can be replaced at any time
  return edges.every((edge) => edge === candidate || serves(edge)) ? candidate.pod : undefined;
}

/** Who is as wanted has been so for longer than who is not: what was tried at one edge is undone there, and may be why the segment is not well. */
export const isWayBack = (outdated: readonly EdgeState[], current: readonly EdgeState[]): boolean =>
  outdated.every(({ pod: tried }) => current.every(({ pod: kept }) => tried !== undefined && kept !== undefined && kept.made < tried.made));

export const isOutdated = ({ pod }: EdgeState, intent: EdgeIntent | undefined): boolean =>
  pod !== undefined && intent !== undefined && !pod.terminating && pod.template !== intent.template;

/** Also with a configuration that it refused: it goes on with the last good one. */
const serves = ({ ready, problem }: EdgeState): boolean => ready || problem?.kind === 'refused';

const holderOf = (proof: SegmentProof): string | undefined => ('holder' in proof ? proof.holder : undefined);

/** Whoever holds the floating address goes last. As long as nobody says who that is, edge-a is more likely: it wins a cold start. */
const standbyFirst = (a: EdgeState, b: EdgeState, holder = 'edge-a'): number => Number(a.name === holder) - Number(b.name === holder);
