/**
 * What one reconciliation wrote, for its one line in the log. Counted where everything passes through, so that no phase can forget it;
 * one that wrote nothing has no line, so that a hub at rest has a log at rest.
 */
import type { Reconcile } from '../kube/controller.ts';
import type { Key, Resource } from '../kube/object.ts';
import type { Logger } from '../kube/telemetry.ts';
import type { OperatorMetrics } from './metrics.ts';
import { POD, TENANT_NETWORK } from './resources.ts';
import type { Writer } from './writer.ts';

/** The two that everything passes through. */
interface Ends {
  readonly writer: Writer;
  readonly metrics: OperatorMetrics;
}

type Deed =
  | 'created'
  | 'changed'
  | 'repaired'
  | 'refused'
  | 'removed'
  /** Pods that are made anew, and pods that were told of something. */
  | 'rolled'
  | 'told'
  | 'patched'
  /** The finalizer was set, and taken away. */
  | 'claimed'
  | 'released'
  | 'reported';

export type Deeds = Partial<Record<Deed, number>>;

/** The reconciler that `make` makes of the counting ends, with a line per reconciliation that wrote something. */
export const accounted =
  <E extends Ends>(ends: E, log: (key: Key, reconcileId: string) => Logger, make: (ends: E) => Reconcile): Reconcile =>
  async (key, context) => {
    const deeds: Deeds = {};
    try {
      return await make({ ...ends, ...counting(ends, deeds) })(key, context);
    } finally {
      // What was refused is asked for again and again; that alone is no deed.
      if (Object.keys(deeds).some((deed) => deed !== 'refused')) log(key, context.reconcileId).info(deeds, 'reconciled, and wrote');
    }
  };

function counting({ writer, metrics }: Ends, deeds: Deeds): Ends {
  const did = (deed: Deed, times = 1): void => {
    if (times > 0) deeds[deed] = (deeds[deed] ?? 0) + times;
  };
  return {
    metrics: {
      ...metrics,
      applied(outcome, kind) {
        metrics.applied(outcome, kind);
        if (outcome !== 'unchanged') did(outcome);
      },
    },
    writer: {
      ...writer,
      async applyStatus(...request) {
        const answer = await writer.applyStatus(...request);
        if (answer) did('reported');
        return answer;
      },
      async prune(...request) {
        const result = await writer.prune(...request);
        did('removed', result.deleted.length);
        return result;
      },
      async create(...request) {
        const answer = await writer.create(...request);
        did('created');
        return answer;
      },
      async patch(resource, ...request) {
        const answer = await writer.patch(resource, ...request);
        did(patched(resource));
        return answer;
      },
      async remove(resource, ...request) {
        await writer.remove(resource, ...request);
        did(resource.kind === POD.kind ? 'rolled' : 'removed');
      },
      async dropFinalizer(...request) {
        await writer.dropFinalizer(...request);
        did('released');
      },
    },
  };
}

const patched = ({ kind }: Resource): Deed => (kind === POD.kind ? 'told' : kind === TENANT_NETWORK.kind ? 'claimed' : 'patched');
