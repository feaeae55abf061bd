/**
 * Was anything written twice with different content? The API server's audit log knows what was sent: of every write the whole body is
 * compared, and nothing that we ourselves say about it.
 */
import { expect } from 'vitest';
import { hashOf } from '../../src/kube/canonical.ts';
import type { WireObject } from '../../src/kube/object.ts';
import { TENANT_RESOURCES } from '../../src/operator/resources.ts';
import { contains } from './as-planned.ts';
import type { Write } from './audit.ts';

/** What the plan says has one content for as long as the plan is one. Everything else may go on, but not back. */
const PLANNED = new Map(TENANT_RESOURCES.map(({ plural, kind }) => [plural, kind]));

interface History {
  readonly resource: string;
  readonly place: string;
  /** One after the other; what was said twice in a row is there once. */
  readonly contents: (Pick<Write, 'verb' | 'code' | 'at' | 'body'> & { readonly hash: string })[];
}

/** Events have a name of their own each; the Lease says who leads and since when. */
const BESIDES = /^(events|leases)$/;
/** Turned away: nothing came of it. What was turned away before it was read, by a server that starts, has no content in the log. */
const isRefused = ({ code, body }: Write): boolean => (code >= 400 && code < 500) || (code >= 300 && body === undefined);
/** That the API server fails is said while it does, and then no more. */
const isTrouble = ({ body }: Write): boolean => JSON.stringify(body)?.includes('"ApiTrouble"') ?? false;

function histories(writes: readonly Write[]): readonly History[] {
  const found = new Map<string, History>();
  for (const write of writes) {
    if (BESIDES.test(write.resource) || isRefused(write) || isTrouble(write)) continue;
    const place = placeOf(write);
    const history: History = found.get(place) ?? { resource: write.resource, place, contents: [] };
    const hash = hashOf([write.verb, timeless(write.body)]);
    if (history.contents.at(-1)?.hash !== hash) history.contents.push({ ...write, hash });
    found.set(place, history);
  }
  return [...found.values()];
}

function placeOf({ resource, namespace, name, body }: Write): string {
  const called = name || ((body as WireObject | undefined)?.metadata?.name ?? '');
  // The audit log of a request about a Namespace names it as the namespace too.
  return `${resource} ${resource === 'namespaces' ? '' : namespace}/${called}`;
}

/** The same words said at another time, or under a lock on another version, are the same. */
function timeless(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(timeless);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'lastTransitionTime' && name !== 'resourceVersion');
  return Object.fromEntries(members.map(([name, member]) => [name, timeless(member)]));
}

/**
 * What is wrong with a history, if anything. `standing` are the objects of tenants that there are now: whatever was applied last to one of
 * them is what it says. `earlier` is what was written before the plan changed: an answer that was lost then is asked for again, so the
 * content of that time may be said once more, as long as nothing of the new plan was said.
 */
export function complaints(writes: readonly Write[], standing: readonly WireObject[], earlier: readonly Write[] = []): readonly string[] {
  const before = new Map(histories(earlier).map(({ place, contents }) => [place, contents.at(-1)?.hash]));
  return histories(writes).flatMap(({ resource, place, contents: all }) => {
    const contents = all[0]?.hash === before.get(place) ? all.slice(1) : all;
    const applied = contents.filter(({ verb }) => verb === 'patch');
    const hashes = contents.map(({ hash }) => hash);
    if (PLANNED.has(resource)) {
      // What was deleted because it cannot be changed is made anew, with the content that was refused before.
      if (new Set(applied.map(({ hash }) => hash)).size > 1)
        return [`${place} was written with several contents: ${contents.map(told).join(', then ')}`];
    } else if (new Set(hashes).size < hashes.length)
      return [`${place} went back to what it was before: ${contents.map(told).join(', then ')}`];
    const object = standing.find((one) => PLANNED.get(resource) === one.kind && place === placeOf(asWrite(resource, one)));
    const last = applied.at(-1);
    return object && last && !contains(object, last.body) ? [`${place} does not say what was written last`] : [];
  });
}

const asWrite = (resource: string, { metadata }: WireObject): Write => ({
  ...{ verb: '', group: '', code: 0, user: '', at: '', body: undefined },
  ...{ resource, namespace: metadata.namespace ?? '', name: metadata.name },
});

const told = ({ verb, code, at, body }: History['contents'][number]): string =>
  `${verb} ${code} at ${at} ${JSON.stringify(body)?.slice(0, 2000)}`;

export function expectOneContentEach(writes: readonly Write[], standing: readonly WireObject[], earlier: readonly Write[] = []): void {
  expect(histories(writes).length).toBeGreaterThan(0);
  expect(complaints(writes, standing, earlier)).toEqual([]);
}
