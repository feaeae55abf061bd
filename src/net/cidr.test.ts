import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import {
  broadcastAddress,
  type Cidr,
  cidrAround,
  contains,
  firstOf,
  formatCidr,
  lastOf,
  networkAddress,
  overlaps,
  parseCidr,
  readCidr,
} from './cidr.ts';
import { type Address, addressBits, type Family, formatAddress } from './ip.ts';

const cidr = (text: string): Cidr => readCidr(text) ?? expect.fail(`${text} is no CIDR`);

test('a network is read with its prefix and written in one spelling', () => {
  expect(parseCidr('192.168.100.0/24')).toEqual({ kind: 'cidr', cidr: { family: 'ipv4', network: 0xc0a86400n, prefix: 24 } });
  expect(['0.0.0.0/0', '10.1.2.3/32', 'FD00:0100::/64', '::/0'].map((text) => formatCidr(cidr(text)))).toEqual([
    '0.0.0.0/0',
    '10.1.2.3/32',
    'fd00:100::/64',
    '::/0',
  ]);
});

test('host bits are told apart from nonsense, with the network that was meant', () => {
  expect(parseCidr('192.168.100.7/24')).toEqual({ kind: 'host-bits', meant: cidr('192.168.100.0/24') });
  expect(parseCidr('fd00:100::5/64')).toEqual({ kind: 'host-bits', meant: cidr('fd00:100::/64') });
});

test.each([
  '',
  '/',
  '/24',
  '192.168.100.0',
  '192.168.100.0/',
  '192.168.100.0/33',
  '192.168.100.0/024',
  '192.168.100.0/-1',
  '192.168.100.0/24/24',
  '192.168.100.0/ 24',
  '192.168.100/24',
  'fd00::/129',
  'fd00::/64\n',
])('%j is no CIDR', (text) => {
  expect(parseCidr(text)).toEqual({ kind: 'syntax' });
});

test('the ends of a network are known, and only IPv4 has a broadcast', () => {
  const ends = (text: string) =>
    [firstOf(cidr(text)), lastOf(cidr(text)), networkAddress(cidr(text)), broadcastAddress(cidr(text))].map((a) => a && formatAddress(a));
  expect(ends('192.168.100.0/24')).toEqual(['192.168.100.0', '192.168.100.255', '192.168.100.0', '192.168.100.255']);
  expect(ends('192.168.100.2/31')).toEqual(['192.168.100.2', '192.168.100.3', '192.168.100.2', undefined]);
  expect(ends('fd00::/120')).toEqual(['fd00::', 'fd00::ff', 'fd00::', undefined]);
});

const anyAddress: fc.Arbitrary<Address> = fc
  .constantFrom<Family>('ipv4', 'ipv6')
  .chain((family) => fc.bigInt({ min: 0n, max: (1n << BigInt(addressBits[family])) - 1n }).map((value) => ({ family, value })));
const anyCidr = anyAddress.chain((address) =>
  fc.integer({ min: 0, max: addressBits[address.family] }).map((prefix) => cidrAround(address, prefix)),
);

test('ipaddr.js agrees on what a network contains', () => {
  // Near misses matter most: half of the addresses are taken from the edges of the network.
  const pair = anyCidr.chain((network) =>
    fc.tuple(
      fc.constant(network),
      fc.oneof(
        anyAddress,
        fc.constantFrom(-1n, 0n, 1n).map((d) => shift(lastOf(network), d)),
        fc.constantFrom(-1n, 0n, 1n).map((d) => shift(firstOf(network), d)),
      ),
    ),
  );
  fc.assert(
    fc.property(pair, ([network, address]) => {
      const theirs = toIpaddr(address);
      const range: [ipaddr.IPv4 | ipaddr.IPv6, number] = [toIpaddr(firstOf(network)), network.prefix];
      expect(contains(network, address)).toBe(theirs.kind() === range[0].kind() && theirs.match(range));
    }),
  );
});

test('networks overlap exactly when one contains the start of the other', () => {
  const pair = anyCidr.chain((a) =>
    fc.tuple(
      fc.constant(a),
      fc.oneof(
        anyCidr,
        fc.integer({ min: 0, max: a.prefix }).map((p) => cidrAround(firstOf(a), p)),
      ),
    ),
  );
  fc.assert(
    fc.property(pair, ([a, b]) => {
      expect(overlaps(a, b)).toBe(contains(a, firstOf(b)) || contains(b, firstOf(a)));
      expect(overlaps(b, a)).toBe(overlaps(a, b));
    }),
  );
});

test('neighbours touch but do not overlap', () => {
  expect(overlaps(cidr('192.168.100.0/25'), cidr('192.168.100.128/25'))).toBe(false);
  expect(overlaps(cidr('192.168.100.128/25'), cidr('192.168.100.0/25'))).toBe(false);
  expect(overlaps(cidr('192.168.100.128/25'), cidr('192.168.100.0/24'))).toBe(true);
  expect(overlaps(cidr('0.0.0.0/0'), cidr('::/0'))).toBe(false);
});

test('every network is read back from its text', () => {
  fc.assert(
    fc.property(anyCidr, (network) => {
      fc.pre(network.family === 'ipv4' || network.network >> 32n !== 0xffffn);
      expect(parseCidr(formatCidr(network))).toEqual({ kind: 'cidr', cidr: network });
    }),
  );
});

function shift({ family, value }: Address, by: bigint): Address {
  const end = 1n << BigInt(addressBits[family]);
  return { family, value: (value + by + end) % end };
}

function toIpaddr({ family, value }: Address): ipaddr.IPv4 | ipaddr.IPv6 {
  const bytes = Array.from({ length: addressBits[family] / 8 }, (_, i) =>
    Number((value >> BigInt(addressBits[family] - 8 * (i + 1))) & 0xffn),
  );
  return family === 'ipv4' ? new ipaddr.IPv4(bytes) : new ipaddr.IPv6(bytes);
}
