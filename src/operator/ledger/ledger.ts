/**
 * What we have written and where it stands, in some hundred bytes per object: enough to tell whose it is, what was intended
 * when it was written, and whether all of that is still so. Fed by metadata-only watches.
 */
import { TENANT } from '../../gateway/labels.ts';
import type { LedgerEntry } from '../../kube/inventory.ts';
import { apiVersionOf, type Resource, type WireObject } from '../../kube/object.ts';
import type { Stored } from '../../kube/store.ts';
import type { Keeping } from '../world/keeping.ts';
import { endOfId, HASH, packId, UUID, unpackId } from '../world/packed-id.ts';
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
const STAYS = '+';
const GOES = '-';
/** Whatever somebody wrote in place of a hash: that it is none of ours can be told from its beginning. */
const LONGEST_INTENT = 64;

/** An entry in memory: there are thirty of them per tenant, so what all of a kind share is left out, and texts are shared. */
class LedgerRow implements Stored {
  readonly namespace: string;
  readonly name: string;
  readonly owner: string;
  readonly owned: string;
  /** Whether it is about to go, its uid, its intent and its version, one after the other. */
  readonly packed: string;

  constructor({ metadata }: WireObject, interned: Interned) {
    const { namespace = '', name, uid = '', resourceVersion = '', labels, annotations, deletionTimestamp } = metadata;
    const { managedFields = [] } = metadata as { readonly managedFields?: readonly ManagedFields[] };
    const ours = managedFields.find((one) => one.manager === FIELD_MANAGER && one.operation === 'Apply' && !one.subresource);
    this.namespace = interned.of(namespace);
    this.name = interned.of(name);
    this.owner = interned.of(labels?.[TENANT] ?? '');
    this.owned = interned.of(ours?.fieldsV1 ? JSON.stringify(ours.fieldsV1) : NOTHING);
    const intent = packId((annotations?.[INTENT] ?? '').slice(0, LONGEST_INTENT), HASH);
    this.packed = [deletionTimestamp === undefined ? STAYS : GOES, packId(uid, UUID), intent, resourceVersion].join('');
  }

  get terminating(): boolean {
    return this.packed[0] === GOES;
  }

  get uid(): string {
    return unpackId(this.packed, UUID, 1);
  }

  get intent(): string {
    return unpackId(this.packed, HASH, endOfId(this.packed, 1));
  }

  get resourceVersion(): string {
    return this.packed.slice(endOfId(this.packed, endOfId(this.packed, 1)));
  }

  /** One object and not two: it is its own metadata. */
  get metadata(): this {
    return this;
  }
}

/** For metadata-only watches of what we write. */
export function ledgerKeeping(resource: Resource, interned: Interned): Keeping<Entry, LedgerRow> {
  const apiVersion = apiVersionOf(resource);
  const { kind } = resource;
  return {
    pack: (object) => new LedgerRow(object, interned),
    unpack: ({ namespace, name, uid, resourceVersion, terminating, owner, intent, owned }) => ({
      apiVersion,
      kind,
      metadata: { ...(namespace === '' ? {} : { namespace }), name, uid, resourceVersion, terminating },
      owner,
      intent,
      owned,
    }),
    isSame: (a, b) =>
      a.uid === b.uid && a.intent === b.intent && a.owned === b.owned && a.terminating === b.terminating && a.owner === b.owner,
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
