import type { PeerCertificate } from 'node:tls';
import { expect, test } from 'vitest';
import type { ProbedEndpoint } from '../probes/probe-list.ts';
import { list } from './testing/list.ts';
import { judgeHandshake, type Outcome } from './tls.ts';

const endpointOf = (service: string): ProbedEndpoint => list.endpoints.find((one) => one.service === service) ?? expect.fail(service);
const certificate = (subjectaltname: string) => ({ subject: {}, subjectaltname }) as unknown as PeerCertificate;
const shown = (name: string, untrusted?: string): Outcome => ({ kind: 'done', certificate: certificate(`DNS:${name}`), untrusted });
const judged = (service: string, outcome: Outcome, change: Partial<ProbedEndpoint> = {}) => {
  const endpoint = { ...endpointOf(service), ...change };
  return judgeHandshake(endpoint, endpoint.host ?? '', '192.168.100.3', outcome);
};

test('the right name and the right authority pass', () => {
  expect(judged('Ignition', shown('ignition.blue.example.com'))).toEqual({
    verdict: 'passed',
    message: 'TLS with a certificate for ignition.blue.example.com, signed by Secret clusters-blue/ignition-server-ca-cert',
  });
});

test('each service is trusted by its own authority', () => {
  expect(list.endpoints.map(({ service, ca, trust }) => [service, ca, trust])).toEqual([
    ['APIServer', 'ROOT', 'required'],
    ['OAuthServer', 'ROOT', 'usual'],
    ['Konnectivity', 'KONNECTIVITY', 'required'],
    ['Ignition', 'IGNITION', 'required'],
  ]);
});

test('another name does not pass, whoever signed it', () => {
  expect(judged('Ignition', shown('ignition-server.clusters-blue.svc'))).toEqual({
    verdict: 'failed',
    message: 'the certificate is for DNS:ignition-server.clusters-blue.svc, and not for ignition.blue.example.com',
    fix: 'check where the gateway leads Ignition: its upstream is not the one that publishes ignition.blue.example.com',
  });
});

test('another authority does not pass where the clients trust no other, and is noted where they may', () => {
  const untrusted = 'SELF_SIGNED_CERT_IN_CHAIN';
  expect(judged('APIServer', shown('api.blue.example.com', untrusted))).toEqual({
    verdict: 'failed',
    message:
      'TLS with a certificate for api.blue.example.com that ConfigMap clusters-blue/root-ca does not vouch for (SELF_SIGNED_CERT_IN_CHAIN)',
    fix: 'its clients trust nobody else: look which certificate the upstream serves',
  });
  expect(judged('OAuthServer', shown('oauth.blue.example.com', untrusted)).verdict).toBe('noted');
});

test('an authority that is not known yet proves nothing', () => {
  expect(judged('Konnectivity', shown('konnectivity.blue.example.com', 'SELF_SIGNED_CERT_IN_CHAIN'), { ca: null })).toEqual({
    verdict: 'failed',
    message:
      'TLS with a certificate for konnectivity.blue.example.com, but ConfigMap clusters-blue/konnectivity-ca-bundle, which its clients trust, is not known yet',
    fix: 'wait until ConfigMap clusters-blue/konnectivity-ca-bundle is there',
  });
});

test('an address is a name, too', () => {
  const outcome: Outcome = { kind: 'done', certificate: certificate('IP Address:192.168.100.3'), untrusted: undefined };
  expect(judged('APIServer', outcome, { host: '192.168.100.3' }).verdict).toBe('passed');
  expect(judged('APIServer', outcome, { host: '192.168.100.4' }).verdict).toBe('failed');
});

test.each([
  ['TIMEOUT', 'no answer from 192.168.100.3'],
  ['EHOSTUNREACH', 'nobody on the segment has 192.168.100.3'],
  ['ECONNREFUSED', '192.168.100.3 refuses the connection'],
  ['ECONNRESET', '192.168.100.3 closes the connection before TLS is done'],
  ['EPROTO', '192.168.100.3: wrong version number'],
])('%s is told in words', (code, message) => {
  const verdict = judged('APIServer', { kind: 'error', code, text: 'wrong version number' });
  expect([verdict.verdict, verdict.message, typeof verdict.fix]).toEqual(['failed', message, 'string']);
});
