import { expect, test } from 'vitest';
import type { NameRecord } from './tenant-plan.ts';
import { deniedZones, planZones } from './zones.ts';

const a = (name: string): NameRecord => ({ name, type: 'A', address: '192.168.100.3' });
const origins = (names: readonly string[], over: Partial<Parameters<typeof planZones>[0]> = {}) =>
  planZones({
    names: names.map(a),
    domains: { cluster: 'blue.example.com', apps: 'apps.blue.example.com' },
    addresses: {},
    forwarding: false,
    ...over,
  }).map((z) => [z.origin, z.records.length]);

test('names of the cluster domain share its zone, the apps among them', () => {
  expect(origins(['api.blue.example.com', '*.apps.blue.example.com'])).toEqual([['blue.example.com', 2]]);
});

test('of a shared parent only the exact name is claimed', () => {
  expect(origins(['api.blue.example.com', 'oauth-clusters-blue.apps.mgmt.example.com'])).toEqual([
    ['blue.example.com', 1],
    ['oauth-clusters-blue.apps.mgmt.example.com', 1],
  ]);
});

test('an apps domain elsewhere is a zone of its own', () => {
  expect(
    origins(['api.blue.example.com', '*.apps.other.org'], { domains: { cluster: 'blue.example.com', apps: 'apps.other.org' } }),
  ).toEqual([
    ['blue.example.com', 1],
    ['apps.other.org', 1],
  ]);
});

test('unknown names of the cluster domain are asked upstream only where there is an upstream', () => {
  const zones = (forwarding: boolean) =>
    planZones({
      names: [a('api.blue.example.com'), a('x.shared.org')],
      domains: { cluster: 'blue.example.com', apps: '' },
      addresses: {},
      forwarding,
    }).map((z) => z.fallthrough);
  expect(zones(false)).toEqual([false, false]);
  expect(zones(true)).toEqual([true, false]);
});

test("the hub's domains and private reverse names are denied, and an unknown hub domain denies nothing more", () => {
  expect(deniedZones(['mgmt.example.com', '']).slice(0, 5)).toEqual([
    'cluster.local',
    'hypershift.local',
    'mgmt.example.com',
    '10.in-addr.arpa',
    '168.192.in-addr.arpa',
  ]);
  expect(deniedZones(['', '']).every((zone) => zone !== '' && zone !== '.')).toBe(true);
});
