import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { InformerOptions } from './informer.ts';
import { Informer, withoutManagedFields } from './informer.ts';
import type { WireObject } from './object.ts';
import type { Stored, StoreEvent } from './store.ts';
import { CONFIG_MAP } from './testing/kinds.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { fail, ProtocolServer, type Seen } from './testing/protocol-server.ts';
import { RecordedLog, RecordedMetrics } from './testing/telemetry-recorder.ts';
import type { TransportOptions } from './transport.ts';

type Thing = WireObject & Stored;

const QUICK = { initialMs: 1, maxMs: 2, factor: 2, jitter: 0, resetAfterMs: 1_000 };
const resource = 'configmaps';

let server: ProtocolServer;
const closing: (() => Promise<void> | void)[] = [];
beforeEach(async () => {
  server = await ProtocolServer.start();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await server.close();
});

function follow(options: Partial<InformerOptions<Thing>> = {}, transportOptions: Partial<TransportOptions> = {}) {
  const log = new RecordedLog();
  const metrics = new RecordedMetrics();
  const transport = server.transport({ retry: { maxRetries: 0, initialMs: 1, maxMs: 1 }, random: () => 0, ...transportOptions });
  const informer = new Informer<Thing>({
    transport,
    resource: CONFIG_MAP,
    project: withoutManagedFields,
    backoff: QUICK,
    log,
    metrics,
    ...options,
  });
  const events: StoreEvent<Thing>[] = [];
  informer.store.subscribe((event) => events.push(event));
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  closing.push(async () => {
    stop.abort();
    await running;
    transport.close();
  });
  return { informer, events, log, metrics, stop, running };
}

const put = (name: string, data: Record<string, string> = {}) => server.put(resource, { metadata: { namespace: 'n', name }, data });
const lists = () => server.requests.filter(({ query }) => !query['watch']);
const watches = () => server.requests.filter(({ query }) => query['watch'] === 'true');
const initialLists = () => watches().filter(({ query }) => query['sendInitialEvents'] === 'true');
const isWatch = ({ query }: Seen) => query['watch'] === 'true';
const isInitial = ({ query }: Seen) => query['sendInitialEvents'] === 'true';
const isList = (seen: Seen) => !isWatch(seen);

/** The store has exactly what the server has. */
const equal = (informer: Informer<Thing>) =>
  vi.waitFor(
    () => {
      expect(informer.store.hasSynced).toBe(true);
      expect(informer.store.list().toSorted(byName)).toEqual(server.list(resource).toSorted(byName));
    },
    { timeout: 20_000, interval: 2 },
  );
const byName = (a: Stored, b: Stored) => (a.metadata.name < b.metadata.name ? -1 : 1);
const until = (condition: () => void) => vi.waitFor(condition, { timeout: 20_000, interval: 2 });

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

test('a server whose history went back makes a new list', async () => {
  put('a');
  const { informer } = follow();
  await equal(informer);
  server.bookmark('3');
  await until(() => expect(initialLists()).toHaveLength(2));
  await equal(informer);
});

test.each([
  ['a line that is cut off', () => server.writeToWatches('{"type":"ADDED","object":{"metadata"'), 'truncated'],
  ['a line that is no JSON', () => server.writeToWatches('what?\n'), 'unparsable'],
])('%s breaks the stream, is counted, and nothing is missed', async (_, damage, reason) => {
  put('a');
  const { informer, metrics } = follow();
  await equal(informer);
  damage();
  server.endWatches();
  put('b');
  await equal(informer);
  await until(() => expect(metrics.value('kube_reflector_failures_total', { resource, reason })).toBe(1));
  expect(initialLists()).toHaveLength(1);
});

test('an object cut into many pieces arrives whole', async () => {
  const { informer } = follow();
  await equal(informer);
  const object = { ...put('big', { text: 'äöü€😀'.repeat(20_000) }) };
  await equal(informer);
  const bytes = Buffer.from(
    `${JSON.stringify({ type: 'MODIFIED', object: { ...object, metadata: { ...object.metadata, resourceVersion: '999' } } })}\n`,
  );
  for (let start = 0; start < bytes.length; start += 1_001) server.writeToWatches(bytes.subarray(start, start + 1_001));
  await until(() => expect(informer.store.get('n/big')?.metadata.resourceVersion).toBe('999'));
  expect(informer.store.get('n/big')?.['data']).toEqual(object['data']);
});

test('a stalled stream is given up and watched anew', async () => {
  const clock = new ManualClock();
  put('a');
  const { informer, metrics, log } = follow({}, { clock });
  await equal(informer);
  await clock.advance(150_000);
  await until(() => expect(metrics.value('kube_reflector_failures_total', { resource, reason: 'stalled' })).toBe(1));
  put('b');
  await equal(informer);
  expect([watches().length, informer.state.phase, log.messages('warn')]).toEqual([2, 'synced', []]);
});

test('a stream that outlives its time is cut by us', async () => {
  const clock = new ManualClock();
  const { informer, metrics } = follow({}, { clock });
  await equal(informer);
  for (let passed = 0; passed < 330_000; passed += 30_000) {
    // It must be read before time goes on, or the silence would be taken for the fault.
    put('lively', { passed: String(passed) });
    await equal(informer);
    await clock.advance(30_000);
  }
  await until(() => expect(metrics.value('kube_reflector_failures_total', { resource, reason: 'deadline' })).toBe(1));
});

test('a server that ends every watch at once is met with patience', async () => {
  const clock = new ManualClock();
  const { informer, metrics } = follow({ backoff: { ...QUICK, initialMs: 800, maxMs: 30_000 } }, { clock });
  await equal(informer);
  for (let watch = 0; watch < 3; watch += 1) server.failNext(isWatch, (response) => response.writeHead(200).end());
  server.endWatches();
  for (const wait of [800, 1_600, 3_200]) {
    await until(() => expect(clock.waits).toEqual([wait]));
    await clock.advance(wait);
  }
  await until(() => expect(server.watchers).toBe(1));
  expect(metrics.value('kube_reflector_failures_total', { resource, reason: 'short' })).toBe(3);
});

test('429 is waited for as long as the server says', async () => {
  const clock = new ManualClock();
  server.failNext(isWatch, (response) => fail(response, 429, 'TooManyRequests', 'busy', {}, { 'retry-after': '45' }));
  const { informer } = follow({}, { clock });
  await until(() => expect(clock.waits).toEqual([45_000]));
  await clock.advance(45_000);
  await equal(informer);
});

test.each([500, 502, 503])('%i is tried again', async (code) => {
  put('a');
  for (let failure = 0; failure < 3; failure += 1) server.failNext(isInitial, (response) => fail(response, code, 'Trouble', 'sorry'));
  const { informer } = follow();
  await equal(informer);
});

test('a kind that is not installed is noticed, waited for, and does not hold up the rest', async () => {
  const clock = new ManualClock();
  const absent = () =>
    server.failNext(isInitial, (response) => fail(response, 404, 'NotFound', 'the server could not find the requested resource'));
  for (let poll = 0; poll < 4; poll += 1) absent();
  const states: string[] = [];
  const { informer, log } = follow(
    {
      backoff: { initialMs: 800, maxMs: 30_000, factor: 100, jitter: 0, resetAfterMs: 1_000_000 },
      onState: ({ phase }) => states.push(phase),
    },
    { clock },
  );
  await until(() => expect(clock.waits).toEqual([800]));
  expect([informer.state.phase, informer.store.hasSynced]).toEqual(['missing', false]);
  for (const wait of [800, 10_000, 10_000]) {
    await until(() => expect(clock.waits).toEqual([wait]));
    await clock.advance(wait);
  }
  await until(() => expect(clock.waits).toEqual([10_000]));
  expect([informer.store.hasSynced, informer.store.size]).toEqual([true, 0]);
  put('a');
  await clock.advance(10_000);
  await equal(informer);
  expect([states, log.messages('warn')]).toEqual([['missing', 'synced'], ['not following the resource']]);
});

test('objects of a kind that was uninstalled are gone, but one 404 alone proves nothing', async () => {
  const clock = new ManualClock();
  put('a');
  const { informer, events } = follow({}, { clock });
  await equal(informer);
  const absent = (applies: (seen: Seen) => boolean) =>
    server.failNext(applies, (response) => fail(response, 404, 'NotFound', 'no such kind'));
  absent(isWatch);
  absent(isInitial);
  server.endWatches();
  await until(() => expect(clock.waits).toEqual([1]));
  expect([informer.state.phase, informer.store.size]).toEqual(['missing', 1]);
  await clock.advance(1);
  await until(() => expect(informer.store.size).toBe(0));
  expect(events.at(-1)).toMatchObject({ type: 'deleted', key: 'n/a', finalStateUnknown: true });
});

test('a resource that we may not read is told, and read when we may', async () => {
  put('a');
  server.failNext(isInitial, (response) => fail(response, 403, 'Forbidden', 'configmaps is forbidden: User "x" cannot watch'));
  const states: object[] = [];
  const { informer } = follow({ onState: (state) => states.push(state) });
  await equal(informer);
  const message = 'GET /api/v1/configmaps: 403 Forbidden: configmaps is forbidden: User "x" cannot watch';
  expect(states).toEqual([
    { phase: 'forbidden', message },
    { phase: 'synced', message: '' },
  ]);
});

test('a stop ends it wherever it is', async () => {
  const onStream = follow();
  await equal(onStream.informer);
  onStream.stop.abort();
  await onStream.running;
  await until(() => expect(server.watchers).toBe(0));
  const clock = new ManualClock();
  server.failNext(isInitial, (response) => fail(response, 500, 'Trouble', 'sorry'));
  const waiting = follow({}, { clock });
  await until(() => expect(clock.waits).toHaveLength(1));
  waiting.stop.abort();
  await waiting.running;
  expect(clock.waits).toEqual([]);
  server.watchList = 'refused';
  const listing = follow();
  server.failNext(isList, () => listing.stop.abort());
  await listing.running;
  expect(listing.informer.store.hasSynced).toBe(false);
});
