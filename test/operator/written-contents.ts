/** Was anything written twice with different content? The API server's audit log knows what was sent. */
import { expect } from 'vitest';
import type { WireObject } from '../../src/kube/object.ts';
import { INTENT } from '../../src/operator/ledger/intent.ts';
import { TENANT_RESOURCES } from '../../src/operator/resources.ts';
import type { Write } from './audit.ts';

const OURS = new Set(TENANT_RESOURCES.map(({ plural }) => plural));
const placeOf = (resource: string, namespace: string, name: string): string => `${resource} ${namespace}/${name}`;

/** The intents with which each object was written, each once. What was turned away before it was read has no content in the log. */
function contents(writes: readonly Write[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { verb, resource, namespace, name, body, code } of writes) {
    if (verb !== 'patch' || !OURS.has(resource) || (body === undefined && code >= 300)) continue;
    const intent = (body as WireObject | undefined)?.metadata.annotations?.[INTENT] ?? 'none';
    // The audit log of a request about a Namespace names it as the namespace too.
    const place = placeOf(resource, resource === 'namespaces' ? '' : namespace, name);
    found.set(place, (found.get(place) ?? new Set()).add(intent));
  }
  return found;
}

/** Every write of the operator to an object said what the object says now. */
export function expectOneContentEach(writes: readonly Write[], standing: readonly WireObject[]): void {
  const marks = new Map(
    standing.map(({ kind, metadata }) => {
      const { plural = '' } = TENANT_RESOURCES.find((one) => one.kind === kind) ?? {};
      return [placeOf(plural, metadata.namespace ?? '', metadata.name), metadata.annotations?.[INTENT]];
    }),
  );
  const written = contents(writes);
  expect(written.size).toBeGreaterThan(0);
  const strange = [...written].filter(([place, intents]) => intents.size !== 1 || !intents.has(marks.get(place) ?? ''));
  expect(strange.map(([place, intents]) => `${place}: ${[...intents].join(' then ')}; stands: ${marks.get(place)}`)).toEqual([]);
}
