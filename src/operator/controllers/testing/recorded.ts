/** The two ends at which a reconciliation touches the world outside, remembered instead of done. */
import type { EventToTell } from '../../../kube/events.ts';
import { type KubeObject, refOf, refText, type WireObject } from '../../../kube/object.ts';
import type { Writer } from '../../writer.ts';

export interface Recorded {
  /** What was written, as `verb object`. */
  readonly written: string[];
  /** The status that was written last. */
  status: object | undefined;
  /** What was told, as `type reason: note`. */
  readonly told: string[];
  readonly writer: Writer;
  readonly tell: (event: EventToTell) => void;
}

export function recorded(change: Partial<Writer> = {}): Recorded {
  const record: Recorded = {
    written: [],
    status: undefined,
    told: [],
    tell: ({ type, reason, note }) => void record.told.push(`${type} ${reason}: ${note}`),
    writer: {
      async apply({ object }) {
        const ref = refOf(object as KubeObject);
        record.written.push(`apply ${refText(ref)}`);
        return { outcome: 'created', ref, object: object as WireObject };
      },
      async applyStatus(object, status) {
        if (JSON.stringify(object.status) === JSON.stringify(status)) return undefined;
        record.written.push(`status of ${refText(refOf(object))}`);
        record.status = status;
        return undefined;
      },
      async prune(inventory) {
        const deleted = inventory.map(refOf);
        record.written.push(...deleted.map((ref) => `delete ${refText(ref)}`));
        return { deleted, terminating: [], refused: [] };
      },
      async create(_, object) {
        record.written.push(`create ${refText(refOf(object))}`);
        return undefined;
      },
      async patch({ kind }, { name }) {
        record.written.push(`patch ${kind} ${name}`);
        return undefined;
      },
      async remove({ kind }, { name }) {
        record.written.push(`delete ${kind} ${name}`);
      },
      async dropFinalizer({ kind }, { metadata }) {
        record.written.push(`let go of ${kind} ${metadata.name}`);
      },
      forget() {},
      ...change,
    },
  };
  return record;
}
