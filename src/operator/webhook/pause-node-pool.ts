/**
 * Holds a new NodePool until the segment of its tenant is proven: HyperShift returns before it makes the first VM while
 * `spec.pausedUntil` is set. The controller decides by the same rule for pools that came while nobody answered here.
 */
import * as z from 'zod';
import { decideGate, gatePatch } from '../controllers/gate.ts';
import type { AdmissionRequest, Decision } from './admission-review.ts';
import type { HubKnowledge } from './hub-knowledge.ts';
import { additions, type PatchOperation } from './json-patch.ts';

/** The least that is read of a NodePool; what does not fit is HyperShift's to refuse. */
const newPool = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).optional() }),
  spec: z.object({ clusterName: z.string(), pausedUntil: z.string().nullish() }),
});

export function pauseNodePool({ operation, namespace, object }: AdmissionRequest, hub: HubKnowledge): Decision {
  if (operation !== 'CREATE') return {};
  const { data: pool } = newPool.safeParse(object);
  if (pool === undefined) return {};
  const { annotations = {} } = pool.metadata;
  const { clusterName } = pool.spec;
  const pausedUntil = pool.spec.pausedUntil ?? '';
  const state = { annotations, pausedUntil, deleting: false, inUse: false };
  return decideGate(state, hub.keeper(`${namespace}/${clusterName}`)) === 'hold' ? { patch: hold(pool) } : {};
}

/** An empty pausedUntil is as good as none, and here it would be in the way. */
function hold({ metadata, spec }: z.output<typeof newPool>): PatchOperation[] {
  const { pausedUntil: _, ...rest } = spec;
  return additions({ metadata, spec: rest }, gatePatch.hold);
}
