import { afterEach, beforeEach, expect, test } from 'vitest';
import { Applier, intentOf } from './apply.ts';
import { Discovery } from './discovery.ts';
import type { ApiStatus } from './errors.ts';
import { ledger } from './inventory.ts';
import type { KubeObject, WireObject } from './object.ts';
import { Store } from './store.ts';
import { CONFIG_MAP } from './testing/kinds.ts';
import { fail, ProtocolServer, type Seen } from './testing/protocol-server.ts';
import type { Transport } from './transport.ts';

const never = new AbortController().signal;
const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'n', name: 'a' };
const intent = (data: Record<string, string> = { k: 'v' }) =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'n', name: 'a' }, data }) as KubeObject;

let server: ProtocolServer;
let transport: Transport;
let applier: Applier;
beforeEach(async () => {
  server = await ProtocolServer.start();
  transport = server.transport({ retry: { maxRetries: 2, initialMs: 1, maxMs: 1 } });
  applier = new Applier(transport, new Discovery(transport, [CONFIG_MAP]), 'me');
});
afterEach(async () => {
  transport.close();
  await server.close();
});

const live = () => server.get('configmaps', 'n/a');
const patches = () => server.requests.filter(({ method }) => method === 'PATCH');
const isPatch = ({ method }: Seen) => method === 'PATCH';
const refuse = (code: number, reason: string, message: string, status: Partial<ApiStatus> = {}) =>
  server.failNext(isPatch, (response) => fail(response, code, reason, message, status));
const causes = [{ reason: 'FieldManagerConflict', message: 'conflict with "kubectl-edit"', field: '.data.k' }];
const conflict = () => refuse(409, 'Conflict', 'Apply failed with 1 conflict', { details: { causes } });
const taken = [{ field: '.data.k', message: 'conflict with "kubectl-edit"' }];

test('what is not there is created, by an apply without force', async () => {
  const result = await applier.apply(intent(), never);
  expect(result).toEqual({ outcome: 'created', ref, object: live() });
  expect(patches().map(({ path, query, headers, body }) => [path, query, headers['content-type'], headers.accept, body])).toEqual([
    [
      '/api/v1/namespaces/n/configmaps/a',
      { fieldManager: 'me', force: 'false', fieldValidation: 'Ignore' },
      'application/apply-patch+yaml',
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      intent(),
    ],
  ]);
});

test('the same intent on the same object is not sent again; another one is', async () => {
  await applier.apply(intent(), never);
  expect(await applier.apply(intent(), never, { live: live() })).toEqual({ outcome: 'unchanged', ref });
  expect(patches()).toHaveLength(1);
  expect(await applier.apply(intent({ k: 'w' }), never, { live: live() })).toMatchObject({
    outcome: 'changed',
    repaired: false,
    taken: [],
  });
});

test('a store that has not seen our write yet does not make us write again', async () => {
  const before = server.put('configmaps', intent() as never);
  await applier.apply(intent({ k: 'w' }), never, { live: before });
  expect(await applier.apply(intent({ k: 'w' }), never, { live: before })).toEqual({ outcome: 'unchanged', ref });
  expect(patches()).toHaveLength(1);
});

test('an object that changed in a way that is not ours is looked at once, and then left alone', async () => {
  await applier.apply(intent(), never);
  server.put('configmaps', { ...live(), status: 'busy' } as never);
  expect(await applier.apply(intent(), never, { live: live() })).toEqual({ outcome: 'unchanged', ref, object: live() });
  expect(await applier.apply(intent(), never, { live: live() })).toEqual({ outcome: 'unchanged', ref });
  expect(patches()).toHaveLength(2);
});

test('what somebody changed is repaired, and that is told', async () => {
  await applier.apply(intent(), never);
  server.put('configmaps', { ...live(), data: { k: 'hand-made' } } as never);
  const result = await applier.apply(intent(), never, { live: live() });
  expect(result).toEqual({ outcome: 'changed', ref, object: live(), repaired: true, taken: [] });
  expect(live()?.['data']).toEqual({ k: 'v' });
});

test('an object that vanished is made again', async () => {
  await applier.apply(intent(), never);
  server.remove('configmaps', 'n/a');
  expect((await applier.apply(intent(), never)).outcome).toBe('created');
});

test('a foreign field is told, and not asked for again before the intent or the object changes', async () => {
  server.put('configmaps', intent({ k: 'theirs' }) as never);
  conflict();
  const refused = await applier.apply(intent(), never, { live: live() });
  expect(refused).toEqual({
    outcome: 'refused',
    ref,
    refusal: { reason: 'Conflict', message: 'Apply failed with 1 conflict', fields: taken },
  });
  expect(await applier.apply(intent(), never, { live: live() })).toEqual(refused);
  expect(patches()).toHaveLength(1);
  server.put('configmaps', intent({ k: 'given up' }) as never);
  expect((await applier.apply(intent(), never, { live: live() })).outcome).toBe('changed');
});

test('a foreign field is taken over on request, and the result says from whom', async () => {
  server.put('configmaps', intent({ k: 'theirs' }) as never);
  conflict();
  const result = await applier.apply(intent(), never, { live: live(), onConflict: 'take' });
  expect(result).toMatchObject({ outcome: 'changed', taken });
  expect(patches().map(({ query }) => query['force'])).toEqual(['false', 'true']);
});

test('an immutable field is told and not tried again', async () => {
  server.put('configmaps', intent({ k: 'old' }) as never);
  refuse(422, 'Invalid', 'data: Forbidden: field is immutable when `immutable` is set');
  const refused = await applier.apply(intent(), never, { live: live() });
  expect(refused).toMatchObject({ outcome: 'refused', refusal: { reason: 'Immutable' } });
  expect(await applier.apply(intent(), never, { live: live() })).toEqual(refused);
  expect(patches()).toHaveLength(1);
});

test('a refusal that may pass by itself is told, and asked for again next time', async () => {
  refuse(403, 'Forbidden', 'configmaps is forbidden');
  expect(await applier.apply(intent(), never)).toMatchObject({ outcome: 'refused', refusal: { reason: 'Forbidden' } });
  expect((await applier.apply(intent(), never)).outcome).toBe('created');
});

test('a kind that is not installed is a refusal', async () => {
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };
  expect(await applier.apply(widget, never)).toMatchObject({
    outcome: 'refused',
    refusal: { reason: 'Absent', message: 'the API server has no kind Widget in example.com/v1' },
  });
});

test('what is no refusal is thrown, after it was tried again', async () => {
  for (let failure = 0; failure < 3; failure += 1) refuse(500, 'InternalError', 'etcd is away');
  await expect(applier.apply(intent(), never)).rejects.toThrow('500');
  expect(patches()).toHaveLength(3);
});

test('what was forgotten is sent again, and takes no memory', async () => {
  await applier.apply(intent(), never);
  expect(applier.remembered).toBe(1);
  applier.forget(ref);
  expect(applier.remembered).toBe(0);
  expect((await applier.apply(intent(), never, { live: live() })).outcome).toBe('unchanged');
  expect(patches()).toHaveLength(2);
});

test('what a store tells was deleted is forgotten', async () => {
  const store = new Store({ project: ledger('owner') });
  store.replace().commit();
  applier.forgetDeleted(store);
  const { object } = (await applier.apply(intent(), never)) as { object: WireObject };
  store.upsert(object);
  expect(applier.remembered).toBe(1);
  store.remove(object);
  expect(applier.remembered).toBe(0);
});

test('a status goes to its own place, alone, and is remembered apart from the rest', async () => {
  server.put('configmaps', intent() as never);
  const withStatus = { ...intent(), status: { ready: true } } as KubeObject;
  await applier.apply(withStatus, never, { live: live(), subresource: 'status' });
  const [seen] = patches();
  expect([seen?.path, seen?.body]).toEqual([
    '/api/v1/namespaces/n/configmaps/a/status',
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'n', name: 'a' }, status: { ready: true } },
  ]);
  await applier.apply(intent(), never, { live: live() });
  expect([patches().length, applier.remembered]).toEqual([2, 2]);
  applier.forget(ref);
  expect(applier.remembered).toBe(0);
});

test('a preview writes nothing and forgets nothing', async () => {
  server.put('configmaps', intent({ k: 'old' }) as never);
  await applier.preview(intent(), never);
  expect([patches()[0]?.query, applier.remembered]).toEqual([
    { fieldManager: 'me', force: 'true', fieldValidation: 'Ignore', dryRun: 'All' },
    0,
  ]);
});

test('an intent has nothing of what the server keeps for itself', () => {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'a',
      namespace: 'n',
      uid: 'u',
      resourceVersion: '5',
      generation: 3,
      creationTimestamp: 't',
      managedFields: [],
      labels: { l: '1' },
      annotations: { a: '1' },
      ownerReferences: [],
      finalizers: ['f'],
    },
    data: { k: 'v' },
    status: { ready: true },
  };
  expect(intentOf(object)).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'n', labels: { l: '1' }, annotations: { a: '1' }, ownerReferences: [], finalizers: ['f'] },
    data: { k: 'v' },
  });
});
