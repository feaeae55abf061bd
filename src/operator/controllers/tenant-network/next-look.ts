/** When to look again without being told. Almost everything is told; what is not has no watch, or nobody to tell it. */
import type { Next } from '../../../kube/controller.ts';
import type { Applied } from './apply.ts';
import type { Seen } from './probe.ts';

/** An object was refused: somebody may change a quota, a policy or a role, and no watch of ours would say so. */
export const REFUSED_MS = 60_000;

/** A container is not ready and its probe has more to say: kubelet tells that in events, which are not watched. */
const UNREADY_MS = 15_000;

export function nextLook(applied: Applied, { edges }: Seen, againMs: number | undefined): Next {
  // Tried again soon, and sooner or later less often: the queue's business.
  if (applied.outcome === 'failed') throw applied.error;
  const looks = [
    ...(applied.outcome === 'namespaceTaken' || (applied.outcome === 'done' && applied.refused.length > 0) ? [REFUSED_MS] : []),
    ...(edges.some(({ pod }) => pod?.unready !== undefined) ? [UNREADY_MS] : []),
    ...(againMs === undefined ? [] : [againMs]),
    ...(applied.outcome === 'done' && applied.held ? [applied.held.againMs] : []),
  ];
  return looks.length === 0 ? undefined : { requeueAfterMs: Math.min(...looks) };
}
