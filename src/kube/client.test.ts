import { afterEach, beforeEach, expect, test } from 'vitest';
import { Client, METADATA_ONLY } from './client.ts';
import { CONFIG_MAP, NAMESPACE } from './testing/kinds.ts';
import { fail, ProtocolServer } from './testing/protocol-server.ts';
import type { Transport } from './transport.ts';

const never = new AbortController().signal;
const named = { namespace: 'n', name: 'a' };

let server: ProtocolServer;
let transport: Transport;
let client: Client;
beforeEach(async () => {
  server = await ProtocolServer.start();
  transport = server.transport({ retry: { maxRetries: 2, initialMs: 1, maxMs: 1 } });
  client = new Client(transport);
});
afterEach(async () => {
  transport.close();
  await server.close();
});

test('an object is made, read, replaced and deleted', async () => {
  const made = await client.create(CONFIG_MAP, { metadata: named, data: { a: '1' } } as never, never);
  expect(await client.get(CONFIG_MAP, named, never)).toEqual(made);
  const next = { ...made, data: { a: '2' } };
  const replaced = await client.replace(CONFIG_MAP, next, never);
  expect(replaced).toEqual(server.get('configmaps', 'n/a'));
  expect([await client.delete(CONFIG_MAP, named, never), await client.delete(CONFIG_MAP, named, never)]).toEqual([true, false]);
});

test('what is not there is undefined to find, and an error to get', async () => {
  expect(await client.find(CONFIG_MAP, named, never)).toBeUndefined();
  await expect(client.get(CONFIG_MAP, named, never)).rejects.toThrow('404');
  server.failNext(
    () => true,
    (response) => fail(response, 403, 'Forbidden', 'no'),
  );
  await expect(client.find(CONFIG_MAP, named, never)).rejects.toThrow('403');
});

test('each kind of patch says what it is', async () => {
  server.put('configmaps', { metadata: named });
  await client.patch(CONFIG_MAP, named, { type: 'merge', body: { data: { a: '1' } } }, never, { fieldManager: 'me', dryRun: true });
  await client.patch(CONFIG_MAP, named, { type: 'json', body: [] }, never, { subresource: 'status' });
  await client.patch(CONFIG_MAP, named, { type: 'apply', body: {}, force: true }, never, { accept: METADATA_ONLY });
  expect(server.requests.map(({ path, query, headers }) => [path, query, headers['content-type'], headers.accept])).toEqual([
    ['/api/v1/namespaces/n/configmaps/a', { fieldManager: 'me', dryRun: 'All' }, 'application/merge-patch+json', 'application/json'],
    ['/api/v1/namespaces/n/configmaps/a/status', {}, 'application/json-patch+json', 'application/json'],
    ['/api/v1/namespaces/n/configmaps/a', { force: 'true' }, 'application/apply-patch+yaml', METADATA_ONLY],
  ]);
});

test('an apply that was cut off is sent again, a merge patch is not', async () => {
  server.put('configmaps', { metadata: named });
  const cut = () =>
    server.failNext(
      () => true,
      (response) => response.socket?.resetAndDestroy(),
    );
  cut();
  await client.patch(CONFIG_MAP, named, { type: 'apply', body: { data: {} }, force: false }, never);
  cut();
  await expect(client.patch(CONFIG_MAP, named, { type: 'merge', body: {} }, never)).rejects.toThrow('ECONNRESET');
});

test('a deletion by uid hits that object only', async () => {
  const { metadata } = server.put('configmaps', { metadata: named });
  await expect(client.delete(CONFIG_MAP, named, never, { uid: 'another' })).rejects.toThrow('409');
  expect(await client.delete(CONFIG_MAP, named, never, { uid: metadata.uid ?? '', propagation: 'Foreground' })).toBe(true);
  expect(server.requests.at(-1)?.body).toEqual({
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: 'Foreground',
    preconditions: { uid: metadata.uid },
  });
});

test('objects of the cluster have no namespace in their path', async () => {
  await expect(client.get(NAMESPACE, { name: 'n' }, never)).rejects.toThrow('404');
  expect(server.requests[0]?.path).toBe('/api/v1/namespaces/n');
});
