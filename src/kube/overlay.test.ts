import { expect, test } from 'vitest';
import type { WireObject } from './object.ts';
import { Overlay } from './overlay.ts';
import { Store, type Stored } from './store.ts';
import { ManualClock } from './testing/manual-clock.ts';

interface Thing extends Stored {
  readonly team: string;
}

const wire = (name: string, version: string, team = 'red', uid = `uid-${name}`): WireObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, uid, resourceVersion: version },
  team,
});
const project = ({ metadata: { name, uid = '', resourceVersion = '' }, team }: WireObject): Thing => ({
  metadata: { name, uid, resourceVersion },
  team: String(team),
});
const thing = (...args: Parameters<typeof wire>) => project(wire(...args));

function setUp(...objects: readonly WireObject[]) {
  const clock = new ManualClock();
  const store = new Store<Thing>({ project, indexes: { team: (object) => [object.team] } });
  const replacement = store.replace();
  for (const object of objects) replacement.add(object);
  replacement.commit();
  return { clock, store, overlay: new Overlay({ store, project, clock }) };
}

test('a write is read at once, and the store takes over when it has it', () => {
  const { store, overlay } = setUp(wire('a', '1'));
  overlay.wrote(wire('a', '5', 'blue'));
  expect([store.get('a'), overlay.get('a'), overlay.pending]).toEqual([thing('a', '1'), thing('a', '5', 'blue'), 1]);
  store.upsert(wire('a', '5', 'blue'));
  expect([overlay.get('a'), overlay.pending]).toEqual([store.get('a'), 0]);
});

test('an older event on its way does not hide the write, a newer one replaces it', () => {
  const { store, overlay } = setUp(wire('a', '1'));
  overlay.wrote(wire('a', '10', 'blue'));
  store.upsert(wire('a', '9', 'green'));
  expect(overlay.get('a')).toEqual(thing('a', '10', 'blue'));
  store.upsert(wire('a', '11', 'green'));
  expect(overlay.get('a')).toEqual(thing('a', '11', 'green'));
});

test('a write that the watch was faster than is not laid over it', () => {
  const { overlay } = setUp(wire('a', '7', 'green'));
  overlay.wrote(wire('a', '6', 'blue'));
  expect([overlay.get('a'), overlay.pending]).toEqual([thing('a', '7', 'green'), 0]);
});

test('after five seconds without the watch the store is believed again', async () => {
  const { clock, overlay } = setUp(wire('a', '1'));
  overlay.wrote(wire('a', '5', 'blue'));
  await clock.advance(4_999);
  expect(overlay.get('a')).toEqual(thing('a', '5', 'blue'));
  await clock.advance(1);
  expect([overlay.get('a'), overlay.pending]).toEqual([thing('a', '1'), 0]);
});

test('what was created is in lists and indexes, what moved is only where it is now', () => {
  const { overlay } = setUp(wire('a', '1'), wire('b', '2'));
  overlay.wrote(wire('a', '5', 'blue'));
  overlay.wrote(wire('c', '6', 'blue'));
  expect(overlay.list()).toEqual([thing('b', '2'), thing('a', '5', 'blue'), thing('c', '6', 'blue')]);
  expect(overlay.byIndex('team', 'red')).toEqual([thing('b', '2')]);
  expect(overlay.byIndex('team', 'blue')).toEqual([thing('a', '5', 'blue'), thing('c', '6', 'blue')]);
});

test('what was deleted is gone at once, and one of the same name that comes later is seen', () => {
  const { store, overlay } = setUp(wire('a', '1'), wire('b', '2'));
  overlay.deleted('a', 'uid-a');
  expect([overlay.get('a'), overlay.list()]).toEqual([undefined, [thing('b', '2')]]);
  store.remove(wire('a', '8'));
  store.upsert(wire('a', '9', 'red', 'another'));
  expect(overlay.get('a')).toEqual(thing('a', '9', 'red', 'another'));
});

test('the deletion of an object that was replaced by now hides nothing', () => {
  const { overlay } = setUp(wire('a', '1', 'red', 'new'));
  overlay.deleted('a', 'old');
  expect(overlay.get('a')).toEqual(thing('a', '1', 'red', 'new'));
});

test('a closed overlay shows the store', () => {
  const { overlay, store } = setUp(wire('a', '1'));
  overlay.wrote(wire('a', '5'));
  overlay.close();
  expect(overlay.get('a')).toBe(store.get('a'));
});
