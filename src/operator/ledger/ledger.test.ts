import { expect, test } from 'vitest';
import type { WireObject } from '../../kube/object.ts';
import { INTENT, intentOf, TEMPLATE, templateMark } from './intent.ts';
import { Interned } from './interned.ts';
import { ledgerKeeping, standingOf } from './ledger.ts';

const manifest = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'edge-a-dns', namespace: 'edge', labels: { 'hcpio.io/tenant': 'clusters.blue' } },
  data: { Corefile: '.' },
};
const intent = intentOf(manifest);
const owned = {
  'f:data': { 'f:Corefile': {} },
  'f:metadata': { 'f:annotations': { 'f:hcpio.io/intent': {} }, 'f:labels': { 'f:hcpio.io/tenant': {} } },
};

/** The object as the server gives it back, with fields of ours that are still as we wrote them. */
const written = (fieldsV1: object, change: Partial<WireObject['metadata']> = {}): WireObject => ({
  ...intent.object,
  metadata: {
    ...intent.object.metadata,
    uid: 'u1',
    resourceVersion: '7',
    ...change,
    managedFields: [
      { manager: 'kubectl-edit', operation: 'Update', fieldsV1: { 'f:data': { 'f:more': {} } } },
      { manager: 'hcpio', operation: 'Apply', subresource: 'status', fieldsV1: { 'f:status': {} } },
      { manager: 'hcpio', operation: 'Apply', fieldsV1 },
    ],
  } as WireObject['metadata'],
});
const resource = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
const keeping = ledgerKeeping(resource, new Interned());
const entry = (object: WireObject) => keeping.unpack(keeping.pack(object));

test('an entry keeps whose it is, what was meant and what is still so, and nothing else', () => {
  expect(entry(written(owned))).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'edge', name: 'edge-a-dns', uid: 'u1', resourceVersion: '7', terminating: false },
    owner: 'clusters.blue',
    intent: intent.hash,
    owned: JSON.stringify(owned),
  });
});

test('a change that concerns nobody but the server is no change', () => {
  const rows = (...objects: readonly WireObject[]) => objects.map((object) => keeping.pack(object));
  const [before, heartbeat, altered] = rows(written(owned), written(owned, { resourceVersion: '8' }), written({}));
  expect(before && heartbeat && altered && [keeping.isSame(before, heartbeat), keeping.isSame(before, altered)]).toEqual([true, false]);
});

test('the mark does not depend on the order in which somebody wrote the fields, and changes with every value', () => {
  const { metadata, ...rest } = manifest;
  expect(intentOf({ metadata, ...rest } as typeof manifest).hash).toBe(intent.hash);
  expect(intentOf({ ...manifest, data: { Corefile: '..' } }).hash).not.toBe(intent.hash);
  expect(intent.object.metadata.annotations).toEqual({ [INTENT]: intent.hash });
});

test('an object is as intended when the mark fits and every field is still ours', () => {
  expect(standingOf(intent, entry(written(owned)))).toEqual({ state: 'asIntended' });
});

test.each([
  ['that is not there', undefined, { state: 'absent' }],
  ['that is about to go', written(owned, { deletionTimestamp: '2026-01-01T00:00:00Z' }), { state: 'terminating' }],
  ['that was written with another intent', written(owned, { annotations: { [INTENT]: 'older' } }), { state: 'outdated' }],
  [
    'whose mark somebody removed',
    written(owned, { annotations: {} }),
    { state: 'altered', lost: ['metadata.annotations[hcpio.io/intent]'] },
  ],
  ['of which nothing is ours any more', written({}), { state: 'altered', lost: ['data', 'metadata.labels', 'metadata.annotations'] }],
  ['of which somebody changed a key', written({ ...owned, 'f:data': { 'f:other': {} } }), { state: 'altered', lost: ['data.Corefile'] }],
])('an object %s', (_, object, standing) => {
  expect(standingOf(intent, object && entry(object))).toEqual(standing);
});

test('the pods of a workload carry the mark of their template, which changes with it and with nothing else', () => {
  const workload = (image: string, replicas: number) =>
    intentOf({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'edge-a' },
      spec: { replicas, template: { metadata: { annotations: { a: 'b' } }, spec: { image } } },
    }).object;
  expect(templateMark(workload('x:1', 1))).toBe(templateMark(workload('x:1', 2)));
  expect(templateMark(workload('x:1', 1))).not.toBe(templateMark(workload('x:2', 1)));
  expect((workload('x:1', 1)['spec'] as { template: object }).template).toEqual({
    metadata: { annotations: { a: 'b', [TEMPLATE]: templateMark(workload('x:1', 1)) } },
    spec: { image: 'x:1' },
  });
});

test('one copy of a text is kept, and not for ever', () => {
  const interned = new Interned(2);
  const parts = ['ed', 'ge'];
  const first = interned.of(parts.join(''));
  expect(interned.of(parts.join(''))).toBe(first);
  for (const text of ['b', 'c', 'd']) interned.of(text);
  expect(interned.of('edge')).toBe('edge');
});
