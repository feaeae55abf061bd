/** IP addresses of both families on bigint, so that one arithmetic serves a /29 and a /64. */
export type Family = 'ipv4' | 'ipv6';

export interface Address {
  readonly family: Family;
  readonly value: bigint;
}

export const addressBits: Readonly<Record<Family, number>> = { ipv4: 32, ipv6: 128 };

const OCTET = /^(0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9a-f]{1,4}$/i;
const MAPPED_PREFIX = 0xffffn;

/**
 * Reads an address as strictly as the API server's isIP: no leading zeros in octets (some readers take them for octal), no zone ids,
 * no blanks, and no IPv4-mapped IPv6 (an IPv4 address in disguise that never appears on a wire).
 */
export function parseAddress(text: string): Address | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

/** The family of a text that is an address; nothing for any other text. */
export const familyOf = (text: string): Family | undefined => parseAddress(text)?.family;

/** The address of a text that somebody has already judged, such as a planned one. */
export function addressOf(text: string): Address {
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`${JSON.stringify(text)} is no IP address`);
  return address;
}

/** The one spelling of an address that we write and compare: RFC 5952 for IPv6. */
export const formatAddress = ({ family, value }: Address): string => (family === 'ipv4' ? formatIpv4(value) : formatIpv6(value));

export function compareAddresses(a: Address, b: Address): number {
  if (a.family !== b.family) return a.family === 'ipv4' ? -1 : 1;
  return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
}

export const sameAddress = (a: Address, b: Address): boolean => a.family === b.family && a.value === b.value;

const parseIpv4 = (text: string): Address | undefined => {
  const value = octets(text);
  return value === undefined ? undefined : { family: 'ipv4', value };
};

function octets(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => OCTET.test(part) && Number(part) <= 255)) return undefined;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function parseIpv6(text: string): Address | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, i) => groups(half, i === halves.length - 1));
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  // "::" stands for at least one group; without it all eight must be written.
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const all = [...head, ...Array<bigint>(missing).fill(0n), ...(tail ?? [])];
  const value = all.reduce((sum, group) => (sum << 16n) | group, 0n);
  return value >> 32n === MAPPED_PREFIX ? undefined : { family: 'ipv6', value };
}

/** The 16-bit groups on one side of "::"; the last may be spelled as an IPv4 address. */
function groups(text: string, last: boolean): bigint[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const result: bigint[] = [];
  for (const [i, part] of parts.entries()) {
    if (GROUP.test(part)) result.push(BigInt(`0x${part}`));
    else {
      const embedded = last && i === parts.length - 1 ? octets(part) : undefined;
      if (embedded === undefined) return undefined;
      result.push(embedded >> 16n, embedded & 0xffffn);
    }
  }
  return result;
}

const formatIpv4 = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');

function formatIpv6(value: bigint): string {
  const parts = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  const run = longestZeroRun(parts);
  if (run.length < 2) return parts.join(':');
  return `${parts.slice(0, run.start).join(':')}::${parts.slice(run.start + run.length).join(':')}`;
}

/** The first of the longest runs, as RFC 5952 4.2.3 asks. */
function longestZeroRun(parts: readonly string[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (const [i, part] of parts.entries()) {
    if (part !== '0') start = i + 1;
    else if (i + 1 - start > best.length) best = { start, length: i + 1 - start };
  }
  return best;
}
