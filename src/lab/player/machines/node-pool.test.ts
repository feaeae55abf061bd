import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { KubeObject } from '../../../kube/object.ts';
import type { Condition } from '../hosted-cluster.ts';
import { fixture, type Stage } from '../testing/fixtures.ts';
import { isPaused, type NodePool, scaling } from './node-pool.ts';
import { nodePoolConditions, type PoolFacts } from './node-pool-conditions.ts';

const NOTHING: PoolFacts = {
  paused: false,
  ignitionCa: false,
  buildable: false,
  configHash: 'c422f81b',
  token: { exists: false, reached: false },
  machines: 0,
  ready: 0,
};

/** Hashes are ours, and so is the disk; the words around them are HyperShift's. */
const spoken = (conditions: readonly Condition[]) =>
  conditions.map(({ type, status, reason, observedGeneration, message }) => ({
    type,
    status,
    reason,
    observedGeneration,
    ...(message === undefined ? {} : { message: message.replace(/\b[0-9a-f]{8}\b/g, 'HASH').replace(/(KubeVirt Image is) .*/, '$1 ...') }),
  }));

const poolAt = (stage: Stage) => fixture('blue', stage, 'nodepool')[0] as unknown as NodePool;

describe('the conditions of a NodePool are those that HyperShift wrote', () => {
  test.each<[Stage, PoolFacts]>([
    ['stage0-ho-only', NOTHING],
    ['stage1-nothing-played', NOTHING],
    ['stage2-infrastructure-ready', { ...NOTHING, ignitionCa: true }],
    ['final', { ...NOTHING, ignitionCa: true, buildable: true, token: { exists: true, reached: false } }],
  ])('at %s', (stage, facts) => {
    const pool = poolAt(stage);
    expect(spoken(nodePoolConditions(pool, facts))).toEqual(spoken(pool.status?.conditions ?? []));
  });

  test('while it is paused', () => {
    const file = join(import.meta.dirname, '../../../../test/fixtures/hypershift/blue/nodepool-paused.yaml');
    const pool = parse(readFileSync(file, 'utf8')) as NodePool;
    const conditions = nodePoolConditions(pool, { ...NOTHING, paused: true, ignitionCa: true, buildable: true });
    expect(spoken(conditions)).toEqual(spoken(pool.status?.conditions ?? []));
  });
});

const pausedUntil = (until: string | undefined) => ({
  ...poolAt('final'),
  spec: { ...poolAt('final').spec, ...(until === undefined ? {} : { pausedUntil: until }) },
});

test('a pool is paused by "true" or by a time that is still to come, and by nothing else', () => {
  const now = new Date('2026-11-15T12:00:00Z');
  const paused = [undefined, 'true', 'false', '2026-11-15T13:00:00Z', '2026-11-15T11:00:00Z'].map((until) =>
    isPaused(pausedUntil(until), now),
  );
  expect(paused).toEqual([false, true, false, true, false]);
});

describe('scaling', () => {
  const machine = (name: string, creationTimestamp: string, extra: Partial<KubeObject['metadata']> = {}): KubeObject => ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { name, creationTimestamp, ...extra },
  });
  const wanting = (replicas: number): NodePool => ({ ...poolAt('final'), spec: { ...poolAt('final').spec, replicas } });
  const three = [
    machine('old', '2026-11-15T01:00:00Z'),
    machine('middle', '2026-11-15T02:00:00Z'),
    machine('young', '2026-11-15T03:00:00Z'),
  ];

  test('makes what is missing, and counts nobody who is on the way out', () => {
    const leaving = machine('leaving', '2026-11-15T01:00:00Z', { deletionTimestamp: '2026-11-15T04:00:00Z' });
    expect(scaling(wanting(5), [...three, leaving])).toEqual({ create: 2, remove: [] });
  });

  test('takes the marked first and then the youngest', () => {
    const marked = machine('marked', '2026-11-15T00:00:00Z', { annotations: { 'cluster.x-k8s.io/delete-machine': 'true' } });
    expect(scaling(wanting(2), [...three, marked])).toEqual({ create: 0, remove: ['marked', 'young'] });
  });

  test('leaves nobody to a pool that is being deleted', () => {
    const pool = { ...wanting(3), metadata: { ...wanting(3).metadata, deletionTimestamp: '2026-11-15T04:00:00Z' } };
    expect(scaling(pool, three)).toEqual({ create: 0, remove: ['young', 'middle', 'old'] });
  });
});
