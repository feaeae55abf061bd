import { firstOf, lastOf, parseCidr } from './cidr.ts';
import { type Address, type Family, formatAddress, parseAddress } from './ip.ts';

/** Addresses from first to last, both included, of one family that the context knows. */
export interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

export interface FamilyRange extends Range {
  readonly family: Family;
}

/** Reads `a`, `a-b` or a CIDR. A range that ends before it starts, or that mixes families, is none. */
export function parseRange(text: string): FamilyRange | undefined {
  if (text.includes('/')) {
    const parsed = parseCidr(text);
    return parsed.kind === 'cidr' ? between(firstOf(parsed.cidr), lastOf(parsed.cidr)) : undefined;
  }
  const ends = text.split('-');
  if (ends.length > 2) return undefined;
  const [first, last] = ends.map(parseAddress);
  return first && (ends.length === 1 ? between(first, first) : last && between(first, last));
}

const between = (first: Address, last: Address): FamilyRange | undefined =>
  first.family === last.family && first.value <= last.value ? { family: first.family, first: first.value, last: last.value } : undefined;

export const rangeHolds = (range: Range, value: bigint): boolean => value >= range.first && value <= range.last;

export const rangeSize = (ranges: readonly Range[]): bigint => ranges.reduce((sum, range) => sum + range.last - range.first + 1n, 0n);

/** What is left of sorted disjoint ranges when the holes are taken out; sorted and disjoint again, whatever the holes look like. */
export const subtract = (ranges: readonly Range[], holes: readonly Range[]): Range[] => holes.reduce<Range[]>(subtractOne, [...ranges]);

const subtractOne = (ranges: readonly Range[], hole: Range): Range[] =>
  ranges.flatMap((range) => {
    if (hole.last < range.first || hole.first > range.last) return [range];
    const before = { first: range.first, last: hole.first - 1n };
    const after = { first: hole.last + 1n, last: range.last };
    return [before, after].filter((part) => part.first <= part.last);
  });

/** The lowest `count` addresses of sorted ranges. */
export function takeLowest(ranges: readonly Range[], count: bigint): Range[] {
  const taken: Range[] = [];
  let wanted = count;
  for (const range of ranges) {
    if (wanted <= 0n) break;
    const surplus = range.last - range.first + 1n - wanted;
    taken.push({ first: range.first, last: surplus > 0n ? range.last - surplus : range.last });
    wanted = -surplus;
  }
  return taken;
}

export const formatRange = (family: Family, range: Range): [first: string, last: string] => [
  formatAddress({ family, value: range.first }),
  formatAddress({ family, value: range.last }),
];
