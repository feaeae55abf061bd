import { type Address, addressBits, type Family, formatAddress, parseAddress } from './ip.ts';

/** A network; its value has no host bits, whatever the text it came from had. */
export interface Cidr {
  readonly family: Family;
  readonly network: bigint;
  readonly prefix: number;
}

/** Host bits are told apart from nonsense, because there the network that was meant can be proposed. */
export type ParsedCidr =
  | { readonly kind: 'cidr'; readonly cidr: Cidr }
  | { readonly kind: 'host-bits'; readonly meant: Cidr }
  | { readonly kind: 'syntax' };

const PREFIX = /^(0|[1-9]\d{0,2})$/;

export function parseCidr(text: string): ParsedCidr {
  const slash = text.indexOf('/');
  const address = slash < 0 ? undefined : parseAddress(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (!address || !PREFIX.test(length) || Number(length) > addressBits[address.family]) return { kind: 'syntax' };
  const cidr = cidrAround(address, Number(length));
  return cidr.network === address.value ? { kind: 'cidr', cidr } : { kind: 'host-bits', meant: cidr };
}

/** The network when the text is one, else nothing; for texts that others have already judged. */
export function readCidr(text: string): Cidr | undefined {
  const parsed = parseCidr(text);
  return parsed.kind === 'cidr' ? parsed.cidr : undefined;
}

/** The network of the given prefix length that an address lies in. */
export function cidrAround(address: Address, prefix: number): Cidr {
  const hostBits = BigInt(addressBits[address.family] - prefix);
  return { family: address.family, network: (address.value >> hostBits) << hostBits, prefix };
}

export const formatCidr = (cidr: Cidr): string => `${formatAddress(firstOf(cidr))}/${cidr.prefix}`;

const sizeOf = (cidr: Cidr): bigint => 1n << BigInt(addressBits[cidr.family] - cidr.prefix);

export const firstOf = (cidr: Cidr): Address => ({ family: cidr.family, value: cidr.network });
export const lastOf = (cidr: Cidr): Address => ({ family: cidr.family, value: cidr.network + sizeOf(cidr) - 1n });

/** The address that names the network and that no host may have: with IPv6 it is the subnet-router anycast address. */
export const networkAddress = (cidr: Cidr): Address => firstOf(cidr);

/** IPv6 has no broadcast, and a /31 or /32 has no room for one. */
export const broadcastAddress = (cidr: Cidr): Address | undefined =>
  cidr.family === 'ipv4' && cidr.prefix <= 30 ? lastOf(cidr) : undefined;

export const contains = (cidr: Cidr, address: Address): boolean =>
  cidr.family === address.family && address.value >= cidr.network && address.value < cidr.network + sizeOf(cidr);

export const overlaps = (a: Cidr, b: Cidr): boolean =>
  a.family === b.family && a.network < b.network + sizeOf(b) && b.network < a.network + sizeOf(a);
