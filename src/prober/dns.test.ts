import type { DecodedPacket } from 'dns-packet';
import { expect, test } from 'vitest';
import { judgeAnswers } from './dns.ts';
import { list } from './testing/list.ts';

const { dns } = list;
const answer = (...records: readonly object[]): DecodedPacket =>
  ({ type: 'response', rcode: records.length === 0 ? 'NXDOMAIN' : 'NOERROR', answers: records }) as unknown as DecodedPacket;

/** What an edge answers that does as planned. */
const right = (): (DecodedPacket | undefined)[] => [
  ...dns.questions.map(({ name, type, addresses }) => answer(...addresses.map((data) => ({ type, name, data })))),
  ...dns.serials.map(({ zone, serial }) => answer({ type: 'SOA', name: zone, data: { serial } })),
  ...dns.denied.map(() => answer()),
];
const api = dns.questions.findIndex(({ name }) => name === 'api.blue.example.com');

test('the planned names, the planned zones and nothing of the hub pass', () => {
  expect(judgeAnswers(dns, right())).toEqual({
    verdict: 'passed',
    message: "8 names and 2 zones as planned, and nothing of the hub's",
    serials: dns.serials,
  });
});

test('a wildcard is asked for by some name of it, and machines are not asked for at all', () => {
  expect(dns.questions.map(({ name }) => name)).toEqual([
    'api.blue.example.com',
    'api-int.blue.example.com',
    'oauth.blue.example.com',
    'konnectivity.blue.example.com',
    'ignition.blue.example.com',
    'hcpio-probe.apps.blue.example.com',
    'edge-a.blue.example.com',
    'edge-b.blue.example.com',
  ]);
});

test('a name that leads elsewhere, or nowhere, is told', () => {
  const elsewhere = right().with(api, answer({ type: 'A', name: 'api.blue.example.com', data: '10.0.0.1' }));
  expect(judgeAnswers(dns, elsewhere)).toMatchObject({
    verdict: 'failed',
    message: 'api.blue.example.com leads to 10.0.0.1 instead of 192.168.100.3',
  });
  expect(judgeAnswers(dns, right().with(api, answer()))).toMatchObject({
    verdict: 'failed',
    message: 'api.blue.example.com leads to NXDOMAIN instead of 192.168.100.3',
  });
  expect(judgeAnswers(dns, right().with(api, undefined)).message).toBe('api.blue.example.com has no answer');
});

test('a zone that is older than the plan does not pass, and what is served is told', () => {
  const at = dns.questions.length;
  const judged = judgeAnswers(dns, right().with(at, answer({ type: 'SOA', data: { serial: 7 } })));
  expect(judged.verdict).toBe('late');
  expect(judged.message).toBe(`zone blue.example.com is served with serial 7 instead of ${dns.serials[0]?.serial}`);
  expect(judged.serials[0]).toEqual({ zone: 'blue.example.com', serial: 7 });
  // Not served at all is another matter.
  expect(judgeAnswers(dns, right().with(at, answer())).verdict).toBe('failed');
});

test('an answer about the hub does not pass', () => {
  const leak = right().with(-1, answer({ type: 'A', data: '10.0.0.9' }));
  expect(judgeAnswers(dns, leak)).toMatchObject({
    verdict: 'failed',
    message: `${dns.denied.at(-1)}, a name of the hub, leads to 10.0.0.9 and should not be answered`,
  });
});

test('silence is told as such, and many faults are counted', () => {
  expect(
    judgeAnswers(
      dns,
      right().map(() => undefined),
    ),
  ).toMatchObject({ verdict: 'failed', message: 'no answer', serials: [] });
  expect(
    judgeAnswers(
      dns,
      right().map((one, i) => (i < 8 ? answer() : one)),
    ).message,
  ).toMatch(/\(and 5 more\)$/);
});
