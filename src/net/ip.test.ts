import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { addressBits, addressOf, compareAddresses, type Family, familyOf, formatAddress, parseAddress } from './ip.ts';

const text = (value: string): string | undefined => {
  const address = parseAddress(value);
  return address && formatAddress(address);
};

test('both families are read into one canonical spelling', () => {
  expect(parseAddress('192.168.100.3')).toEqual({ family: 'ipv4', value: 0xc0a86403n });
  expect(parseAddress('fd00:100::3')).toEqual({ family: 'ipv6', value: (0xfd000100n << 96n) | 3n });
  expect(['0.0.0.0', '255.255.255.255', '::', '::1', '1::', 'FD00:0100:0:0:0:0:0:000A', '2001:db8::192.0.2.1'].map(text)).toEqual([
    '0.0.0.0',
    '255.255.255.255',
    '::',
    '::1',
    '1::',
    'fd00:100::a',
    '2001:db8::c000:201',
  ]);
});

test('the first of the longest runs of zeros is shortened, and a single zero is not', () => {
  expect(['2001:db8:0:0:1:0:0:1', '2001:db8:0:1:1:1:1:1', '1:0:0:2:0:0:0:3', '1:2:3:4:5:6:7::'].map(text)).toEqual([
    '2001:db8::1:0:0:1',
    '2001:db8:0:1:1:1:1:1',
    '1:0:0:2::3',
    '1:2:3:4:5:6:7:0',
  ]);
});

test.each([
  ['nothing', ''],
  ['a leading zero', '192.168.010.1'],
  ['an octet above 255', '192.168.100.256'],
  ['three octets', '192.168.100'],
  ['five octets', '192.168.100.1.1'],
  ['a blank', ' 192.168.100.1'],
  ['a line break', '192.168.100.1\n'],
  ['hexadecimal', '0xc0.168.100.1'],
  ['a sign', '+1.2.3.4'],
  ['other digits', '１.2.3.4'],
  ['a zone id', 'fe80::1%eth0'],
  ['two shortenings', '1::2::3'],
  ['three colons', ':::'],
  ['a single leading colon', ':1:2:3:4:5:6:7'],
  ['a shortening of nothing', '1:2:3:4::5:6:7:8'],
  ['nine groups', '1:2:3:4:5:6:7:8:9'],
  ['seven groups', '1:2:3:4:5:6:7'],
  ['five digits', '12345::'],
  ['brackets', '[::1]'],
  ['an IPv4 part in the middle', '::1.2.3.4:1'],
  ['an IPv4 part on the left', '1.2.3.4::'],
  ['an IPv4-mapped address', '::ffff:192.168.100.1'],
  ['an IPv4-mapped address in hexadecimal', '0:0:0:0:0:FFFF:c0a8:6401'],
])('%s is no address', (_, value) => {
  expect(parseAddress(value)).toBeUndefined();
});

const anyAddress = fc.constantFrom<Family>('ipv4', 'ipv6').chain((family) =>
  fc
    // Runs of zeros are what makes IPv6 text hard, so most groups are zero or small.
    .array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 255 })), {
      minLength: addressBits[family] / 8,
      maxLength: addressBits[family] / 8,
    })
    .map((bytes) => ({ family, bytes, value: bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) })),
);
const mapped = (value: bigint): boolean => value >> 32n === 0xffffn;

test('ipaddr.js reads what we write, and writes what we write', () => {
  fc.assert(
    fc.property(anyAddress, ({ family, bytes, value }) => {
      fc.pre(family === 'ipv4' || !mapped(value));
      const ours = formatAddress({ family, value });
      const theirs = ipaddr.parse(ours);
      expect(theirs.toByteArray()).toEqual(bytes);
      expect(theirs instanceof ipaddr.IPv6 ? theirs.toRFC5952String() : theirs.toString()).toBe(ours);
      expect(parseAddress(ours)).toEqual({ family, value });
    }),
  );
});

test('what we read, ipaddr.js reads the same, and what it refuses we refuse', () => {
  const noise = fc.string({ unit: fc.constantFrom('0', '1', '2', '5', 'a', 'F', ':', '::', '.', '%', ' '), maxLength: 24 });
  fc.assert(
    fc.property(noise, (value) => {
      const address = parseAddress(value);
      if (!address) return;
      expect(ipaddr.isValid(value)).toBe(true);
      const bytes = ipaddr.parse(value).toByteArray();
      expect(bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)).toBe(address.value);
    }),
    { numRuns: 20_000 },
  );
});

test('any spelling that ipaddr.js writes is read back to the same address', () => {
  fc.assert(
    fc.property(anyAddress, ({ family, bytes, value }) => {
      fc.pre(family === 'ipv6' && !mapped(value));
      const theirs = new ipaddr.IPv6(bytes);
      const padded = theirs
        .toNormalizedString()
        .split(':')
        .map((group) => group.padStart(4, '0'))
        .join(':');
      for (const spelling of [theirs.toString(), theirs.toNormalizedString(), padded.toUpperCase()]) {
        expect(parseAddress(spelling)).toEqual({ family, value });
      }
    }),
  );
});

test('the family of a text is known when it is an address', () => {
  expect(['10.0.0.1', 'fd00::1', 'api.blue.example.com', ''].map(familyOf)).toEqual(['ipv4', 'ipv6', undefined, undefined]);
  expect(addressOf('10.0.0.1')).toEqual({ family: 'ipv4', value: 0x0a000001n });
  expect(() => addressOf('ten')).toThrow('"ten" is no IP address');
});

test('addresses sort by family, then by number', () => {
  const sorted = ['10.0.0.10', '::2', '10.0.0.9', '::1', '10.0.0.9']
    .map((value) => parseAddress(value) ?? expect.fail(value))
    .sort(compareAddresses);
  expect(sorted.map(formatAddress)).toEqual(['10.0.0.9', '10.0.0.9', '10.0.0.10', '::1', '::2']);
});
