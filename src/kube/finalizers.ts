/** Finalizers, set and removed under an optimistic lock: the list is shared with others, and a lost entry loses their cleanup. */
import type { Client } from './client.ts';
import { isNotFound } from './errors.ts';
import type { KubeObject, Resource, WireObject } from './object.ts';

/** Adds it; throws a conflict when the object changed since it was read (then the reconciliation comes again with the newer one). */
export async function addFinalizer(
  client: Client,
  resource: Resource,
  object: KubeObject,
  finalizer: string,
  signal: AbortSignal,
): Promise<WireObject | undefined> {
  const current = object.metadata.finalizers ?? [];
  // The API server refuses new finalizers on what is being deleted; nobody should need to find that out.
  if (current.includes(finalizer) || object.metadata.deletionTimestamp) return undefined;
  return write(client, resource, object, [...current, finalizer], signal);
}

/** Removes it; an object that is gone already is as good. */
export async function removeFinalizer(
  client: Client,
  resource: Resource,
  object: KubeObject,
  finalizer: string,
  signal: AbortSignal,
): Promise<WireObject | undefined> {
  const current = object.metadata.finalizers ?? [];
  if (!current.includes(finalizer)) return undefined;
  const rest = current.filter((entry) => entry !== finalizer);
  return write(client, resource, object, rest, signal).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

function write(
  client: Client,
  resource: Resource,
  object: KubeObject,
  finalizers: readonly string[],
  signal: AbortSignal,
): Promise<WireObject> {
  const { resourceVersion, uid } = object.metadata;
  if (!resourceVersion) throw new TypeError(`${object.kind} ${object.metadata.name} has no resourceVersion to lock on`);
  // A merge patch replaces lists as a whole, and the resourceVersion in it makes the server check that ours was current.
  const body = { metadata: { resourceVersion, ...(uid ? { uid } : {}), finalizers } };
  return client.patch(resource, object.metadata, { type: 'merge', body }, signal);
}
