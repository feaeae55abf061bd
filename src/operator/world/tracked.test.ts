import { beforeEach, expect, test } from 'vitest';
import type { WireObject } from '../../kube/object.ts';
import { ManualClock } from '../../kube/testing/manual-clock.ts';
import { Transport } from '../../kube/transport.ts';
import { asText } from './keeping.ts';
import { Tracked } from './tracked.ts';

/** A kind of which only `data.kept` is of interest. */
const resource = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
const transport = new Transport({
  connection: { server: new URL('https://127.0.0.1:1'), credentials: async () => ({ headers: {}, tls: {} }), invalidate() {} },
  userAgent: 'nobody',
  clock: new ManualClock(),
});
const project = ({ metadata: { name, namespace = '', uid = '', resourceVersion = '' }, data }: WireObject) => ({
  metadata: { name, namespace, uid, resourceVersion },
  kept: (data as { kept: string }).kept,
});
const object = (resourceVersion: string, kept: string, noise = ''): WireObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', uid: 'u', resourceVersion },
  data: { kept, noise },
});

let tracked: Tracked<ReturnType<typeof project>>;
let news: string[];
beforeEach(() => {
  tracked = new Tracked({ transport, resource, keeping: asText(project), indexes: { kept: ({ kept }) => [kept] } });
  news = [];
  tracked.subscribe((event) => news.push(`${event.type} ${event.object.metadata.resourceVersion}`));
});

test('a change in a field that is not kept is no news', () => {
  tracked.store.upsert(object('1', 'x'));
  tracked.store.upsert(object('2', 'x', 'heartbeat'));
  tracked.store.upsert(object('3', 'y'));
  tracked.store.remove(object('3', 'y'));
  expect(news).toEqual(['added 1', 'updated 3', 'deleted 3']);
});

test('the echo of our own write is no news, and what was written is seen before it comes', () => {
  tracked.store.upsert(object('1', 'x'));
  tracked.wrote({ ...object('2', 'y'), kind: 'PartialObjectMetadata' });
  expect(tracked.get('a')?.kept).toBe('y');
  tracked.store.upsert(object('2', 'y'));
  expect([news, tracked.get('a')?.kept]).toEqual([['added 1'], 'y']);
});

test('what somebody else wrote between our read and our write is news, and so is what comes after our write', () => {
  tracked.store.upsert(object('1', 'x'));
  tracked.wrote(object('3', 'y'));
  tracked.store.upsert(object('2', 'theirs'));
  tracked.store.upsert(object('3', 'y'));
  tracked.store.upsert(object('4', 'theirs again'));
  expect(news).toEqual(['added 1', 'updated 2', 'updated 4']);
});

test('the echo of a create is no news either', () => {
  tracked.wrote(object('1', 'x'));
  tracked.store.upsert(object('1', 'x'));
  expect(news).toEqual([]);
});

test('an echo that comes before the answer is no news either', async () => {
  tracked.store.upsert(object('1', 'x'));
  await tracked.writing('a', async () => {
    tracked.store.upsert(object('2', 'y'));
    tracked.wrote(object('2', 'y'));
  });
  tracked.store.upsert(object('3', 'theirs'));
  expect(news).toEqual(['added 1', 'updated 3']);
});

test('what somebody else wrote during our write is news as soon as that is answered', async () => {
  tracked.store.upsert(object('1', 'x'));
  await tracked.writing('a', async () => {
    tracked.store.upsert(object('2', 'theirs'));
    tracked.store.upsert(object('3', 'y'));
    tracked.store.upsert(object('4', 'theirs again'));
    tracked.store.remove(object('4', 'theirs again'));
    expect(news).toEqual(['added 1']);
    tracked.wrote(object('3', 'y'));
  });
  expect(news).toEqual(['added 1', 'updated 2', 'updated 4', 'deleted 4']);
});

test('without an answer everything that came meanwhile is news', async () => {
  const failing = tracked.writing('a', async () => {
    tracked.store.upsert(object('1', 'x'));
    throw new Error('the connection was reset');
  });
  await expect(failing).rejects.toThrow('the connection was reset');
  expect(news).toEqual(['added 1']);
});

test('what comes out is what went in, by key, by index and in lists, and belongs to whoever asked', () => {
  tracked.store.upsert(object('1', 'x'));
  const whole = { metadata: { name: 'a', namespace: '', uid: 'u', resourceVersion: '1' }, kept: 'x' };
  expect([tracked.get('a'), tracked.byIndex('kept', 'x'), tracked.byIndex('kept', 'y'), tracked.list()]).toEqual([
    whole,
    [whole],
    [],
    [whole],
  ]);
  tracked.store.upsert(object('2', 'y'));
  expect([tracked.byIndex('kept', 'x'), tracked.byIndex('kept', 'y').length]).toEqual([[], 1]);
  expect(tracked.get('a')).not.toBe(tracked.get('a'));
});
