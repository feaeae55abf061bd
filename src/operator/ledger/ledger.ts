/**
 * What we have written and where it stands, in some hundred bytes per object: enough to tell whose it is, what was intended
 * when it was written, and whether all of that is still so. Fed by metadata-only watches.
 */
import { TENANT } from '../../gateway/labels.ts';
import { type LedgerEntry, ledger } from '../../kube/inventory.ts';
import type { WireObject } from '../../kube/object.ts';
import { INTENT, type Intent } from './intent.ts';
import type { Interned } from './interned.ts';
import { type FieldSet, lostFields, type ManagedFields } from './owned-fields.ts';

/** Our name in `managedFields`, and so in `kubectl get --show-managed-fields`. */
export const FIELD_MANAGER = 'hcpio';
/** Selects everything that any hcpio wrote for any tenant. */
export const OWN_OBJECTS = 'app.kubernetes.io/managed-by=hcpio';

export interface Entry extends LedgerEntry {
  /** The hash of what was applied last. */
  readonly intent: string;
  /** The fields that are still as we applied them (JSON). Text, because tenants share it and it is rarely looked into. */
  readonly owned: string;
}

const NOTHING = '{}';

/** A projection for metadata-only stores. */
export function entries(interned: Interned): (object: WireObject) => Entry {
  const base = ledger(TENANT);
  return (object) => {
    const entry = base(object);
    const { annotations, managedFields = [] } = object.metadata as WireObject['metadata'] & { managedFields?: readonly ManagedFields[] };
    const ours = managedFields.find((one) => one.manager === FIELD_MANAGER && one.operation === 'Apply' && !one.subresource);
    const { namespace, name } = entry.metadata;
    return {
      ...entry,
      metadata: { ...entry.metadata, name: interned.of(name), ...(namespace ? { namespace: interned.of(namespace) } : {}) },
      owner: interned.of(entry.owner),
      intent: annotations?.[INTENT] ?? '',
      owned: interned.of(ours?.fieldsV1 ? JSON.stringify(ours.fieldsV1) : NOTHING),
    };
  };
}

export type Standing =
  /** Not there, or about to go and made anew afterwards. */
  | { readonly state: 'absent' | 'terminating' }
  | { readonly state: 'asIntended' }
  /** We want something else now. */
  | { readonly state: 'outdated' }
  /** We want what we wanted before, and somebody else changed it. */
  | { readonly state: 'altered'; readonly lost: readonly string[] };

export function standingOf(intent: Intent, entry: Entry | undefined): Standing {
  if (entry === undefined) return { state: 'absent' };
  if (entry.metadata.terminating) return { state: 'terminating' };
  if (entry.intent === '') return { state: 'altered', lost: [`metadata.annotations[${INTENT}]`] };
  if (entry.intent !== intent.hash) return { state: 'outdated' };
  const lost = lostFields(intent.object, JSON.parse(entry.owned) as FieldSet);
  return lost.length === 0 ? { state: 'asIntended' } : { state: 'altered', lost };
}
