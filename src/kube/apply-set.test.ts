import { afterEach, beforeEach, expect, test } from 'vitest';
import { Applier } from './apply.ts';
import { applySet } from './apply-set.ts';
import { Client } from './client.ts';
import { Discovery } from './discovery.ts';
import { ledger } from './inventory.ts';
import type { KubeObject } from './object.ts';
import { CONFIG_MAP, NAMESPACE } from './testing/kinds.ts';
import { fail, ProtocolServer } from './testing/protocol-server.ts';
import type { Transport } from './transport.ts';

const never = new AbortController().signal;
const OWNER = 'example.com/owner';
const map = (name: string, data: Record<string, string> = {}) =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'n', name, labels: { [OWNER]: 'me' } }, data }) as KubeObject;
const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } };

let server: ProtocolServer;
let transport: Transport;
let parts: { client: Client; discovery: Discovery; applier: Applier };
beforeEach(async () => {
  server = await ProtocolServer.start();
  transport = server.transport({ retry: { maxRetries: 0, initialMs: 1, maxMs: 1 } });
  const discovery = new Discovery(transport, [CONFIG_MAP, NAMESPACE]);
  parts = { client: new Client(transport), discovery, applier: new Applier(transport, discovery, 'me') };
});
afterEach(async () => {
  transport.close();
  await server.close();
});

const inventory = () =>
  server
    .list('configmaps')
    .filter(({ metadata }) => metadata.labels?.[OWNER] === 'me')
    .map(ledger(OWNER));
const run = (...desired: readonly KubeObject[]) => applySet({ ...parts, desired, inventory: inventory() }, never);
const names = () => server.list('configmaps').map(({ metadata }) => metadata.name);

test('a set is made, then left alone, then changed and pruned', async () => {
  expect((await run(map('a'), map('b'))).applied.map(({ outcome }) => outcome)).toEqual(['created', 'created']);
  const sent = server.requests.length;
  expect((await run(map('a'), map('b'))).applied.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged']);
  expect(server.requests).toHaveLength(sent);
  const { applied, pruned } = await run(map('b', { k: 'v' }), map('c'));
  expect([applied.map(({ outcome }) => outcome), pruned?.deleted.map(({ name }) => name), names()]).toEqual([
    ['changed', 'created'],
    ['a'],
    ['b', 'c'],
  ]);
  // Of what was pruned nothing is remembered.
  expect(parts.applier.remembered).toBe(2);
});

test('what lives in no namespace is there before what lives in one, whatever the order they were named in', async () => {
  const { applied } = await run(map('a'), map('b'), space);
  expect(server.requests[0]?.path).toBe('/api/v1/namespaces/n');
  expect(applied.map(({ ref }) => ref.name)).toEqual(['a', 'b', 'n']);
});

test('nothing is pruned before all that is wanted is there', async () => {
  await run(map('old'));
  server.failNext(
    ({ path }) => path.endsWith('/new-1'),
    (response) => fail(response, 422, 'Invalid', 'data: wrong'),
  );
  const { applied, pruned } = await run(map('new-1'), map('new-2'));
  expect([applied.map(({ outcome }) => outcome), pruned, names()]).toEqual([['refused', 'created'], undefined, ['old', 'new-2']]);
});

test('a kind that is not installed is told and does not keep the others', async () => {
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };
  const { applied } = await run(widget, map('a'));
  expect(applied.map(({ outcome }) => outcome)).toEqual(['refused', 'created']);
});

test('two intents for one object are a mistake', async () => {
  await expect(run(map('a'), map('a', { k: 'v' }))).rejects.toThrow('ConfigMap n/a is wanted twice');
});

test('requests go out several at a time', async () => {
  let active = 0;
  let most = 0;
  for (let index = 0; index < 12; index += 1) {
    server.failNext(
      ({ method }) => method === 'PATCH',
      (response) => {
        most = Math.max(most, ++active);
        setImmediate(() => {
          active -= 1;
          fail(response, 403, 'Forbidden', 'no');
        });
      },
    );
  }
  await applySet({ ...parts, desired: Array.from({ length: 12 }, (_, index) => map(`m${index}`)), inventory: [], parallel: 4 }, never);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(4);
});
