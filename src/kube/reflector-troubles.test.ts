import { expect, test } from 'vitest';
import {
  equal,
  follow,
  initialLists,
  isInitial,
  isList,
  isWatch,
  put,
  QUICK,
  resource,
  server,
  until,
  watches,
} from './testing/followed-server.ts';
import { ManualClock } from './testing/manual-clock.ts';
import type { Seen } from './testing/protocol-server.ts';
import { fail } from './testing/protocol-server.ts';

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
