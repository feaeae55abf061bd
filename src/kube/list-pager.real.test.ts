import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Informer, withoutManagedFields } from './informer.ts';
import { listAll, listPages } from './list-pager.ts';
import { mapParallel } from './parallel.ts';
import { CONFIG_MAP } from './testing/kinds.ts';
import { never, type RealClient, type RealServer, startRealServer } from './testing/real-server.ts';

const COUNT = 120;
const selection = { resource: CONFIG_MAP, namespace: 'n' };

// As on the Kubernetes versions where the server does not have watch-list, or has it switched off (1.33).
let real: RealServer;
let client: RealClient;
beforeAll(async () => {
  real = await startRealServer('--feature-gates=WatchList=false');
  client = real.client();
  await client.applier.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } }, never);
  const make = (index: number) =>
    client.applier.apply(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'n', name: `m-${String(index).padStart(3, '0')}` } },
      never,
    );
  await mapParallel(
    Array.from({ length: COUNT }, (_, index) => index),
    8,
    make,
    never,
  );
});
afterAll(() => real.stop());

test('pages of a real list fit together', async () => {
  const sizes: number[] = [];
  const names: string[] = [];
  const versions = new Set<string>();
  for await (const page of listPages(client.transport, selection, 50, never)) {
    sizes.push(page.items.length);
    names.push(...page.items.map(({ metadata }) => metadata.name));
    versions.add(page.resourceVersion);
  }
  expect([sizes, versions.size]).toEqual([[50, 50, 20], 1]);
  const { items } = await real.witness.listNamespacedConfigMap({ namespace: 'n' });
  expect(names).toEqual(items.map(({ metadata }) => metadata?.name));
});

test('a large list comes compressed and whole', async () => {
  const big = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'big' }, data: { text: 'ä'.repeat(200_000) } };
  await client.applier.apply(big, never);
  const [found] = await listAll(client.transport, { resource: CONFIG_MAP, namespace: 'default' }, never);
  expect(found?.['data']).toEqual(big.data);
});

test('where watch-list is switched off the store is filled by pages and follows', async () => {
  const { transport, metrics, applier } = real.client();
  const informer = new Informer({ ...selection, transport, metrics, pageSize: 50, project: withoutManagedFields });
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  await informer.store.synced(never);
  expect(informer.store.size).toBe(COUNT);
  expect(['pages', 'watch-list'].map((way) => metrics.value('kube_reflector_lists_total', { resource: 'configmaps', way }))).toEqual([
    1,
    undefined,
  ]);
  await applier.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'n', name: 'late' } }, never);
  await vi.waitFor(() => expect(informer.store.get('n/late')).toBeDefined(), { timeout: 20_000 });
  stop.abort();
  await running;
});
