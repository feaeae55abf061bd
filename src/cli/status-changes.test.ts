import { expect, test } from 'vitest';
import type { WireObject } from '../kube/object.ts';
import { changes } from './status-changes.ts';
import { type TenantView, tenantView } from './tenant-view.ts';
import { PROVEN, tenant } from './testing/live-hub.ts';

const blue = tenantView({ tenant: tenant('blue') as WireObject });
const after = (change: Partial<TenantView>): TenantView => ({ ...blue, ...change });

test('at first everything is new', () => {
  expect(changes(undefined, blue)).toEqual([
    ...PROVEN.conditions.map(({ type, reason, message }) => `${type} is True (${reason}): ${message}`),
    'edge-a is ready (on hub-a)',
    'edge-a holds the VIP',
    'edge-b is ready (on hub-b)',
  ]);
  expect(changes(blue, blue)).toEqual([]);
});

test('a VIP that moves is told by its new holder', () => {
  const edges = blue.edges.map((edge) => ({ ...edge, holdsVip: edge.name === 'edge-b' }));
  expect(changes(blue, after({ edges }))).toEqual(['edge-b holds the VIP']);
});

test('an edge that is replaced says why it is away, and a NodePool that is let go says so', () => {
  const [a, b] = blue.edges;
  if (a === undefined || b === undefined) throw new Error('blue has two edges');
  const held = { name: 'blue', replicas: 1, nodes: 0, gate: 'held' as const };
  const before = after({ nodePools: [held] });
  const next = after({
    edges: [{ ...a, ready: false, trouble: 'its pod is being replaced' }, b],
    nodePools: [{ ...held, gate: 'released', nodes: 1 }],
  });
  expect(changes(before, next)).toEqual([
    'edge-a is not ready: its pod is being replaced (on hub-a)',
    'NodePool blue is released',
    'NodePool blue has 1 node',
  ]);
});

test('Ready repeats what the others say, so only its turn is news', () => {
  const conditions = blue.conditions.map((condition) =>
    condition.type === 'Ready' ? { ...condition, message: 'in other words' } : condition,
  );
  expect(changes(blue, after({ conditions }))).toEqual([]);
});
