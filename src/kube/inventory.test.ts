import { afterEach, beforeEach, expect, test } from 'vitest';
import { Client } from './client.ts';
import { Discovery } from './discovery.ts';
import { type LedgerEntry, ledger, prune } from './inventory.ts';
import { CONFIG_MAP, NAMESPACE } from './testing/kinds.ts';
import { fail, ProtocolServer } from './testing/protocol-server.ts';
import type { Transport } from './transport.ts';

const never = new AbortController().signal;
const OWNER = 'example.com/owner';

let server: ProtocolServer;
let transport: Transport;
beforeEach(async () => {
  server = await ProtocolServer.start();
  transport = server.transport({ retry: { maxRetries: 0, initialMs: 1, maxMs: 1 } });
});
afterEach(async () => {
  transport.close();
  await server.close();
});

const put = (name: string): LedgerEntry =>
  ledger(OWNER)(server.put('configmaps', { metadata: { namespace: 'n', name, labels: { [OWNER]: 'me' } } }));
const ref = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'n', name });
const run = (inventory: readonly LedgerEntry[], ...desired: readonly string[]) =>
  prune(
    { client: new Client(transport), discovery: new Discovery(transport, [CONFIG_MAP, NAMESPACE]), inventory, desired: desired.map(ref) },
    never,
  );

test('what is in the inventory and not wanted is deleted, and nothing else', async () => {
  const inventory = [put('keep'), put('drop-1'), put('drop-2')];
  server.put('configmaps', { metadata: { namespace: 'n', name: 'foreign' } });
  const result = await run(inventory, 'keep', 'to-come');
  expect(result).toEqual({ deleted: [ref('drop-1'), ref('drop-2')], terminating: [], refused: [] });
  expect(server.list('configmaps').map(({ metadata }) => metadata.name)).toEqual(['keep', 'foreign']);
});

test('nothing is sent when all is as it should be', async () => {
  await run([put('keep')], 'keep');
  expect(server.requests).toEqual([]);
});

test('an object of the same name that somebody made since is not ours to delete', async () => {
  const old = put('drop');
  server.remove('configmaps', 'n/drop');
  server.put('configmaps', { metadata: { namespace: 'n', name: 'drop', uid: 'another' } });
  expect(await run([old])).toEqual({ deleted: [], terminating: [], refused: [] });
  expect(server.list('configmaps')).toHaveLength(1);
});

test('what is gone already was not deleted by us, and what is on its way out is not deleted twice', async () => {
  const gone = put('gone');
  server.remove('configmaps', 'n/gone');
  const dying = put('dying');
  const result = await run([gone, { ...dying, metadata: { ...dying.metadata, terminating: true } }]);
  expect(result).toEqual({ deleted: [], terminating: [ref('dying')], refused: [] });
  expect(server.requests.map(({ path }) => path)).toEqual(['/api/v1/namespaces/n/configmaps/gone']);
});

test('a refusal is told and does not keep the others', async () => {
  const inventory = [put('a'), put('b')];
  server.failNext(
    ({ path }) => path.endsWith('/a'),
    (response) => fail(response, 403, 'Forbidden', 'a webhook says no'),
  );
  expect(await run(inventory)).toEqual({
    deleted: [ref('b')],
    terminating: [],
    refused: [{ ref: ref('a'), refusal: { reason: 'Forbidden', message: 'a webhook says no', fields: [] } }],
  });
});

test('trouble of the passing kind is thrown', async () => {
  server.failNext(
    () => true,
    (response) => fail(response, 500, 'InternalError', 'etcd is away'),
  );
  await expect(run([put('a')])).rejects.toThrow('500');
});

test('namespaces go last', async () => {
  const space: LedgerEntry = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'n', uid: 'u', resourceVersion: '1', terminating: false },
    owner: 'me',
  };
  await run([space, put('a'), put('b')]);
  expect(server.requests.map(({ path }) => path).at(-1)).toBe('/api/v1/namespaces/n');
});

test('a ledger entry keeps what is needed and no more', () => {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      namespace: 'n',
      name: 'a',
      uid: 'u',
      resourceVersion: '5',
      deletionTimestamp: 't',
      labels: { [OWNER]: 'me', x: 'y' },
      annotations: { big: 'x' },
    },
    data: { k: 'v' },
  };
  expect(ledger(OWNER)(object)).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'n', name: 'a', uid: 'u', resourceVersion: '5', terminating: true },
    owner: 'me',
  });
});
