import { expect, test } from 'vitest';
import { blueObserved } from '../../../hosted-cluster/testing/blue.ts';
import { planTenant } from '../../../tenant/plan.ts';
import { guardFindings } from './guard-findings.ts';

const plan = planTenant(blueObserved());
const QUIET = { claiming_edge: [], claiming_vip: [], asking: [], passing: [], knocking: [], crowding: [] };
const [STRANGER, KNOWN] = ['02:66:66:66:66:66', plan.dhcp.reservations[0]?.mac ?? ''];
const lines = (...guards: Parameters<typeof guardFindings>[1]) =>
  guardFindings(plan, guards, { kind: 'TenantNetwork', namespace: 'clusters', name: 'blue' }).map(
    ({ code, severity, message }) => `${code} ${severity}: ${message}`,
  );

test('edges whose guards noticed nothing have nothing to tell', () => {
  expect(lines()).toEqual([]);
});

test('each thing that a guard is there for has a finding that names who did it, and the machine if it is the tenant’s', () => {
  const machine = `${KNOWN} (${plan.dhcp.reservations[0]?.machine})`;
  expect(
    lines(
      {
        edge: 'edge-a',
        sightings: {
          ...QUIET,
          claiming_edge: [STRANGER],
          claiming_vip: [STRANGER],
          passing: [STRANGER],
          knocking: [KNOWN],
          crowding: [KNOWN],
        },
      },
      { edge: 'edge-b', sightings: { ...QUIET, claiming_vip: [STRANGER], asking: [STRANGER], knocking: [STRANGER] } },
    ),
  ).toEqual([
    `HCPIO-GRD-001 warning: ${STRANGER} claims 192.168.100.2, the address of edge-a; seen within the last quarter of an hour`,
    `HCPIO-GRD-001 warning: ${STRANGER} claims 192.168.100.3, the VIP; seen within the last quarter of an hour`,
    `HCPIO-GRD-002 warning: ${STRANGER} tries to get to the hub through edge-a and edge-b; seen within the last quarter of an hour`,
    `HCPIO-GRD-003 info: ${[machine, STRANGER].sort().join(', ')} dials ports of edge-a and edge-b that are not published; seen within the last quarter of an hour`,
    `HCPIO-GRD-004 warning: ${machine} has as many connections through edge-a as one machine may have; seen within the last quarter of an hour`,
  ]);
});

test('of many only some are named, and always the same ones', () => {
  const macs = ['05', '01', '04', '02', '03'].map((end) => `02:66:66:66:66:${end}`);
  expect(lines({ edge: 'edge-b', sightings: { ...QUIET, passing: macs } })).toEqual([
    'HCPIO-GRD-002 warning: 02:66:66:66:66:01, 02:66:66:66:66:02, 02:66:66:66:66:03, others tries to get to the hub through edge-b; seen within the last quarter of an hour',
  ]);
});
