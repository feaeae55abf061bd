import { expect, test } from 'vitest';
import { attempt } from '../api/finding.ts';
import { readCidr } from './cidr.ts';
import { FreeList } from './free-list.ts';
import { formatAddress, parseAddress } from './ip.ts';

const object = { kind: 'TenantNetwork', namespace: 'clusters', name: 'blue' };
const freeList = (text: string) => new FreeList(readCidr(text) ?? expect.fail(text), object);
const pin = (text: string, path = 'spec.x') => ({ address: parseAddress(text) ?? expect.fail(text), path });

test('a pinned address is taken before planned ones, also when it is claimed last', () => {
  const owners = freeList('10.0.0.0/29').claimAll([{ owner: 'first' }, { owner: 'second' }, { owner: 'pinned', pin: pin('10.0.0.1') }]);
  expect([...owners].map(([owner, address]) => [owner, formatAddress(address)])).toEqual([
    ['pinned', '10.0.0.1'],
    ['first', '10.0.0.2'],
    ['second', '10.0.0.3'],
  ]);
});

test('the network has no address left when all usable ones are claimed', () => {
  const claims = Array.from({ length: 7 }, (_, i) => ({ owner: `machine ${i + 1}` }));
  expect(attempt(() => freeList('10.0.0.0/29').claimAll(claims)).findings).toEqual([
    {
      code: 'HCPIO-NET-010',
      severity: 'error',
      object: 'clusters/blue TenantNetwork',
      path: 'spec.segment.cidrs',
      message: 'no address of 10.0.0.0/29 is left for machine 7',
      fix: 'use a larger network, or unpin an address',
    },
  ]);
});

test('what remains starts at the offset and leaves out claims and holes', () => {
  const free = freeList('10.0.0.0/28');
  free.claimAll([{ owner: 'a' }, { owner: 'b', pin: pin('10.0.0.8') }]);
  const base = 0x0a000000n;
  expect(free.remaining(4n, [{ first: base + 12n, last: base + 12n }])).toEqual([
    { first: base + 4n, last: base + 7n },
    { first: base + 9n, last: base + 11n },
    { first: base + 13n, last: base + 14n },
  ]);
});

test.each([
  ['10.0.1.1', 'it lies outside the segment 10.0.0.0/28'],
  ['10.0.0.0', 'it is the network address of 10.0.0.0/28'],
  ['10.0.0.15', 'it is the broadcast address of 10.0.0.0/28'],
])('%s cannot be pinned', (text, why) => {
  expect(attempt(() => freeList('10.0.0.0/28').claimAll([{ owner: 'edge-a', pin: pin(text) }])).findings).toEqual([
    {
      code: 'HCPIO-NET-008',
      severity: 'error',
      object: 'clusters/blue TenantNetwork',
      path: 'spec.x',
      message: `edge-a cannot be ${text}: ${why}`,
      fix: 'choose an address from 10.0.0.1 to 10.0.0.14',
    },
  ]);
});
