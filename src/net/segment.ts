import { quote } from '../api/field-problem.ts';
import { type Finding, finding, type ObjectRef, Refusal } from '../api/finding.ts';
import type { Availability } from '../api/tenant-network.ts';
import { type Cidr, contains, formatCidr, parseCidr } from './cidr.ts';
import type { Family } from './ip.ts';
import { type FamilyRange, parseRange } from './ranges.ts';

/** The networks of a segment, at most one per family. */
export type SegmentNetworks = { readonly [family in Family]: Cidr | undefined };

export interface ReservedRange extends FamilyRange {
  readonly path: string;
  readonly text: string;
}

interface SegmentInput {
  readonly object: ObjectRef;
  readonly cidrs: readonly string[];
  readonly reserved: readonly string[];
  readonly availability: Availability;
}

/** Two edges, a VIP and a router need four addresses, and a /29 has six: two would be left for machines and their replacements. */
const SMALLEST_FOR_TWO_EDGES = 28;

/** The shortest and longest prefixes that can be planned. One broadcast domain of more than a /16 cannot work; IPv6 hosts expect a /64. */
const prefixes: Record<Family, { readonly shortest: number; readonly longest: number }> = {
  ipv4: { shortest: 16, longest: 29 },
  ipv6: { shortest: 64, longest: 120 },
};

export const hasRoomForTwoEdges = (cidr: Cidr): boolean => cidr.family === 'ipv6' || cidr.prefix <= SMALLEST_FOR_TWO_EDGES;

/** Reads spec.segment.cidrs or refuses. */
export function readSegment({ object, cidrs, availability }: SegmentInput): SegmentNetworks {
  if (cidrs.length === 0)
    refuse('HCPIO-NET-006', object, 'spec.segment.cidrs', 'no CIDR is known for the segment', 'set spec.segment.cidrs');
  const networks: { [family in Family]: Cidr | undefined } = { ipv4: undefined, ipv6: undefined };
  for (const [i, text] of cidrs.entries()) {
    const path = `spec.segment.cidrs[${i}]`;
    const cidr = readNetwork(object, path, text);
    checkSize(object, path, cidr, availability);
    const other = networks[cidr.family];
    if (other) {
      const name = familyName(cidr.family);
      refuse(
        'HCPIO-NET-005',
        object,
        path,
        `${formatCidr(other)} and ${text} are both ${name}`,
        `keep one ${name} network: the segment has at most one per family`,
      );
    }
    networks[cidr.family] = cidr;
  }
  return networks;
}

function readNetwork(object: ObjectRef, path: string, text: string): Cidr {
  const parsed = parseCidr(text);
  if (parsed.kind === 'cidr') return parsed.cidr;
  if (parsed.kind === 'syntax')
    refuse('HCPIO-NET-002', object, path, `${quote(text)} is no network in CIDR notation`, 'write it as 192.168.100.0/24 or fd00:100::/64');
  const meant = formatCidr(parsed.meant);
  return refuse('HCPIO-NET-001', object, path, `${text} has host bits set`, `write ${meant} if that network is meant`);
}

function checkSize(object: ObjectRef, path: string, cidr: Cidr, availability: Availability): void {
  const { shortest, longest } = prefixes[cidr.family];
  const text = formatCidr(cidr);
  if (cidr.prefix < shortest) {
    refuse('HCPIO-NET-004', object, path, `${text} is too large for one segment`, `use a /${shortest} or smaller`);
  }
  if (cidr.prefix > longest) {
    refuse('HCPIO-NET-004', object, path, `${text} is too small for an edge and its machines`, `use a /${longest} or larger`);
  }
  if (availability === 'HighlyAvailable' && !hasRoomForTwoEdges(cidr)) {
    refuse(
      'HCPIO-NET-004',
      object,
      path,
      `${text} is too small for two edges and their machines`,
      `use a /${SMALLEST_FOR_TWO_EDGES} or larger, or set spec.gateway.availability to Single`,
    );
  }
}

/** Reads spec.segment.reserved or refuses: a range that is outside the segment protects nothing, so it is a mistake. */
export const readReserved = ({ object, reserved }: SegmentInput, segment: SegmentNetworks): ReservedRange[] =>
  reserved.map((text, i) => {
    const path = `spec.segment.reserved[${i}]`;
    const range = parseRange(text);
    if (!range) {
      return refuse(
        'HCPIO-NET-011',
        object,
        path,
        `${quote(text)} is no address, no first-last range and no CIDR`,
        'write it as 192.168.100.200, 192.168.100.200-192.168.100.220 or 192.168.100.192/27',
      );
    }
    const cidr = segment[range.family];
    const inside = cidr && [range.first, range.last].every((value) => contains(cidr, { family: range.family, value }));
    if (inside) return { ...range, path, text };
    const networks = [segment.ipv4, segment.ipv6].flatMap((network) => (network ? [formatCidr(network)] : [])).join(' and ');
    return refuse(
      'HCPIO-NET-011',
      object,
      path,
      `the reserved range ${text} lies outside the segment ${networks}`,
      `reserve addresses of ${networks} only`,
    );
  });

export const familyName = (family: Family): string => (family === 'ipv4' ? 'IPv4' : 'IPv6');

export function refuse(code: Finding['code'], object: ObjectRef, path: string, message: string, fix: string): never {
  throw new Refusal(finding(code, { object, path, message, fix }));
}
