import { expect, test } from 'vitest';
import type { WireObject } from '../kube/object.ts';
import type { WorkerReport } from '../lab/contract.ts';
import { advance, demoChanges, demoLines, hasJoined, NOTHING, type Sight } from './demo-view.ts';
import { tenantView } from './tenant-view.ts';
import { plain } from './terminal.ts';
import { PROVEN, tenant } from './testing/live-hub.ts';

const proven = tenantView({ tenant: tenant('blue') as WireObject });
const gated = {
  ...proven,
  conditions: proven.conditions.map((one) =>
    ['SegmentProven', 'NodePoolsReleased', 'Ready'].includes(one.type)
      ? { ...one, status: 'False' as const, message: `${one.type} is waited for` }
      : one,
  ),
};
const worker = (...steps: readonly string[]): WorkerReport => ({
  name: 'blue-1',
  kind: 'vm',
  steps: steps.map((step, index) => ({ step, seconds: index, detail: `seen ${step}` })),
});
const ALL = ['boot', 'lease', 'dns', 'ignition', 'kubelet', 'certificate', 'registered', 'ready'];
const sight = (change: Partial<Sight>): Sight => ({ seconds: 1, tenant: undefined, worker: undefined, konnectivity: false, ...change });

test('while the NodePool is held there is no VM, and the picture says why', () => {
  const state = advance(NOTHING, sight({ seconds: 12.34, tenant: gated }));
  expect(demoLines(state, 12.5, plain).join('\n')).toBe(`
The tenant network
  ✓ Accepted            12.3 s  no check objects
  ✓ Planned             12.3 s  2 edges, 3 listeners, 11 records, 1 machine
  ✓ Applied             12.3 s  25 objects are as planned
  ✓ EdgeReady           12.3 s  edge-a on hub-a with 192.168.100.2; edge-b on hub-b with 192.168.100.4
  ✓ EndpointsReady      12.3 s  4 services published, each with ready pods
  ⠋ SegmentProven               SegmentProven is waited for
  · NodePoolsReleased
  · Ready

The VM
  ⠋ power on                    the NodePool is held: no VM before its network is proven
  · boot
  · lease
  · dns
  · ignition
  · kubelet
  · certificate
  · registered
  · konnectivity
  · ready
`);
});

test('it is over when everything is so, and not a step earlier', () => {
  const almost = advance(NOTHING, sight({ tenant: proven, worker: worker(...ALL) }));
  expect(hasJoined(almost)).toBe(false);
  expect(hasJoined(advance(almost, sight({ tenant: proven, worker: worker(...ALL), konnectivity: true })))).toBe(true);
});

test('a step keeps the time at which it was first seen, and loses it when it is not so any more', () => {
  const first = advance(NOTHING, sight({ seconds: 3, tenant: proven }));
  const later = advance(first, sight({ seconds: 9, tenant: gated }));
  const time = (name: string) => later.tenant.find((one) => one.name === name)?.reached;
  expect([time('Applied'), time('SegmentProven')]).toEqual([3, undefined]);
});

test('without a screen each step is one line, once', () => {
  const first = advance(NOTHING, sight({ seconds: 3, tenant: gated }));
  const second = advance(first, sight({ seconds: 9.25, tenant: proven, worker: worker('boot') }));
  expect(demoChanges(first, second)).toEqual([
    '  SegmentProven        9.3 s  DHCP answered from edge-a',
    '  NodePoolsReleased    9.3 s  no NodePool is held back',
    '  Ready                9.3 s  everything answers from the segment',
    '  power on             9.3 s  blue-1',
    '  boot                 9.3 s  seen boot',
  ]);
  expect(demoChanges(second, second)).toEqual([]);
  expect(demoChanges(second, first).slice(0, 2)).toEqual([
    '  SegmentProven        not now: SegmentProven is waited for',
    '  NodePoolsReleased    not now: NodePoolsReleased is waited for',
  ]);
  expect(demoChanges(second, first).some((line) => line.startsWith('  Ready'))).toBe(false);
});

test('every condition is a step', () => {
  expect(NOTHING.tenant.map(({ name }) => name)).toEqual(PROVEN.conditions.map(({ type }) => type));
});
