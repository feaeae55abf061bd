import { afterEach, beforeEach, expect, test } from 'vitest';
import { METADATA_LIST_ONLY } from './client.ts';
import { listAll, listPages, type Page } from './list-pager.ts';
import { CONFIG_MAP } from './testing/kinds.ts';
import { answer, fail, ProtocolServer } from './testing/protocol-server.ts';
import type { Transport } from './transport.ts';

const never = new AbortController().signal;
const selection = { resource: CONFIG_MAP };

let server: ProtocolServer;
let transport: Transport;
beforeEach(async () => {
  server = await ProtocolServer.start();
  transport = server.transport({ retry: { maxRetries: 0, initialMs: 1, maxMs: 1 } });
  for (const name of ['a', 'b', 'c', 'd', 'e']) server.put('configmaps', { metadata: { namespace: 'n', name } });
});
afterEach(async () => {
  transport.close();
  await server.close();
});

async function collect(pages: AsyncIterable<Page>): Promise<readonly Page[]> {
  const all: Page[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

const names = (page: Page) => page.items.map((item) => item.metadata.name);

test('pages come one after the other, with the kind that lists leave out', async () => {
  const pages = await collect(listPages(transport, selection, 2, never));
  expect(pages.map((page) => [names(page), page.resourceVersion, page.restarted])).toEqual([
    [['a', 'b'], server.version, false],
    [['c', 'd'], server.version, false],
    [['e'], server.version, false],
  ]);
  expect(pages[0]?.items[0]).toEqual(server.get('configmaps', 'n/a'));
});

test('the selection is sent with every page', async () => {
  const chosen = { ...selection, namespace: 'n', labelSelector: 'a=b', fieldSelector: 'metadata.name=a', metadataOnly: true };
  await collect(listPages(transport, chosen, 3, never));
  const query = { labelSelector: 'a=b', fieldSelector: 'metadata.name=a', limit: '3' };
  expect(server.requests.map((seen) => [seen.path, seen.query, seen.headers.accept])).toEqual([
    ['/api/v1/namespaces/n/configmaps', query, METADATA_LIST_ONLY],
    ['/api/v1/namespaces/n/configmaps', { ...query, continue: '3' }, METADATA_LIST_ONLY],
  ]);
});

test('a list that the server forgot half-way is started again in one piece', async () => {
  server.failNext(
    ({ query }) => query['continue'] === '2',
    (response) => fail(response, 410, 'Expired', 'too old'),
  );
  const pages = await collect(listPages(transport, selection, 2, never));
  expect(pages.map((page) => [names(page), page.restarted])).toEqual([
    [['a', 'b'], false],
    [['a', 'b', 'c', 'd', 'e'], true],
  ]);
  server.failNext(
    ({ query }) => query['continue'] === '2',
    (response) => fail(response, 410, 'Expired', 'too old'),
  );
  expect((await listAll(transport, selection, never)).map((item) => item.metadata.name)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('a list that expires at once is an error', async () => {
  server.failNext(
    () => true,
    (response) => fail(response, 410, 'Expired', 'too old'),
  );
  await expect(listAll(transport, selection, never)).rejects.toThrow('410');
});

test('an empty list is a list, an answer that is no list is not an empty one', async () => {
  server.failNext(
    () => true,
    (response) => answer(response, 200, { metadata: { resourceVersion: '7' }, items: null }),
  );
  expect(await listAll(transport, selection, never)).toEqual([]);
  server.failNext(
    () => true,
    (response) => answer(response, 200, { login: 'please' }),
  );
  await expect(listAll(transport, selection, never)).rejects.toThrow('the answer is no Kubernetes list');
});
