import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ApplyResult } from './apply.ts';
import { applySet } from './apply-set.ts';
import { Informer } from './informer.ts';
import { type LedgerEntry, ledger } from './inventory.ts';
import type { KubeObject, ObjectRef } from './object.ts';
import { Overlay } from './overlay.ts';
import { writeStatus } from './status.ts';
import { CONFIG_MAP } from './testing/kinds.ts';
import { actingAs, never, type RealClient, type RealServer, startRealServer } from './testing/real-server.ts';

const OWNER = 'example.com/owner';

let real: RealServer;
let me: RealClient;
beforeAll(async () => {
  real = await startRealServer();
  me = real.client();
  await me.applier.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } }, never);
});
afterAll(() => real.stop());

const map = (name: string, data: Record<string, string>, more: object = {}) =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'n', name, labels: { [OWNER]: 'me' } }, data, ...more }) as KubeObject;
const live = (name: string) => me.client.find(CONFIG_MAP, { namespace: 'n', name }, never);
const data = async (name: string) => (await live(name))?.['data'];
const kubectl = (...args: readonly string[]) => real.hub.kubectl('--namespace=n', ...args);
const refusal = (result: ApplyResult) => (result.outcome === 'refused' ? result.refusal : undefined);

test('a field that does not exist is refused, although the server is not asked to look for any', async () => {
  const found = refusal(await me.applier.apply(map('odd', {}, { surprise: 1 }), never));
  expect(found?.message).toContain('.surprise: field not declared in schema');
  expect(await live('odd')).toBeUndefined();
});

test('an intent is applied once; again it changes nothing and, once that is known, is not even sent', async () => {
  expect((await me.applier.apply(map('once', { a: '1' }), never)).outcome).toBe('created');
  const before = await live('once');
  const patches = me.requests('PATCH', '200');
  expect((await me.applier.apply(map('once', { a: '1' }), never, { live: before })).outcome).toBe('unchanged');
  expect(me.requests('PATCH', '200')).toBe(patches);
  // A process that has just started remembers nothing: it asks, and the server finds nothing to write.
  const restarted = real.client();
  expect((await restarted.applier.apply(map('once', { a: '1' }), never, { live: before })).outcome).toBe('unchanged');
  expect((await live('once'))?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
});

test('what is no longer in the intent goes, what others added stays', async () => {
  await me.applier.apply(map('shared', { a: '1', b: '2' }), never);
  await kubectl('patch', 'configmap', 'shared', '--type=merge', '--patch={"data":{"theirs":"x"}}');
  await me.applier.apply(map('shared', { a: '1' }), never, { live: await live('shared') });
  expect(await data('shared')).toEqual({ a: '1', theirs: 'x' });
});

test('a field that somebody else manages is told with its manager, and taken on request', async () => {
  await kubectl('create', 'configmap', 'theirs', '--from-literal=a=theirs');
  const object = await live('theirs');
  const refused = await me.applier.apply(map('theirs', { a: 'ours' }), never, { live: object });
  expect(refusal(refused)).toMatchObject({
    reason: 'Conflict',
    fields: [{ field: '.data.a', message: expect.stringContaining('conflict with "kubectl-create"') }],
  });
  const sent = me.requests('PATCH', '409');
  expect(await me.applier.apply(map('theirs', { a: 'ours' }), never, { live: object })).toEqual(refused);
  expect([me.requests('PATCH', '409'), await data('theirs')]).toEqual([sent, { a: 'theirs' }]);
  const taken = await me.applier.apply(map('theirs', { a: 'ours', b: '1' }), never, { live: object, onConflict: 'take' });
  expect(taken).toMatchObject({ outcome: 'changed', taken: [{ field: '.data.a' }] });
  expect(await data('theirs')).toEqual({ a: 'ours', b: '1' });
});

test('a change by hand is repaired and told, whether it changed a field or removed it', async () => {
  await me.applier.apply(map('repaired', { a: '1' }), never);
  await kubectl('patch', 'configmap', 'repaired', '--type=merge', '--patch={"data":{"a":"by hand"}}');
  const result = await me.applier.apply(map('repaired', { a: '1' }), never, { live: await live('repaired'), onConflict: 'take' });
  expect(result).toMatchObject({ outcome: 'changed', repaired: true, taken: [{ field: '.data.a' }] });
  await kubectl('patch', 'configmap', 'repaired', '--type=json', '--patch=[{"op":"remove","path":"/data/a"}]');
  const again = await me.applier.apply(map('repaired', { a: '1' }), never, { live: await live('repaired') });
  expect(again).toMatchObject({ outcome: 'changed', repaired: true, taken: [] });
  expect(await data('repaired')).toEqual({ a: '1' });
});

const statefulSet = (serviceName: string) =>
  ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { namespace: 'n', name: 'fixed' },
    spec: {
      serviceName,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  }) as KubeObject;

test('immutable fields are told and not tried again', async () => {
  await me.applier.apply(map('frozen', { a: '1' }, { immutable: true }), never);
  const object = await live('frozen');
  const refused = await me.applier.apply(map('frozen', { a: '2' }, { immutable: true }), never, { live: object });
  expect(refusal(refused)?.reason).toBe('Immutable');
  const sent = me.requests('PATCH', '422');
  expect(await me.applier.apply(map('frozen', { a: '2' }, { immutable: true }), never, { live: object })).toEqual(refused);
  expect(me.requests('PATCH', '422')).toBe(sent);
  await me.applier.apply(statefulSet('one'), never);
  expect(refusal(await me.applier.apply(statefulSet('two'), never))?.reason).toBe('Immutable');
  const service = (clusterIP: string) =>
    ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace: 'n', name: 's' },
      spec: { clusterIP, ports: [{ port: 80 }] },
    }) as KubeObject;
  await me.applier.apply(service('10.96.0.20'), never);
  expect(refusal(await me.applier.apply(service('10.96.0.21'), never))?.reason).toBe('Immutable');
});

test('other refusals of a real server are told apart', async () => {
  const reason = async (object: object, applier = me.applier) => refusal(await applier.apply(object as KubeObject, never))?.reason;
  expect(await reason({ ...map('x', {}), data: { 'no spaces!': '1' } })).toBe('Invalid');
  expect(await reason({ ...map('x', {}), surprise: true })).toBe('Invalid');
  expect(await reason({ ...map('x', {}), metadata: { namespace: 'nowhere', name: 'x' } })).toBe('Absent');
  expect(await reason({ apiVersion: 'example.com/v1', kind: 'Nothing', metadata: { name: 'x' } })).toBe('Absent');
  const jane = real.client({ connection: actingAs(real.connection, 'jane') });
  expect(await reason(map('x', {}), jane.applier)).toBe('Forbidden');
  await me.applier.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'dying' } }, never);
  // There is no controller here that would end it, so it stays terminating.
  await real.hub.kubectl('delete', 'namespace', 'dying', '--wait=false');
  expect(await reason({ ...map('x', {}), metadata: { namespace: 'dying', name: 'x' } })).toBe('Terminating');
});

test('a preview says what would be, and nothing is', async () => {
  await me.applier.apply(map('previewed', { a: '1' }), never);
  const preview = await me.applier.preview(map('previewed', { a: '2' }), never);
  expect([preview['data'], await data('previewed')]).toEqual([{ a: '2' }, { a: '1' }]);
});

test('a set over a live inventory: made, at rest without a request, changed, repaired, pruned by label', async () => {
  const informer = new Informer({
    transport: me.transport,
    resource: CONFIG_MAP,
    labelSelector: OWNER,
    metadataOnly: true,
    project: ledger(OWNER),
    indexes: { owner: (entry: LedgerEntry) => [entry.owner] },
  });
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  await informer.store.synced(never);
  const overlay = new Overlay({ store: informer.store, project: ledger(OWNER), clock: me.transport.clock });
  const own = (name: string, value: string) =>
    ({ ...map(name, { value }), metadata: { namespace: 'n', name, labels: { [OWNER]: 'set' } } }) as KubeObject;
  const worker = real.client();
  const reconcile = async (...desired: readonly KubeObject[]) => {
    const result = await applySet({ ...worker, desired, inventory: overlay.byIndex('owner', 'set'), onConflict: 'take' }, never);
    for (const applied of result.applied) {
      if (applied.outcome === 'created' || applied.outcome === 'changed') overlay.wrote(applied.object);
    }
    for (const { namespace, name } of result.pruned?.deleted ?? [])
      overlay.deleted(`${namespace}/${name}`, overlay.get(`${namespace}/${name}`)?.metadata.uid);
    return [result.applied.map(({ outcome }) => outcome), result.pruned?.deleted.map(({ name }: ObjectRef) => name)];
  };
  const all = () =>
    ['GET', 'PATCH', 'DELETE', 'POST', 'PUT'].reduce(
      (sum, method) => sum + worker.requests(method, '200') + worker.requests(method, '201'),
      0,
    );

  expect(await reconcile(own('s1', '1'), own('s2', '1'), own('s3', '1'))).toEqual([['created', 'created', 'created'], []]);
  // At once, whether or not the watch was fast enough to tell of the three: nothing is written twice.
  const sent = all();
  expect(await reconcile(own('s1', '1'), own('s2', '1'), own('s3', '1'))).toEqual([['unchanged', 'unchanged', 'unchanged'], []]);
  expect(all()).toBe(sent);
  expect(await reconcile(own('s1', '2'), own('s2', '1'))).toEqual([['changed', 'unchanged'], ['s3']]);
  await kubectl('patch', 'configmap', 's2', '--type=merge', '--patch={"data":{"value":"by hand"}}');
  await vi.waitFor(async () => expect(overlay.get('n/s2')?.metadata.resourceVersion).toBe((await live('s2'))?.metadata.resourceVersion));
  expect(await reconcile(own('s1', '2'), own('s2', '1'))).toEqual([['unchanged', 'changed'], []]);
  const names = (await kubectl('get', 'configmaps', `--selector=${OWNER}=set`, '--output=jsonpath={.items[*].metadata.name}')).split(' ');
  expect(names).toEqual(['s1', 's2']);
  stop.abort();
  await running;
});

test('a status is written to its own place, once', async () => {
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'n', name: 'd' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
  await me.applier.apply(deployment, never);
  const resource = await me.discovery.resourceFor('apps/v1', 'Deployment', never);
  const object = await me.client.get(resource, deployment.metadata, never);
  const status = { observedGeneration: 1, conditions: [{ type: 'Available', status: 'True', reason: 'Told', message: 'it is' }] };
  const result = await writeStatus(me.applier, object, status, never);
  expect(result).toMatchObject({ outcome: 'changed', object: { status, metadata: { generation: 1 } } });
  const written = await me.client.get(resource, deployment.metadata, never);
  expect((await writeStatus(me.applier, written, status, never)).outcome).toBe('unchanged');
});
