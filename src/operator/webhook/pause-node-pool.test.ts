import { expect, test } from 'vitest';
import { PAUSE_MARKER, RELEASE_MARKER } from '../../api/markers.ts';
import { SHORTHAND_ANNOTATION } from '../../api/shorthand.ts';
import { pauseNodePool } from './pause-node-pool.ts';
import { creating, hub, updating } from './testing/hub.ts';

const gated = hub({ keeper: { gated: true, proven: false } });
const ANNOTATED = { hostedClusterAnnotations: { [SHORTHAND_ANNOTATION]: 'default/vlan100' } };
const pool = (spec: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}) => ({
  kind: 'NodePool',
  metadata: { name: 'blue-workers', namespace: 'clusters', ...metadata },
  spec: { clusterName: 'blue', ...spec },
});
const PATH = `/metadata/annotations/${PAUSE_MARKER.replace('/', '~1')}`;

test('a new NodePool of a gated tenant is paused, with the marker that says who did it', () => {
  expect(pauseNodePool(creating(pool({}, { annotations: { a: 'b' } })), gated)).toEqual({
    patch: [
      { op: 'add', path: PATH, value: 'true' },
      { op: 'add', path: '/spec/pausedUntil', value: 'true' },
    ],
  });
});

test('a NodePool without annotations gets them with the marker', () => {
  expect(pauseNodePool(creating(pool()), gated).patch?.[0]).toEqual({
    op: 'add',
    path: '/metadata/annotations',
    value: { [PAUSE_MARKER]: 'true' },
  });
});

test('an empty pausedUntil pauses nothing in HyperShift, so it counts as none', () => {
  expect(pauseNodePool(creating(pool({ pausedUntil: '' })), gated).patch).toHaveLength(2);
});

test.each(['true', 'false', '2026-12-24T00:00:00Z'])("a person's pausedUntil %s is left alone, marker and all", (pausedUntil) => {
  expect(pauseNodePool(creating(pool({ pausedUntil })), gated)).toEqual({});
});

test('a cluster that is only annotated yet is gated as the TenantNetwork will be', () => {
  expect(pauseNodePool(creating(pool()), hub({ change: ANNOTATED })).patch).toHaveLength(2);
});

test.each([
  ['the cluster has no TenantNetwork', creating(pool()), hub()],
  ['the tenant does not gate', creating(pool()), hub({ keeper: { gated: false, proven: false } })],
  [
    'the tenant does not gate, though the annotation that it came from would',
    creating(pool()),
    hub({ keeper: { gated: false, proven: false }, change: ANNOTATED }),
  ],
  ['the segment is proven already', creating(pool()), hub({ keeper: { gated: true, proven: true } })],
  ['it was released before, and comes back from a backup', creating(pool({}, { annotations: { [RELEASE_MARKER]: 'true' } })), gated],
  ['it belongs to another cluster', creating(pool({ clusterName: 'green' })), gated],
  ['it is in another namespace', { ...creating(pool()), namespace: 'others' }, gated],
  ['it is there already', updating(pool(), pool()), gated],
  ['it is no NodePool', creating({ spec: 7 }), gated],
])('nothing is changed when %s', (_, request, knowledge) => {
  expect(pauseNodePool(request, knowledge)).toEqual({});
});
