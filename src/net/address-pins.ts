import { quote } from '../api/field-problem.ts';
import type { ObjectRef } from '../api/finding.ts';
import type { AddressPins } from '../api/tenant-network.ts';
import { contains } from './cidr.ts';
import type { Pin } from './free-list.ts';
import { type Family, parseAddress } from './ip.ts';
import { familyName, refuse, type SegmentNetworks } from './segment.ts';

interface FamilyPins {
  readonly router: Pin | undefined;
  readonly edgeA: Pin | undefined;
  readonly edgeB: Pin | undefined;
  readonly vip: Pin | undefined;
  readonly prober: Pin | undefined;
}

interface PinInput {
  readonly object: ObjectRef;
  readonly router?: string | undefined;
  readonly pins: AddressPins;
  readonly publishedVip?: readonly string[] | undefined;
}

/** Reads the router and the pins, each an address or one of each family with a comma between, or refuses. */
export function readPins(
  { object, router, pins, publishedVip = [] }: PinInput,
  segment: SegmentNetworks,
): { readonly [family in Family]: FamilyPins } {
  const read = (path: string, text: string | undefined) => readPair(object, path, text, segment);
  const routers = read('spec.segment.router', router === 'None' ? undefined : router);
  const edgeA = read('spec.gateway.addresses.edgeA', pins.edgeA);
  const edgeB = read('spec.gateway.addresses.edgeB', pins.edgeB);
  const vip = read('spec.gateway.addresses.vip', pins.vip);
  const prober = read('spec.gateway.addresses.prober', pins.prober);
  const of = (family: Family): FamilyPins => ({
    router: routers[family],
    edgeA: edgeA[family],
    edgeB: edgeB[family],
    vip: vip[family] ?? published(publishedVip, family, segment),
    prober: prober[family],
  });
  return { ipv4: of('ipv4'), ipv6: of('ipv6') };
}

function readPair(object: ObjectRef, path: string, text: string | undefined, segment: SegmentNetworks): Partial<Record<Family, Pin>> {
  const pair: Partial<Record<Family, Pin>> = {};
  for (const part of text?.split(',') ?? []) {
    const address = parseAddress(part);
    if (!address)
      return refuse(
        'HCPIO-NET-002',
        object,
        path,
        `${quote(part)} is no IP address`,
        `write an address, or one of each family with a comma between`,
      );
    const name = familyName(address.family);
    if (pair[address.family]) refuse('HCPIO-NET-002', object, path, `${text} names two ${name} addresses`, `keep one ${name} address`);
    if (!segment[address.family]) {
      refuse(
        'HCPIO-NET-016',
        object,
        path,
        `${part} is an ${name} address, and the segment has no ${name} network`,
        `add an ${name} network to spec.segment.cidrs, or remove the address`,
      );
    }
    pair[address.family] = { address, path };
  }
  return pair;
}

/** Workers dial the published address itself, so where it is one of the segment's, the gateway has to answer there. */
function published(texts: readonly string[], family: Family, segment: SegmentNetworks): Pin | undefined {
  const cidr = segment[family];
  const address = texts.map(parseAddress).find((candidate) => cidr && candidate && contains(cidr, candidate));
  return address && { address, because: 'the cluster publishes its services' };
}
