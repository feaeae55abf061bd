import type { V1ConfigMap } from '@kubernetes/client-node';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { Informer, type InformerOptions, withoutManagedFields } from './informer.ts';
import { ledger } from './inventory.ts';
import type { Resource, WireObject } from './object.ts';
import type { Stored } from './store.ts';
import { CONFIG_MAP } from './testing/kinds.ts';
import { actingAs, never, type RealClient, type RealServer, startRealServer, through } from './testing/real-server.ts';
import { TcpGate } from './testing/tcp-gate.ts';

type Thing = WireObject & Stored;

// Everything as in production but for the waits, which would only make the tests long.
const QUICK = { initialMs: 50, maxMs: 500, factor: 2, jitter: 0.5, resetAfterMs: 10_000 };

let real: RealServer;
let writer: RealClient;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  real = await startRealServer();
  writer = real.client();
  await writer.applier.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } }, never);
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => real.stop());

function follow(client: RealClient, options: Partial<InformerOptions<Thing>> = {}) {
  const informer = new Informer<Thing>({
    transport: client.transport,
    resource: CONFIG_MAP,
    namespace: 'n',
    project: withoutManagedFields,
    backoff: QUICK,
    metrics: client.metrics,
    ...options,
  });
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  closing.push(async () => {
    stop.abort();
    await running;
  });
  return informer;
}

const until = (condition: () => void | Promise<void>) => vi.waitFor(condition, { timeout: 60_000, interval: 50 });
const lists = (client: RealClient, way: string, resource = 'configmaps') =>
  client.metrics.value('kube_reflector_lists_total', { resource, way }) ?? 0;

async function write(prefix: string, count: number, value: string, client: RealClient = writer): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'n', name: `${prefix}-${index}` }, data: { value } };
    await client.applier.apply(object, never);
  }
}

type Row = readonly [string | undefined, string | undefined, string | undefined, unknown];
const byName = ([a = '']: Row, [b = '']: Row) => (a < b ? -1 : 1);

/** What the official client sees, in the words of our store: name, version and data of every object. */
async function witnessed(): Promise<readonly Row[]> {
  const { items } = await real.witness.listNamespacedConfigMap({ namespace: 'n' });
  return items
    .map(({ metadata, data }: V1ConfigMap): Row => [metadata?.name, metadata?.resourceVersion, metadata?.uid, data])
    .toSorted(byName);
}
const stored = (informer: Informer<Thing>) =>
  informer.store
    .list()
    .map(({ metadata, data }): Row => [metadata.name, metadata.resourceVersion, metadata.uid, data])
    .toSorted(byName);

/** Our store and the official client agree. */
const agree = (informer: Informer<Thing>) =>
  until(async () => {
    expect(informer.store.hasSynced).toBe(true);
    expect(stored(informer)).toEqual(await witnessed());
  });

test('the store has what the official client sees, by one watch-list and then by events', async () => {
  await write('first', 30, 'one');
  const client = real.client();
  const informer = follow(client);
  await agree(informer);
  await write('first', 15, 'two');
  await write('second', 5, 'one');
  await writer.client.delete(CONFIG_MAP, { namespace: 'n', name: 'first-29' }, never);
  await agree(informer);
  expect([lists(client, 'watch-list'), lists(client, 'pages')]).toEqual([1, 0]);
  expect(informer.store.size).toBe(34);
});

test('a projected, metadata-only, labelled view has the same objects', async () => {
  const labelled = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'n', name: 'mine', labels: { owner: 'me' } },
    data: { big: 'x'.repeat(1_000) },
  };
  const { object } = (await writer.applier.apply(labelled, never)) as { object: WireObject };
  const client = real.client();
  const informer = new Informer({
    transport: client.transport,
    resource: CONFIG_MAP,
    labelSelector: 'owner=me',
    metadataOnly: true,
    project: ledger('owner'),
  });
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  await informer.store.synced(never);
  expect(informer.store.list()).toEqual([ledger('owner')(object)]);
  stop.abort();
  await running;
});

test('a connection cut again and again loses nothing and lists once', async () => {
  const gate = await TcpGate.to(Number(real.connection.server.port));
  closing.push(() => gate.close());
  const client = real.client({ connection: through(real.connection, gate.port) });
  const informer = follow(client);
  await agree(informer);
  for (let cut = 0; cut < 5; cut += 1) {
    gate.shut();
    await write('cut', 5, `${cut}`);
    gate.open();
    await agree(informer);
  }
  expect(lists(client, 'watch-list')).toBe(1);
});

test('a kind that is not installed is waited for, followed, and its objects are gone when it is', async () => {
  const WIDGET: Resource = { group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true };
  const client = real.client();
  const informer = follow(client, { resource: WIDGET });
  await until(() => expect([informer.state.phase, informer.store.hasSynced]).toEqual(['missing', true]));
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
  await writer.applier.apply(crd, never);
  await until(() => expect(informer.state.phase).toBe('synced'));
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { namespace: 'n', name: 'w' }, spec: { of: { our: 'own' } } };
  await until(async () => expect((await writer.applier.apply(widget, never)).outcome).not.toBe('refused'));
  await until(() => expect(informer.store.get('n/w')?.['spec']).toEqual({ of: { our: 'own' } }));
  const crds: Resource = {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    namespaced: false,
  };
  await writer.client.delete(crds, { name: 'widgets.example.com' }, never);
  await until(() => expect([informer.state.phase, informer.store.size]).toEqual(['missing', 0]));
});

test('a resource that we may not read is told, and followed when we may', async () => {
  const client = real.client({ connection: actingAs(real.connection, 'jane') });
  const informer = follow(client);
  await until(() => expect(informer.state.phase).toBe('forbidden'));
  expect(informer.state.message).toContain('User "jane" cannot watch resource "configmaps" in API group "" in the namespace "n"');
  expect(informer.store.hasSynced).toBe(false);
  await real.hub.kubectl('create', 'role', 'reader', '--namespace=n', '--verb=list,watch', '--resource=configmaps');
  await real.hub.kubectl('create', 'rolebinding', 'reader', '--namespace=n', '--role=reader', '--user=jane');
  await agree(informer);
});

test.each(['apiserver', 'etcd'] as const)(
  'kill -9 of the %s while objects change, and everything is as the official client sees it',
  async (which) => {
    const client = real.client();
    const informer = follow(client);
    await agree(informer);
    for (let round = 0; round < 3; round += 1) {
      const restarted = real.hub.restart(which);
      // Writes go on through the outage; those that cannot are made afterwards, as a controller would.
      const writes = vi.waitFor(() => write(`kill-${which}`, 10, `${round}`), { timeout: 60_000, interval: 100 });
      await Promise.all([restarted, writes]);
      await agree(informer);
    }
    expect(informer.state).toEqual({ phase: 'synced', message: '' });
  },
);

test('a server that restarted does not know the version we watched from (410), and is listed again', async () => {
  const client = real.client();
  const informer = follow(client, { namespace: 'default' });
  await informer.store.synced(never);
  // Changes elsewhere move the server's version past the one that this watch has seen.
  await write('elsewhere', 3, 'x');
  await real.hub.restart('apiserver');
  await until(() => expect(client.metrics.value('kube_reflector_failures_total', { resource: 'configmaps', reason: '410' })).toBe(1));
  await until(() => expect(lists(client, 'watch-list')).toBe(2));
  await until(() => expect(informer.state).toEqual({ phase: 'synced', message: '' }));
});

test('both killed, and what was deleted meanwhile is known to be gone', async () => {
  const client = real.client();
  const gate = await TcpGate.to(Number(real.connection.server.port));
  closing.push(() => gate.close());
  const informer = follow(client);
  const cutOff = follow(real.client({ connection: through(real.connection, gate.port) }));
  await write('doomed', 1, 'x');
  await agree(informer);
  await agree(cutOff);
  const tombstones: unknown[] = [];
  cutOff.store.subscribe((event) => event.type === 'deleted' && tombstones.push(event.key));
  gate.shut();
  await writer.client.delete(CONFIG_MAP, { namespace: 'n', name: 'doomed-0' }, never);
  await Promise.all([real.hub.apiserver.kill(), real.hub.etcd.kill()]);
  real.hub.etcd.start();
  await real.hub.restart('apiserver');
  gate.open();
  await agree(informer);
  await agree(cutOff);
  expect(tombstones).toEqual(['n/doomed-0']);
});
