import { afterEach, beforeEach, expect, test } from 'vitest';
import { Client } from './client.ts';
import { isConflict } from './errors.ts';
import { addFinalizer, removeFinalizer } from './finalizers.ts';
import { CONFIG_MAP } from './testing/kinds.ts';
import { ProtocolServer } from './testing/protocol-server.ts';
import type { Transport } from './transport.ts';

const never = new AbortController().signal;
const MINE = 'example.com/mine';
const metadata = { namespace: 'n', name: 'a' };

let server: ProtocolServer;
let transport: Transport;
let client: Client;
beforeEach(async () => {
  server = await ProtocolServer.start();
  transport = server.transport();
  client = new Client(transport);
});
afterEach(async () => {
  transport.close();
  await server.close();
});

const finalizers = () => server.get('configmaps', 'n/a')?.metadata.finalizers;

test('it is added beside the others and removed from between them', async () => {
  const object = server.put('configmaps', { metadata: { ...metadata, finalizers: ['theirs/one'] } });
  const added = await addFinalizer(client, CONFIG_MAP, object, MINE, never);
  expect([added?.metadata.finalizers, finalizers()]).toEqual([
    ['theirs/one', MINE],
    ['theirs/one', MINE],
  ]);
  await removeFinalizer(client, CONFIG_MAP, added ?? object, MINE, never);
  expect(finalizers()).toEqual(['theirs/one']);
});

test('nothing is written when there is nothing to change, nor added to what is being deleted', async () => {
  const object = server.put('configmaps', { metadata: { ...metadata, finalizers: [MINE] } });
  expect(await addFinalizer(client, CONFIG_MAP, object, MINE, never)).toBeUndefined();
  expect(
    await removeFinalizer(client, CONFIG_MAP, { ...object, metadata: { ...object.metadata, finalizers: [] } }, MINE, never),
  ).toBeUndefined();
  const dying = { ...object, metadata: { ...object.metadata, finalizers: [], deletionTimestamp: '2026-01-02T03:04:05Z' } };
  expect(await addFinalizer(client, CONFIG_MAP, dying, MINE, never)).toBeUndefined();
  expect(server.requests).toEqual([]);
});

test('an object that changed since it was read is a conflict, and the finalizer of another is not lost', async () => {
  const old = server.put('configmaps', { metadata });
  server.put('configmaps', { metadata: { ...metadata, finalizers: ['theirs/one'] } });
  await expect(addFinalizer(client, CONFIG_MAP, old, MINE, never)).rejects.toSatisfy(isConflict);
  expect(finalizers()).toEqual(['theirs/one']);
});

test('an object that is gone needs no removal', async () => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, resourceVersion: '1', finalizers: [MINE] } };
  server.failNext(
    () => true,
    (response) => {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"kind":"Status","code":404,"reason":"NotFound"}');
    },
  );
  expect(await removeFinalizer(client, CONFIG_MAP, object, MINE, never)).toBeUndefined();
});

test('without a version to lock on nothing is written', async () => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
  await expect(addFinalizer(client, CONFIG_MAP, object, MINE, never)).rejects.toThrow('ConfigMap a has no resourceVersion to lock on');
});
