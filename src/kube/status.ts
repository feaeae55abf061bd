/** The status of an object: written when it differs, and only then. */
import type { Applier, ApplyResult } from './apply.ts';
import { canonicalJson } from './canonical.ts';
import { type KubeObject, refOf } from './object.ts';

/**
 * Applies `status` as the whole of what we say about the object. What we said before and do not say now is removed by the
 * server; what others say stays. Nothing is sent when the object, as known, already has this status.
 */
export async function writeStatus(
  applier: Applier,
  object: KubeObject & { readonly status?: unknown },
  status: object,
  signal: AbortSignal,
): Promise<ApplyResult> {
  if (canonicalJson(object.status ?? {}) === canonicalJson(status)) return { outcome: 'unchanged', ref: refOf(object) };
  const { apiVersion, kind, metadata } = object;
  return applier.apply({ apiVersion, kind, metadata, status } as KubeObject, signal, {
    live: object,
    subresource: 'status',
    onConflict: 'take',
    wholeObject: true,
  });
}
