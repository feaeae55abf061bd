import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { expectGoldenText } from '../../test/golden.ts';
import { finding } from '../api/finding.ts';
import { blue, samplePlans } from '../gateway/testing/sample-plans.ts';
import type { PlacedFinding } from './load.ts';
import { planTable } from './plan-table.ts';
import { plain, theme } from './terminal.ts';

const golden = (name: string): string => join(import.meta.dirname, 'testdata', `${name}.txt`);

describe('the table that people paste into a change request', () => {
  test.each(Object.entries(samplePlans))('%s', (name, plan) => {
    const text = planTable(plan, [], plain);
    expectGoldenText(golden(name), text);
    expect(text.split('\n').filter((line) => line.length > 100 || line !== line.trimEnd())).toEqual([]);
  });
});

const overlap: PlacedFinding = {
  ...finding('HCPIO-NET-003', {
    object: { kind: 'TenantNetwork', namespace: 'clusters', name: 'blue' },
    path: 'spec.segment.cidrs[0]',
    message:
      "segment 10.129.4.0/24 overlaps the hub's pod network 10.128.0.0/14, which every node of the hub has a route to, so workers could not be told from pods",
    fix: 'choose a CIDR outside it',
  }),
  at: 'examples/mistakes/tenant-network.yaml:9',
};
const paused = finding('HCPIO-NP-004', {
  object: { kind: 'NodePool', namespace: 'clusters', name: 'blue' },
  message: 'it is paused',
  fix: `kubectl patch nodepool -n clusters blue --type merge -p '{"spec":{"pausedUntil":null}}' # and this command is longer than a page is wide`,
});

test('findings come last, with their places and fixes; a command stays on one line', () => {
  const text = planTable(blue, [overlap, paused], plain);
  expect(text.split('\n').slice(0, 2)).toEqual(['Tenant network clusters/blue, mode Gateway', 'not ready: 1 error, 1 warning']);
  expect(text.slice(text.indexOf('FINDINGS'))).toBe(`FINDINGS: 1 error, 1 warning

  error    HCPIO-NET-003  examples/mistakes/tenant-network.yaml:9
    clusters/blue TenantNetwork  spec.segment.cidrs[0]
    segment 10.129.4.0/24 overlaps the hub's pod network 10.128.0.0/14, which every node of the hub
    has a route to, so workers could not be told from pods
    fix: choose a CIDR outside it

  warning  HCPIO-NP-004
    clusters/blue NodePool
    it is paused
    fix: kubectl patch nodepool -n clusters blue --type merge -p '{"spec":{"pausedUntil":null}}' # and this command is longer than a page is wide
`);
});

test('colour changes no column', () => {
  expect(stripVTControlCharacters(planTable(blue, [overlap], theme(true)))).toBe(planTable(blue, [overlap], plain));
});

test('text from the input cannot move the cursor', () => {
  const nasty = { ...overlap, message: 'a\u001b[2Jb', fix: 'c\rd', object: 'e\nf TenantNetwork' };
  expect(planTable(blue, [nasty], plain)).not.toMatch(/(?!\n)\p{Cc}/u);
});

test('a plan of which nothing is known yet still reads', () => {
  const empty = {
    ...blue,
    addresses: {},
    names: [],
    listeners: [],
    upstreams: [],
    edges: [],
    endpoints: [],
    openPorts: [],
    dhcp: { ...blue.dhcp, options: [], reservations: [] },
  };
  expect(
    planTable(empty, [], plain)
      .split('\n')
      .filter((line) => /^[A-Z]{2}/.test(line)),
  ).toEqual(['SEGMENT', 'DHCP', 'FINDINGS: none']);
});

test('five hundred machines do not fill the ticket', () => {
  const reservations = Array.from({ length: 500 }, (_, i) => ({
    machine: `m-${i}`,
    mac: '02:00:00:00:00:00',
    addresses: { ipv4: '10.0.0.1' },
  }));
  const text = planTable({ ...blue, dhcp: { ...blue.dhcp, reservations } }, [], plain);
  expect(text).toContain('  m-19     02:00:00:00:00:00  10.0.0.1\n  ... and 480 more (-o yaml has them all)\n');
});
