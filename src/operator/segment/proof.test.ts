import { expect, test } from 'vitest';
import type { ProbeResult, ServedReport } from '../../probes/report.ts';
import { proofOf } from './proof.ts';

const result = (group: ProbeResult['group'], subject: string, change: Partial<ProbeResult> = {}): ProbeResult => ({
  group,
  subject,
  verdict: 'passed',
  message: 'fine',
  milliseconds: 3,
  ...change,
});
const report = (change: Partial<ServedReport> = {}): ServedReport => ({
  tenant: 'clusters/blue',
  list: 'l1',
  results: [result('DHCP', 'DISCOVER'), result('DNS', 'edge-a 192.168.100.2 udp'), result('TLS', 'APIServer api.blue.example.com:6443')],
  holder: 'edge-b',
  answered: ['APIServer'],
  rogueServers: [],
  serials: [{ edge: 'edge-a', zone: 'blue.example.com', serial: 7 }],
  ageMilliseconds: 1200,
  ...change,
});
const proof = (change: Partial<ServedReport> = {}) => proofOf(report(change), 'clusters/blue', 'l1');

test('a fresh report of the newest list in which nothing failed proves the segment', () => {
  expect(proof()).toEqual({
    outcome: 'proven',
    reason: 'Proven',
    message: 'DHCP offers addresses; every edge answers DNS over UDP and TCP as planned; APIServer answer TLS by their names',
    holder: 'edge-b',
    answered: ['APIServer'],
    rogueServers: [],
    serials: [{ edge: 'edge-a', zone: 'blue.example.com', serial: 7 }],
  });
});

test('the sentence is the same for two looks that differ in nothing but time', () => {
  const slower = report().results.map((one) => ({ ...one, milliseconds: 900 }));
  expect(proof({ results: slower, ageMilliseconds: 5 })).toEqual(proof());
});

test.each([
  ['of another list', { list: 'l0' }, 'Outdated'],
  ['of another tenant', { tenant: 'clusters/red' }, 'Outdated'],
  ['of long ago', { ageMilliseconds: 90_001 }, 'ProberSilent'],
])('a report %s proves nothing', (_, change, reason) => {
  expect(proof(change)).toMatchObject({ outcome: 'notProbed', reason });
});

test('edges that still serve the plan before prove nothing, and are no failure', () => {
  const late = result('DNS', 'edge-a 192.168.100.2 udp', {
    verdict: 'late',
    message: 'zone blue.example.com is served with serial 7 instead of 8',
  });
  expect(proof({ results: [...report().results, late] })).toEqual({
    outcome: 'notProbed',
    reason: 'Outdated',
    message: 'the edges have not read the newest plan yet: DNS edge-a 192.168.100.2 udp',
  });
  const failed = result('TLS', 'APIServer', { verdict: 'failed', message: 'no answer' });
  expect(proof({ results: [late, failed] })).toMatchObject({ outcome: 'failed', reason: 'ProbeFailed' });
});

test('silence proves nothing', () => {
  expect(proofOf(undefined, 'clusters/blue', 'l1')).toMatchObject({ outcome: 'notProbed', reason: 'ProberSilent' });
});

test('what failed is told with what to do, the first three in full', () => {
  const results = ['a', 'b', 'c', 'd'].map((subject) => result('TLS', subject, { verdict: 'failed', message: 'no answer', fix: 'wait' }));
  expect(proof({ results })).toMatchObject({
    outcome: 'failed',
    reason: 'ProbeFailed',
    message:
      '4 of 4 probes failed: TLS a: no answer. To do: wait; TLS b: no answer. To do: wait; TLS c: no answer. To do: wait; and 1 more; hcpio verify shows all',
  });
});

test('what is merely noted holds nobody up', () => {
  expect(proof({ results: [result('TLS', 'OAuthServer x', { verdict: 'noted' })] }).outcome).toBe('proven');
});

test('a stranger who answers for the VIP is a reason of its own, before all that fails because of it', () => {
  const results = [
    result('VIP', '192.168.100.3', { verdict: 'failed', message: '02:66:66:66:66:66 answers for it' }),
    result('TLS', 'APIServer', { verdict: 'failed', message: 'no answer' }),
  ];
  expect(proof({ results, rogueServers: ['192.168.100.66'] })).toMatchObject({
    outcome: 'failed',
    reason: 'VipTaken',
    message: '2 of 2 probes failed: VIP 192.168.100.3: 02:66:66:66:66:66 answers for it; TLS APIServer: no answer',
  });
});

test('a rogue server is a reason of its own', () => {
  const results = [result('DHCP', 'other servers', { verdict: 'failed', message: '192.168.100.66 gives out addresses as well' })];
  expect(proof({ results, rogueServers: ['192.168.100.66'] })).toMatchObject({ outcome: 'failed', reason: 'RogueDhcpServer' });
});
