import { describe, expect, test } from 'vitest';
import { attempt } from '../api/finding.ts';
import { type AddressPlanInput, planAddresses } from './address-plan.ts';

const object = { kind: 'TenantNetwork', namespace: 'clusters', name: 'blue' };
const plan = (cidrs: string | readonly string[], more: Partial<AddressPlanInput> = {}) =>
  planAddresses({ object, cidrs: [cidrs].flat(), pins: {}, reserved: [], availability: 'HighlyAvailable', poolSize: 4096, ...more });
const refusal = (cidrs: string | readonly string[], more: Partial<AddressPlanInput> = {}) => attempt(() => plan(cidrs, more)).findings[0];
const error = { severity: 'error', object: 'clusters/blue TenantNetwork' };

describe('a plan is refused', () => {
  const cases: [name: string, cidrs: string[], more: Partial<AddressPlanInput>, refused: Record<string, string>][] = [
    [
      'when a CIDR has host bits',
      ['192.168.100.7/24'],
      {},
      {
        code: 'HCPIO-NET-001',
        path: 'spec.segment.cidrs[0]',
        message: '192.168.100.7/24 has host bits set',
        fix: 'write 192.168.100.0/24 if that network is meant',
      },
    ],
    [
      'when a CIDR is none',
      ['fd00:100::/64', '192.168.100.0/"24"\n'],
      {},
      {
        code: 'HCPIO-NET-002',
        path: 'spec.segment.cidrs[1]',
        message: '"192.168.100.0/\\"24\\"\\n" is no network in CIDR notation',
        fix: 'write it as 192.168.100.0/24 or fd00:100::/64',
      },
    ],
    [
      'when a /29 should hold two edges',
      ['192.168.100.0/29'],
      {},
      {
        code: 'HCPIO-NET-004',
        path: 'spec.segment.cidrs[0]',
        message: '192.168.100.0/29 is too small for two edges and their machines',
        fix: 'use a /28 or larger, or set spec.gateway.availability to Single',
      },
    ],
    [
      'when the network is larger than a /16',
      ['10.0.0.0/8'],
      {},
      {
        code: 'HCPIO-NET-004',
        path: 'spec.segment.cidrs[0]',
        message: '10.0.0.0/8 is too large for one segment',
        fix: 'use a /16 or smaller',
      },
    ],
    [
      'when both CIDRs are of one family',
      ['192.168.100.0/24', '192.168.101.0/24'],
      {},
      {
        code: 'HCPIO-NET-005',
        path: 'spec.segment.cidrs[1]',
        message: '192.168.100.0/24 and 192.168.101.0/24 are both IPv4',
        fix: 'keep one IPv4 network: the segment has at most one per family',
      },
    ],
    [
      'when there is no CIDR',
      [],
      {},
      { code: 'HCPIO-NET-006', path: 'spec.segment.cidrs', message: 'no CIDR is known for the segment', fix: 'set spec.segment.cidrs' },
    ],
    [
      'when the router is outside',
      ['192.168.100.0/24'],
      { router: '192.168.101.1' },
      {
        code: 'HCPIO-NET-008',
        path: 'spec.segment.router',
        message: 'the router cannot be 192.168.101.1: it lies outside the segment 192.168.100.0/24',
        fix: 'choose an address from 192.168.100.1 to 192.168.100.254',
      },
    ],
    [
      'when an IPv6 pin is the subnet-router anycast address',
      ['fd00:100::/64'],
      { pins: { edgeA: 'fd00:100::' } },
      {
        code: 'HCPIO-NET-008',
        path: 'spec.gateway.addresses.edgeA',
        message: 'edge-a cannot be fd00:100::: it is the subnet-router anycast address of fd00:100::/64',
        fix: 'choose an address from fd00:100::1 to fd00:100::ffff:ffff:ffff:ffff',
      },
    ],
    [
      'when two pins are one address, however it is spelled',
      ['fd00:100::/64'],
      { pins: { edgeA: 'fd00:100::5', edgeB: 'FD00:100:0::5' } },
      {
        code: 'HCPIO-NET-009',
        path: 'spec.gateway.addresses.edgeB',
        message: 'edge-a and edge-b both want fd00:100::5',
        fix: 'give edge-b another address',
      },
    ],
    [
      'when a reserved range covers a planned address, instead of moving it',
      ['192.168.100.0/24'],
      { reserved: ['192.168.100.250', '192.168.100.3-192.168.100.20'] },
      {
        code: 'HCPIO-NET-009',
        path: 'spec.segment.reserved[1]',
        message: 'the reserved range 192.168.100.3-192.168.100.20 covers 192.168.100.3, which is planned for the VIP',
        fix: 'pin the VIP with spec.gateway.addresses.vip (192.168.100.3 keeps it where it is), or reserve a range without 192.168.100.3',
      },
    ],
    [
      'when nothing is left for the pool',
      ['192.168.100.0/24'],
      { reserved: ['192.168.100.10-192.168.100.255'] },
      {
        code: 'HCPIO-NET-010',
        path: 'spec.segment.reserved',
        message: 'no address of 192.168.100.0/24 is left for the pool',
        fix: 'reserve less, or use a larger network',
      },
    ],
    [
      'when a reserved range is none',
      ['192.168.100.0/24'],
      { reserved: ['192.168.100.20-192.168.100.10'] },
      {
        code: 'HCPIO-NET-011',
        path: 'spec.segment.reserved[0]',
        message: '"192.168.100.20-192.168.100.10" is no address, no first-last range and no CIDR',
        fix: 'write it as 192.168.100.200, 192.168.100.200-192.168.100.220 or 192.168.100.192/27',
      },
    ],
    [
      'when a reserved range crosses the border of the segment',
      ['192.168.100.0/24', 'fd00:100::/64'],
      { reserved: ['192.168.100.250-192.168.101.5'] },
      {
        code: 'HCPIO-NET-011',
        path: 'spec.segment.reserved[0]',
        message: 'the reserved range 192.168.100.250-192.168.101.5 lies outside the segment 192.168.100.0/24 and fd00:100::/64',
        fix: 'reserve addresses of 192.168.100.0/24 and fd00:100::/64 only',
      },
    ],
    [
      'when a pin is of a family that the segment does not have',
      ['192.168.100.0/24'],
      { pins: { vip: '192.168.100.3,fd00:100::3' } },
      {
        code: 'HCPIO-NET-016',
        path: 'spec.gateway.addresses.vip',
        message: 'fd00:100::3 is an IPv6 address, and the segment has no IPv6 network',
        fix: 'add an IPv6 network to spec.segment.cidrs, or remove the address',
      },
    ],
    [
      'when a pin is no address',
      ['192.168.100.0/24'],
      { pins: { vip: '192.168.100.3, 192.168.100.4' } },
      {
        code: 'HCPIO-NET-002',
        path: 'spec.gateway.addresses.vip',
        message: '" 192.168.100.4" is no IP address',
        fix: 'write an address, or one of each family with a comma between',
      },
    ],
    [
      'when a router names two addresses of one family',
      ['192.168.100.0/24'],
      { router: '192.168.100.1,192.168.100.2' },
      {
        code: 'HCPIO-NET-002',
        path: 'spec.segment.router',
        message: '192.168.100.1,192.168.100.2 names two IPv4 addresses',
        fix: 'keep one IPv4 address',
      },
    ],
  ];

  test.each(cases)('%s', (_, cidrs, more, refused) => {
    expect(refusal(cidrs, more)).toEqual({ ...error, ...refused });
  });
});
