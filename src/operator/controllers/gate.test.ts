import { expect, test } from 'vitest';
import { PAUSE_MARKER, RELEASE_MARKER } from '../../api/markers.ts';
import { decideGate, type GatedPool, gatePatch } from './gate.ts';

const pool = (change: Partial<GatedPool> = {}): GatedPool => ({
  annotations: {},
  pausedUntil: '',
  deleting: false,
  inUse: false,
  ...change,
});
const held = (change: Partial<GatedPool> = {}) => pool({ annotations: { [PAUSE_MARKER]: 'true' }, pausedUntil: 'true', ...change });
const closed = { gated: true, proven: false };
const open = { gated: true, proven: true };
const ignoring = { gated: false, proven: false };

test.each([
  ['a new NodePool of a tenant that is not proven is held', pool(), closed, 'hold'],
  ['a new NodePool of a proven tenant is left alone', pool(), open, 'leave'],
  ['a new NodePool of a tenant that does not gate is left alone', pool(), ignoring, 'leave'],
  ['a NodePool of a cluster without a tenant network is left alone', pool(), undefined, 'leave'],
  ['a NodePool with machines is never held', pool({ inUse: true }), closed, 'leave'],
  ['a NodePool that was released once is never held again', pool({ annotations: { [RELEASE_MARKER]: 'true' } }), closed, 'leave'],
  ["a person's pause is never touched while the gate is closed", pool({ pausedUntil: 'true' }), closed, 'leave'],
  ["a person's pause is never lifted", pool({ pausedUntil: '2027-01-01T00:00:00Z' }), open, 'leave'],
  ['our pause stays while the gate is closed', held(), closed, 'leave'],
  ['our pause is lifted when the segment is proven', held(), open, 'release'],
  ['our pause is lifted when the spec changes to Ignore', held(), ignoring, 'release'],
  ['our pause is lifted when the tenant network is gone', held(), undefined, 'release'],
  ['our pause that a person lifted stays lifted', held({ pausedUntil: '' }), closed, 'yield'],
  ['our pause that a person prolonged is theirs now', held({ pausedUntil: '2027-01-01T00:00:00Z' }), open, 'yield'],
  ['a NodePool that is being deleted is never held', pool({ deleting: true }), closed, 'leave'],
  ['a held NodePool that is being deleted needs no release', held({ deleting: true }), open, 'leave'],
] as const)('%s', (_, given, keeper, decision) => {
  expect(decideGate(given, keeper)).toBe(decision);
});

test('what is done can be undone by what is done later: held and released leaves the release marker and nothing else', () => {
  const after = (before: GatedPool, decision: keyof typeof gatePatch): GatedPool => {
    const { metadata, spec } = gatePatch[decision];
    const annotations = Object.fromEntries(
      Object.entries({ ...before.annotations, ...metadata.annotations }).filter(([, value]) => value !== null),
    ) as Record<string, string>;
    return { ...before, annotations, pausedUntil: spec ? (spec.pausedUntil ?? '') : before.pausedUntil };
  };
  const once = after(pool(), 'hold');
  expect(once).toEqual(held());
  expect(after(once, 'release')).toEqual(pool({ annotations: { [RELEASE_MARKER]: 'true' } }));
  expect(decideGate(after(once, 'release'), closed)).toBe('leave');
});
