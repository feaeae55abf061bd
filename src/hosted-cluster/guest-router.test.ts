import { expect, test } from 'vitest';
import { readGuestRouter, routerService, routerSlices } from './guest-router.ts';

const service = (externalTrafficPolicy: string | undefined, ports: readonly object[] = [http, https]) =>
  routerService.parse({ spec: { ...(externalTrafficPolicy ? { externalTrafficPolicy } : {}), ports } });
const http = { name: 'http', port: 80, nodePort: 31_080 };
const https = { name: 'https', port: 443, nodePort: 31_443 };
const slices = (...endpoints: readonly object[]) => routerSlices.parse({ items: [{ endpoints }, { endpoints: null }] });
const on = (nodeName: string, ready = true) => ({ addresses: ['10.132.0.9'], nodeName, conditions: { ready } });

test('with Local only the machines that run a router take its traffic', () => {
  expect(readGuestRouter(service('Local'), slices(on('b'), on('a'), on('a'), on('c', false)))).toEqual({
    httpsPort: 31_443,
    httpPort: 31_080,
    machines: ['a', 'b'],
  });
});

test('with Cluster every machine passes it on', () => {
  expect(readGuestRouter(service(undefined), slices(on('a')))).toEqual({ httpsPort: 31_443, httpPort: 31_080, machines: [] });
});

test.each([
  ['no router is ready', service('Local'), slices(on('a', false))],
  ['nothing is there', service('Local'), slices()],
  ['there are no node ports', service('Local', [{ name: 'https', port: 443 }]), slices(on('a'))],
])('it is waited for: %s', (_, one, others) => {
  expect(readGuestRouter(one, others)).toBe('absent');
});
