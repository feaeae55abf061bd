import { describe, expect, test } from 'vitest';
import type { FindingCode } from '../api/finding-catalogue.ts';
import { blueObserved, type Change } from '../hosted-cluster/testing/blue.ts';
import { planTenant } from '../tenant/plan.ts';
import { allChecks } from './all.ts';
import { type Case, inForce, NO_PROXY, proxied, segment } from './testing/case.ts';
import { dhcpCases } from './testing/dhcp-cases.ts';
import { endpointCases } from './testing/endpoint-cases.ts';
import { liveAddressCases } from './testing/live-address-cases.ts';
import { nameCases } from './testing/name-cases.ts';
import { nodePoolCases } from './testing/node-pool-cases.ts';
import { proxyCases } from './testing/proxy-cases.ts';
import { segmentCases } from './testing/segment-cases.ts';
import { tenantCases } from './testing/tenant-cases.ts';

/** Each check fires here; that it is silent on a healthy tenant is shown below. */
const cases: readonly Case[] = [
  ...dhcpCases,
  ...endpointCases,
  ...liveAddressCases,
  ...nameCases,
  ...nodePoolCases,
  ...proxyCases,
  ...segmentCases,
  ...tenantCases,
];

/** What a user reads: one sentence per finding of that code, for the healthy tenant with one thing changed. */
const sentences = (code: FindingCode, change: Change): string[] =>
  planTenant(blueObserved(change))
    .findings.filter((f) => f.code === code)
    .map((f) => `${f.object}${f.path === undefined ? '' : ` ${f.path}`}: ${f.message}`);

test('a healthy tenant has nothing to be told', () => {
  expect(planTenant(blueObserved()).findings).toEqual([]);
});

describe('a check tells', () => {
  test.each(cases)('$code when $when', ({ code, change, says }) => {
    expect(sentences(code, change)).toContain(says);
  });
});

test('a proxy with a complete noProxy is nothing to be told about', () => {
  expect(planTenant(blueObserved(proxied(NO_PROXY))).findings).toEqual([]);
});

describe('what workers were told', () => {
  const codes = (change: Change) => planTenant(blueObserved(change)).findings.map(({ code }) => code);
  const pinned = { gateway: { addresses: { vip: '192.168.100.7' } } };

  test('may change while none of them runs', () => {
    expect(codes({ spec: pinned, observed: { ...inForce(), machines: [] } })).toEqual([]);
    expect(codes({ spec: pinned, observed: inForce() })).toEqual(['HCPIO-NET-020']);
  });

  test('does not change when a second edge comes or goes', () => {
    expect(codes({ observed: inForce() })).toEqual([]);
    expect(codes({ spec: { gateway: { availability: 'Single' } }, observed: inForce({ edgeB: '192.168.100.4' }) })).toEqual([]);
  });

  test('is told with the way out, for all of it that would change', () => {
    const change = segment({ router: 'None' });
    const { findings } = planTenant(blueObserved({ ...change, observed: inForce() }));
    expect(findings.map(({ path }) => path)).toEqual(['spec.gateway.addresses.edgeA', 'spec.gateway.addresses.vip', 'spec.segment.router']);
    expect(findings[2]).toMatchObject({
      message: 'the router would change from 192.168.100.1 to nothing, and the worker that runs would go on using 192.168.100.1',
      fix: 'put 192.168.100.1 back, or let no worker run (kubectl scale --replicas 0 --namespace clusters nodepool blue-workers), and change it then',
    });
  });
});

test('every check of the table is shown to fire, here or beside its own code', () => {
  const elsewhere = new Set([
    'HCPIO-EP-012',
    'HCPIO-ATT-001',
    'HCPIO-ATT-002',
    'HCPIO-ATT-003',
    'HCPIO-ATT-004',
    'HCPIO-ATT-005',
    'HCPIO-ATT-006',
    'HCPIO-ATT-007',
    'HCPIO-ATT-008',
  ]);
  const shown = new Set<string>(cases.map((c) => c.code));
  expect(allChecks.map((c) => c.code).filter((code) => !shown.has(code) && !elsewhere.has(code))).toEqual([]);
});
