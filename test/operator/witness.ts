/**
 * An independent observer: the official client lists what each of the operator's watches selects, and what would be kept of that has to be
 * what is kept, object by object and version by version.
 */
import { KubeConfig, KubernetesObjectApi } from '@kubernetes/client-node';
import { expect } from 'vitest';
import { apiVersionOf, keyOf, type WireObject } from '../../src/kube/object.ts';
import type { Tracked } from '../../src/operator/world/tracked.ts';
import type { World } from '../../src/operator/world/world.ts';
import { eventually, type Hub } from './hub.ts';

interface Kept {
  readonly metadata: { readonly namespace?: string; readonly name: string };
}
type Source = Tracked<Kept>;

const byKey = (objects: readonly Kept[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(objects.map((object) => [keyOf(object.metadata), object] as const).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Of a kind that the client knows it makes classes and dates; what it read over the wire is JSON. */
const plain = (value: unknown): WireObject => JSON.parse(JSON.stringify(value)) as WireObject;

/** Waits until both see the same, and shows it; what is on its way through a watch may take its time. */
export async function expectSeenAlike(hub: Hub, world: World): Promise<void> {
  const config = new KubeConfig();
  config.loadFromFile(hub.controlPlane.kubeconfigPath);
  const witness = KubernetesObjectApi.makeApiClient(config);
  for (const source of world.informers as unknown as readonly Source[]) {
    const { resource, selection, name } = source;
    const listed = async () => {
      const { items } = await witness.list(
        apiVersionOf(resource),
        resource.kind,
        ...([undefined, undefined, undefined, undefined, selection.fieldSelector, selection.labelSelector] as const),
      );
      return byKey(items.map((item) => source.keep({ ...plain(item), apiVersion: apiVersionOf(resource), kind: resource.kind })));
    };
    const kept = () => byKey(source.store.list().map((row) => source.open(row)));
    const alike = async () => JSON.stringify(await listed()) === JSON.stringify(kept());
    // A watch that failed again and again is tried again after up to half a minute. In vain: then the comparison says what is different.
    await eventually(name, alike, AbortSignal.timeout(90_000)).catch(() => {});
    expect([name, kept()]).toEqual([name, await listed()]);
  }
  expect(world.informers.filter(({ store }) => store.size > 0).length).toBeGreaterThan(15);
}
