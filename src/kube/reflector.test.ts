import { expect, test } from 'vitest';
import { equal, follow, initialLists, isWatch, lists, put, resource, server, until, watches } from './testing/followed-server.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { fail } from './testing/protocol-server.ts';

test('the initial state comes by one watch-list, changes follow on the same stream', async () => {
  put('a');
  put('b');
  const { informer, metrics } = follow({ labelSelector: 'x=y', namespace: 'n' });
  await equal(informer);
  put('c');
  put('a', { changed: 'yes' });
  server.remove(resource, 'n/b');
  await equal(informer);
  expect(server.requests.map(({ path, query }) => [path, query])).toEqual([
    [
      '/api/v1/namespaces/n/configmaps',
      {
        labelSelector: 'x=y',
        watch: 'true',
        allowWatchBookmarks: 'true',
        timeoutSeconds: '300',
        sendInitialEvents: 'true',
        resourceVersionMatch: 'NotOlderThan',
      },
    ],
  ]);
  expect(informer.state).toEqual({ phase: 'synced', message: '' });
  expect(metrics.value('kube_reflector_lists_total', { resource, way: 'watch-list' })).toBe(1);
});

test('metadata-only watches ask for metadata and get the kind right', async () => {
  put('a');
  const { informer } = follow({ metadataOnly: true });
  await equal(informer);
  expect(server.requests[0]?.headers.accept).toBe('application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1');
});

test('where watch-list is refused the list comes in pages, and it is not tried again', async () => {
  server.watchList = 'refused';
  for (const name of ['a', 'b', 'c', 'd', 'e']) put(name);
  const { informer, metrics, log } = follow({ pageSize: 2 });
  await equal(informer);
  expect(lists().map(({ query }) => query)).toEqual([{ limit: '2' }, { limit: '2', continue: '2' }, { limit: '2', continue: '4' }]);
  await until(() => expect(server.watchers).toBe(1));
  server.failNext(isWatch, (response) => fail(response, 410, 'Expired', 'too old'));
  server.endWatches();
  put('f');
  await equal(informer);
  expect([initialLists().length, metrics.value('kube_reflector_lists_total', { resource, way: 'pages' })]).toEqual([1, 2]);
  expect(log.messages('info')[0]).toBe('the server has no watch-list for this resource; listing in pages');
});

test('a server that takes the watch-list and ignores it is noticed by its silence', async () => {
  server.watchList = 'ignored';
  put('a');
  const clock = new ManualClock();
  const { informer } = follow({}, { clock });
  await until(() => expect(server.watchers).toBe(1));
  await clock.advance(30_000);
  await equal(informer);
  expect(lists()).toHaveLength(1);
});

test('a list that expires between its pages is not shown half', async () => {
  server.watchList = 'refused';
  for (const name of ['a', 'b', 'c']) put(name);
  server.failNext(
    ({ query }) => query['continue'] === '2',
    (response) => {
      server.remove(resource, 'n/a');
      fail(response, 410, 'Expired', 'too old');
    },
  );
  const { informer, events } = follow({ pageSize: 2 });
  await equal(informer);
  expect(events.map(({ type, key }) => `${type} ${key}`)).toEqual(['added n/b', 'added n/c']);
});

test('when the server ends a watch the next begins where it ended, without a list', async () => {
  put('a');
  const { informer } = follow();
  await equal(informer);
  put('b');
  await equal(informer);
  const { version } = server;
  server.endWatches();
  put('c');
  await equal(informer);
  expect(watches().map(({ query }) => query['resourceVersion'])).toEqual([undefined, version]);
});

test('bookmarks move the version on, so that a quiet resource is not watched from an old one', async () => {
  const { informer } = follow();
  await equal(informer);
  server.skip();
  server.skip();
  server.bookmark();
  const { version } = server;
  // An event after the bookmark proves that the bookmark was read.
  put('a');
  await equal(informer);
  server.remove(resource, 'n/a');
  await equal(informer);
  server.skip();
  server.bookmark();
  await until(() => expect(server.watchers).toBe(1));
  server.endWatches();
  await until(() => expect(watches()).toHaveLength(2));
  expect(Number(watches()[1]?.query['resourceVersion'])).toBe(Number(version) + 3);
});

test('a reset connection is watched again from the last event, and nothing is missed', async () => {
  put('a');
  const { informer, metrics } = follow();
  await equal(informer);
  for (const name of ['b', 'c', 'd']) {
    server.resetWatches();
    put(name);
    await equal(informer);
    await until(() => expect(server.watchers).toBe(1));
  }
  expect(initialLists()).toHaveLength(1);
  expect(metrics.value('kube_reflector_failures_total', { resource, reason: 'reset' })).toBe(3);
});

test('a server that is away for a while leaves the last state in the store, and is followed when it is back', async () => {
  put('a');
  const { informer, log } = follow();
  await equal(informer);
  for (let refusal = 0; refusal < 5; refusal += 1) server.failNext(isWatch, (response) => response.socket?.resetAndDestroy());
  server.resetWatches();
  await until(() => expect(informer.state.phase).toBe('failing'));
  expect([informer.store.size, informer.store.hasSynced]).toEqual([1, true]);
  put('b');
  await equal(informer);
  await until(() => expect(informer.state).toEqual({ phase: 'synced', message: '' }));
  expect(initialLists()).toHaveLength(1);
  // Told when it changes, not at every attempt.
  expect(log.messages('warn')).toEqual(['not following the resource']);
});

test.each([
  ['as an answer', () => server.failNext(isWatch, (response) => fail(response, 410, 'Expired', 'too old'))],
  [
    'as an event',
    () =>
      server.failNext(isWatch, (response) => {
        response.writeHead(200).end(`${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } })}\n`);
      }),
  ],
  [
    'as a version from the future',
    () =>
      server.failNext(isWatch, (response) =>
        fail(response, 504, 'Timeout', 'Too large resource version: 9, current: 3', {
          details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
        }),
      ),
  ],
])('a version that the server does not have, told %s, makes a new list that shows what was missed', async (_, expire) => {
  put('a');
  put('b');
  const { informer, events } = follow();
  await equal(informer);
  events.length = 0;
  expire();
  server.remove(resource, 'n/nothing');
  await until(() => expect(server.watchers).toBe(1));
  server.endWatches();
  server.remove(resource, 'n/a');
  put('c');
  await equal(informer);
  await until(() => expect(initialLists()).toHaveLength(2));
  await equal(informer);
  expect(events.map(({ type, key }) => `${type} ${key}`).toSorted()).toEqual(['added n/c', 'deleted n/a']);
});
