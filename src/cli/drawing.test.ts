import { describe, expect, test } from 'vitest';
import { blue, dualStack, samplePlans } from '../gateway/testing/sample-plans.ts';
import { drawTopology } from './drawing.ts';

const long = (last: string): string => `fd00:1234:5678:9abc:1111:2222:3333:${last}`;
const wide = {
  ...dualStack,
  addresses: {
    ipv6: {
      cidr: 'fd00:1234:5678:9abc::/64',
      router: long('1'),
      edgeA: long('aaaa'),
      edgeB: long('bbbb'),
      vip: long('cccc'),
      pool: [
        [long('d000'), long('dfff')],
        [long('e000'), long('efff')],
      ] as const,
    },
  },
  edges: blue.edges.map((edge) => ({ ...edge, addresses: { ipv6: edge.name === 'edge-a' ? long('aaaa') : long('bbbb') } })),
  segment: { ...blue.segment, attachment: `${'n'.repeat(63)}/${'a'.repeat(63)}` },
};

test('the picture of a tenant', () => {
  expect(`\n${drawTopology(blue).join('\n')}\n`).toBe(`
  ┌─ hub ────────────────────────────────────────────────────────────────────────────────────────┐
  │  control plane  clusters-blue                                                                │
  │    kube-apiserver:6443 · oauth-openshift:6443 · konnectivity-server:8091                     │
  │    ignition-server-proxy:443                                                                 │
  │                                                                                              │
  │  edge  clusters-blue-edge                                                                    │
  │          ┌───────────────┐                                        ┌───────────────┐          │
  │          │    edge-a     ├────────────── peer link ───────────────┤    edge-b     │          │
  │          │ 192.168.100.2 │                                        │ 192.168.100.4 │          │
  │          └───────┬───────┘                                        └───────┬───────┘          │
  └──────────────────┼────────────────────────────────────────────────────────┼──────────────────┘
                     │                    VIP 192.168.100.3                   │
  ════════╤══════════╧════════════════════════════════════════════════════════╧══════════╤════════
          │                default/vlan100 · 192.168.100.0/24 · MTU 1500                 │
  ┌───────┴───────┐                                      ┌───────────────────────────────┴───────┐
  │    router     │                                      │               1 worker                │
  │ 192.168.100.1 │                                      │ 192.168.100.10 - 192.168.100.199, ... │
  └───────────────┘                                      └───────────────────────────────────────┘
`);
});

describe('fits the page', () => {
  test.each(Object.entries({ ...samplePlans, wide }))('%s', (_, plan) => {
    expect(drawTopology(plan).filter((line) => line.length > 98 || line !== line.trimEnd())).toEqual([]);
  });
});

test('the longest addresses are all there, whole', () => {
  const text = drawTopology(wide).join('\n');
  expect(['1', 'aaaa', 'bbbb', 'cccc', 'd000', 'dfff'].filter((last) => !text.includes(long(last)))).toEqual([]);
});

test('a segment without a router shows none, a single edge no peer', () => {
  expect(drawTopology(samplePlans.allRoutes).join('\n')).not.toContain('router');
  expect(drawTopology(samplePlans.single).join('\n')).not.toMatch(/edge-b|peer/);
});

test('nothing is drawn before an address is known', () => {
  expect(drawTopology({ ...blue, addresses: {} })).toEqual([]);
});

test('the VIP stands at the edge that is known to hold it, and machines are shown by name, the first of many', () => {
  const machines = ['a', 'b', 'c', 'd', 'e', 'f'].map((machine, index) => ({ machine, addresses: [`192.168.100.${10 + index}`] }));
  const held = { ...blue, dhcp: { reservations: machines }, machines, holder: 'edge-b' };
  const lines = drawTopology(held);
  expect(lines.find((line) => line.includes('VIP'))).toMatch(/^ +│ +VIP 192\.168\.100\.3 ─►│$/);
  expect(lines.slice(-8).map((line) => line.split('│').at(-2)?.trim())).toEqual([
    undefined,
    '6 workers',
    'a  192.168.100.10',
    'b  192.168.100.11',
    'c  192.168.100.12',
    'd  192.168.100.13',
    'and 2 more',
    undefined,
  ]);
  expect(lines.filter((line) => line.length > 98)).toEqual([]);
});
