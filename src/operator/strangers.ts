/**
 * An object that somebody else made under a name that we need. It is neither changed nor, later, taken for ours and deleted: whoever made it
 * has a use for it. What we know of by watches has our label, so one that has not is asked for before the first write of that name.
 */
import { METADATA_LIST_ONLY } from '../kube/client.ts';
import { isNotFound } from '../kube/errors.ts';
import { type Resource, resourcePath, type WireObject } from '../kube/object.ts';
import type { Transport } from '../kube/transport.ts';
import { FIELD_MANAGER } from './ledger/ledger.ts';
import type { ManagedFields } from './ledger/owned-fields.ts';

/** Who made each object of a kind in a namespace, by its name; without those that we wrote to before, also if somebody took our label away. */
export type FindStrangers = (
  resource: Resource,
  namespace: string | undefined,
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, string>>;

/** By a list, because what the operator watches it may list: to read it needs no other right. */
export const strangersOf =
  (transport: Transport): FindStrangers =>
  async (resource, namespace, signal) => {
    const request = { path: resourcePath(resource, namespace), accept: METADATA_LIST_ONLY };
    // A kind that is not installed has no objects; the write says that it is missing.
    const answer = await transport.request<List>(request, signal).catch(unlessAbsent);
    return new Map(
      (answer?.body.items ?? []).flatMap((found) => {
        const maker = strangerIn(found);
        return maker === undefined ? [] : [[found.metadata.name, maker] as const];
      }),
    );
  };

interface List {
  readonly items?: readonly WireObject[] | null;
}

function unlessAbsent(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

export function strangerIn({ metadata }: Pick<WireObject, 'metadata'>): string | undefined {
  const { managedFields = [] } = metadata as { readonly managedFields?: readonly ManagedFields[] };
  if (managedFields.some(({ manager, operation }) => manager === FIELD_MANAGER && operation === 'Apply')) return undefined;
  return managedFields.find(({ manager }) => manager)?.manager ?? 'somebody';
}
