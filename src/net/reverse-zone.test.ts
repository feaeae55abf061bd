import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Cidr, cidrAround, firstOf, lastOf, readCidr } from './cidr.ts';
import { addressBits, type Family, parseAddress } from './ip.ts';
import { reverseName, reverseZone } from './reverse-zone.ts';

const zone = (text: string): string => reverseZone(readCidr(text) ?? expect.fail(text));

test('a zone is cut at the octet or nibble at or above the prefix', () => {
  expect(['192.168.100.0/24', '192.168.100.64/26', '192.168.96.0/20', '10.0.0.0/16', '10.0.0.0/8', '0.0.0.0/0'].map(zone)).toEqual([
    '100.168.192.in-addr.arpa',
    '100.168.192.in-addr.arpa',
    '168.192.in-addr.arpa',
    '0.10.in-addr.arpa',
    '10.in-addr.arpa',
    'in-addr.arpa',
  ]);
  expect(['fd00:100::/64', 'fd00:100::/62', 'fd00:100::/66', '::/0'].map(zone)).toEqual([
    '0.0.0.0.0.0.0.0.0.0.1.0.0.0.d.f.ip6.arpa',
    '0.0.0.0.0.0.0.0.0.1.0.0.0.d.f.ip6.arpa',
    '0.0.0.0.0.0.0.0.0.0.1.0.0.0.d.f.ip6.arpa',
    'ip6.arpa',
  ]);
});

test('an address has its reverse name', () => {
  expect(['192.168.100.10', 'fd00:100::a'].map((text) => reverseName(parseAddress(text) ?? expect.fail(text)))).toEqual([
    '10.100.168.192.in-addr.arpa',
    'a.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1.0.0.0.d.f.ip6.arpa',
  ]);
});

test('every address of a network has its reverse name in the zone of the network', () => {
  const anyCidr: fc.Arbitrary<Cidr> = fc
    .constantFrom<Family>('ipv4', 'ipv6')
    .chain((family) =>
      fc
        .tuple(fc.bigInt({ min: 0n, max: (1n << BigInt(addressBits[family])) - 1n }), fc.integer({ min: 0, max: addressBits[family] }))
        .map(([value, prefix]) => cidrAround({ family, value }, prefix)),
    );
  fc.assert(
    fc.property(anyCidr, (cidr) => {
      for (const end of [firstOf(cidr), lastOf(cidr)]) expect(`.${reverseName(end)}`.endsWith(`.${reverseZone(cidr)}`)).toBe(true);
    }),
  );
});
