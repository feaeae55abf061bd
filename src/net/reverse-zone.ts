import { type Cidr, firstOf } from './cidr.ts';
import { type Address, addressBits, type Family } from './ip.ts';

const suffix: Record<Family, string> = { ipv4: 'in-addr.arpa', ipv6: 'ip6.arpa' };
/** DNS cuts reverse names at octets (RFC 1035) and at nibbles (RFC 3596). */
const labelBits: Record<Family, number> = { ipv4: 8, ipv6: 4 };

/** The name whose PTR record names the host: `10.100.168.192.in-addr.arpa`. */
export const reverseName = (address: Address): string => name(address, addressBits[address.family] / labelBits[address.family]);

/** The origin of the zone that holds every reverse name of a network: the label boundary at its prefix, or else the next one above. */
export const reverseZone = (cidr: Cidr): string => name(firstOf(cidr), Math.floor(cidr.prefix / labelBits[cidr.family]));

function name({ family, value }: Address, labels: number): string {
  const bits = labelBits[family];
  const mask = (1n << BigInt(bits)) - 1n;
  const digits = Array.from({ length: labels }, (_, i) => (value >> BigInt(addressBits[family] - bits * (i + 1))) & mask);
  return [...digits.reverse().map((digit) => digit.toString(family === 'ipv4' ? 10 : 16)), suffix[family]].join('.');
}
