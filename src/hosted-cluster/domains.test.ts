import { expect, test } from 'vitest';
import { appsDomain, clusterDomain } from './domains.ts';
import type { HostedCluster } from './objects.ts';
import { blueObserved } from './testing/blue.ts';

const cluster = (spec: Record<string, unknown>): HostedCluster =>
  blueObserved({ hostedClusterSpec: spec }).hostedCluster ?? expect.fail('no cluster');
const both = (spec: Record<string, unknown>): string[] => [clusterDomain(cluster(spec)), appsDomain(cluster(spec))];

test('the domains come from name and base domain, and an empty prefix means none', () => {
  expect(both({ dns: { baseDomain: 'example.com' } })).toEqual(['blue.example.com', 'apps.blue.example.com']);
  expect(both({ dns: { baseDomain: 'example.com', baseDomainPrefix: 'b1' } })).toEqual(['b1.example.com', 'apps.b1.example.com']);
  expect(both({ dns: { baseDomain: 'example.com', baseDomainPrefix: '' } })).toEqual(['example.com', 'apps.example.com']);
});

test('the apps domain of the configuration wins: appsDomain, then domain', () => {
  const dns = { baseDomain: 'example.com' };
  expect(both({ dns, configuration: { ingress: { appsDomain: 'web.example.org', domain: 'old.example.org' } } })).toEqual([
    'blue.example.com',
    'web.example.org',
  ]);
  expect(both({ dns, configuration: { ingress: { appsDomain: '', domain: 'old.example.org' } } })).toEqual([
    'blue.example.com',
    'old.example.org',
  ]);
  expect(both({ dns, configuration: { ingress: { domain: '' } } })).toEqual(['blue.example.com', 'apps.blue.example.com']);
});

test('without a base domain there are no names yet', () => {
  expect(both({ dns: { baseDomain: '' } })).toEqual(['', '']);
});

test('an apps domain that is no DNS name is passed on to nobody', () => {
  expect(both({ dns: { baseDomain: 'example.com' }, configuration: { ingress: { domain: 'apps"\n' } } })).toEqual(['blue.example.com', '']);
  expect(both({ dns: { baseDomain: 'Exa mple' } })).toEqual(['blue.Exa mple', '']);
});
