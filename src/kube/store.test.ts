import { expect, test } from 'vitest';
import type { WireObject } from './object.ts';
import { Store, type Stored, type StoreEvent } from './store.ts';
import { RecordedLog } from './testing/telemetry-recorder.ts';

interface Thing extends Stored {
  readonly team: string;
}

const wire = (name: string, version: string, team = 'red', uid = `uid-${name}`): WireObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { namespace: 'n', name, uid, resourceVersion: version },
  spec: { team, ballast: 'x'.repeat(100) },
});

const project = ({ metadata: { namespace, name, uid, resourceVersion }, spec }: WireObject): Thing => ({
  metadata: { namespace, name, uid, resourceVersion } as Thing['metadata'],
  team: (spec as { team: string }).team,
});
const thing = (name: string, version: string, team = 'red', uid?: string): Thing => project(wire(name, version, team, uid));

function newStore() {
  const log = new RecordedLog();
  const store = new Store<Thing>({ project, indexes: { team: (object) => [object.team] }, log });
  const events: StoreEvent<Thing>[] = [];
  store.subscribe((event) => events.push(event));
  return { store, events, log };
}

function fill(store: Store<Thing>, ...objects: readonly WireObject[]): void {
  const replacement = store.replace();
  for (const object of objects) replacement.add(object);
  replacement.commit();
}

test('only the projection is kept, and nobody can change it', () => {
  const { store } = newStore();
  fill(store, wire('a', '1'));
  expect(store.get('n/a')).toEqual(thing('a', '1'));
  expect(() => Object.assign(store.get('n/a')?.metadata ?? {}, { name: 'b' })).toThrow(TypeError);
});

test('the first list syncs the store, an unfinished one does not show', async () => {
  const { store, events } = newStore();
  const replacement = store.replace();
  replacement.add(wire('a', '1'));
  expect([store.hasSynced, store.size, events]).toEqual([false, 0, []]);
  const waiting = store.synced(new AbortController().signal);
  replacement.commit();
  await waiting;
  expect([store.hasSynced, store.size]).toEqual([true, 1]);
  expect(events).toEqual([{ type: 'added', key: 'n/a', object: thing('a', '1'), initial: true }]);
});

test('waiting for the sync can be given up', async () => {
  const stop = new AbortController();
  const waiting = newStore().store.synced(stop.signal);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});

test('changes are told with what was before', () => {
  const { store, events } = newStore();
  fill(store);
  store.upsert(wire('a', '1'));
  store.upsert(wire('a', '2', 'blue'));
  store.remove(wire('a', '3', 'blue'));
  expect(events).toEqual([
    { type: 'added', key: 'n/a', object: thing('a', '1'), initial: false },
    { type: 'updated', key: 'n/a', object: thing('a', '2', 'blue'), old: thing('a', '1') },
    { type: 'deleted', key: 'n/a', object: thing('a', '3', 'blue'), finalStateUnknown: false },
  ]);
  expect(store.size).toBe(0);
});

test('the same version again is no news, and the removal of what is not there neither', () => {
  const { store, events } = newStore();
  fill(store, wire('a', '1'));
  events.length = 0;
  store.upsert(wire('a', '1'));
  fill(store, wire('a', '1'));
  store.remove(wire('b', '2'));
  expect(events).toEqual([]);
});

test('a list tells what was missed: deletions with the last state seen, recreations as two objects', () => {
  const { store, events } = newStore();
  fill(store, wire('gone', '1'), wire('same', '2'), wire('new-one', '3', 'red', 'old-uid'));
  events.length = 0;
  fill(store, wire('same', '2'), wire('new-one', '9', 'red', 'new-uid'), wire('fresh', '8'));
  expect(events).toEqual([
    { type: 'deleted', key: 'n/gone', object: thing('gone', '1'), finalStateUnknown: true },
    { type: 'deleted', key: 'n/new-one', object: thing('new-one', '3', 'red', 'old-uid'), finalStateUnknown: true },
    { type: 'added', key: 'n/new-one', object: thing('new-one', '9', 'red', 'new-uid'), initial: false },
    { type: 'added', key: 'n/fresh', object: thing('fresh', '8'), initial: false },
  ]);
});

test('an object that a new list brings unchanged keeps its place in memory', () => {
  const { store } = newStore();
  fill(store, wire('a', '1'));
  const before = store.get('n/a');
  fill(store, wire('a', '1'));
  expect(store.get('n/a')).toBe(before);
});

test('a subscriber sees the whole new list when it is told of the first change', () => {
  const { store } = newStore();
  const sizes: number[] = [];
  store.subscribe(() => sizes.push(store.size));
  fill(store, wire('a', '1'), wire('b', '2'), wire('c', '3'));
  expect(sizes).toEqual([3, 3, 3]);
});

test('what was staged and removed, or cleared, does not come', () => {
  const { store } = newStore();
  const replacement = store.replace();
  replacement.add(wire('a', '1'));
  replacement.clear();
  replacement.add(wire('b', '2'));
  replacement.add(wire('c', '3'));
  replacement.remove(wire('b', '4'));
  replacement.commit();
  expect(store.list()).toEqual([thing('c', '3')]);
});

test('an index follows every change', () => {
  const { store } = newStore();
  fill(store, wire('a', '1'), wire('b', '2', 'blue'));
  store.upsert(wire('a', '3', 'blue'));
  store.remove(wire('b', '4', 'blue'));
  fill(store, wire('a', '3', 'blue'), wire('c', '5', 'blue'));
  expect([store.byIndex('team', 'red'), store.byIndex('team', 'blue')]).toEqual([[], [thing('a', '3', 'blue'), thing('c', '5', 'blue')]]);
  expect(() => store.byIndex('colour', 'red')).toThrow('the store has no index named colour');
});

test('who subscribes late is told first what is there, and who left is told nothing', () => {
  const { store } = newStore();
  fill(store, wire('a', '1'));
  const late: string[] = [];
  const unsubscribe = store.subscribe((event) => late.push(`${event.type} ${event.key}`));
  unsubscribe();
  store.upsert(wire('b', '2'));
  expect(late).toEqual(['added n/a']);
});

test('an object that cannot be projected is told and left out, and the others are there', () => {
  const { store, log } = newStore();
  fill(store, wire('a', '1'), { ...wire('b', '2'), spec: undefined });
  expect(store.list()).toEqual([thing('a', '1')]);
  expect(log.messages('error')).toEqual(['the object could not be projected']);
});

test('a subscriber that throws harms neither the store nor the other subscribers', () => {
  const log = new RecordedLog();
  const store = new Store<Thing>({ project, log });
  const told: string[] = [];
  store.subscribe(() => {
    throw new Error('mine');
  });
  store.subscribe((event) => told.push(event.key));
  fill(store, wire('a', '1'));
  expect([told, store.size, log.messages('error')]).toEqual([['n/a'], 1, ['a subscriber of the store failed']]);
});
