/** What is to be done with a NodePool. Pure: the controller does it, and the webhook that sees new NodePools first asks the same. */
import { PAUSE_MARKER, RELEASE_MARKER } from '../../api/markers.ts';

/** HyperShift's way of saying "for ever". */
export const PAUSED = 'true';

export interface GatedPool {
  readonly annotations: Readonly<Record<string, string>>;
  readonly pausedUntil: string;
  readonly deleting: boolean;
  /** It has machines, or had nodes: pausing it would stop rollouts and repairs of what runs. */
  readonly inUse: boolean;
}

/** The tenant network of the NodePool's cluster. */
export interface GateKeeper {
  readonly gated: boolean;
  readonly proven: boolean;
}

/**
 * hold: pause it. release: undo our pause. yield: the pause is ours no more (somebody lifted or changed it), so only the marker goes.
 * leave: none of our business.
 */
export type GateDecision = 'hold' | 'release' | 'yield' | 'leave';

export function decideGate(pool: GatedPool, keeper: GateKeeper | undefined): GateDecision {
  // HyperShift deletes paused NodePools all the same.
  if (pool.deleting) return 'leave';
  const closed = keeper?.gated === true && !keeper.proven;
  if (PAUSE_MARKER in pool.annotations) {
    if (pool.pausedUntil !== PAUSED) return 'yield';
    return closed ? 'leave' : 'release';
  }
  const isNew = !pool.inUse && !(RELEASE_MARKER in pool.annotations);
  return closed && isNew && pool.pausedUntil === '' ? 'hold' : 'leave';
}

export interface GatePatch {
  readonly metadata: { readonly annotations: Readonly<Record<string, string | null>> };
  readonly spec?: { readonly pausedUntil: string | null };
}

/** The merge patch that carries the decision out. */
export const gatePatch: Readonly<Record<Exclude<GateDecision, 'leave'>, GatePatch>> = {
  hold: { metadata: { annotations: { [PAUSE_MARKER]: 'true' } }, spec: { pausedUntil: PAUSED } },
  release: { metadata: { annotations: { [PAUSE_MARKER]: null, [RELEASE_MARKER]: 'true' } }, spec: { pausedUntil: null } },
  yield: { metadata: { annotations: { [PAUSE_MARKER]: null, [RELEASE_MARKER]: 'true' } } },
};
