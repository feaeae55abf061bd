import { type Finding, finding, type ObjectRef, Refusal } from '../api/finding.ts';
import type { AddressPins, Availability } from '../api/tenant-network.ts';
import { readPins } from './address-pins.ts';
import { type Cidr, formatCidr } from './cidr.ts';
import { type Claim, FreeList, firstUsable } from './free-list.ts';
import { type Address, type Family, formatAddress } from './ip.ts';
import { formatRange, type Range, rangeHolds, rangeSize, takeLowest } from './ranges.ts';
import { hasRoomForTwoEdges, type ReservedRange, readReserved, readSegment } from './segment.ts';

export interface AddressPlanInput {
  /** The object that a finding is about. */
  readonly object: ObjectRef;
  readonly cidrs: readonly string[];
  /** spec.segment.router: an address, one of each family with a comma between, 'None', or nothing for the first usable one. */
  readonly router?: string | undefined;
  readonly pins: AddressPins;
  readonly reserved: readonly string[];
  readonly availability: Availability;
  /** The most addresses per family that the pool takes. 0: no pool is wanted, because nobody is served. */
  readonly poolSize: number;
  /** Addresses on which the cluster publishes its services (NodePort); one inside the segment becomes the VIP unless a VIP is pinned. */
  readonly publishedVip?: readonly string[] | undefined;
}

export interface FamilyAddresses {
  readonly cidr: string;
  readonly router?: string;
  readonly edgeA: string;
  readonly vip: string;
  readonly edgeB?: string;
  /** Where the segment is looked at from; absent when no address is left for it. */
  readonly prober?: string;
  readonly pool: readonly (readonly [first: string, last: string])[];
}

export interface AddressPlan {
  readonly ipv4?: FamilyAddresses;
  readonly ipv6?: FamilyAddresses;
}

const ALL_OWNERS = ['the router', 'edge-a', 'the VIP', 'edge-b', 'the prober'] as const;
type Owner = (typeof ALL_OWNERS)[number];

/** Fixed addresses sit below it, so that a /24 reads .1 to .4 and its pool .10 to .254, with room for what people add by hand. */
const POOL_OFFSET = 10n;
/** From this prefix on offset 10 would leave too little: the pool of a /28 or /29 starts right after the fixed addresses. */
const SMALL_PREFIX = 28;

/**
 * Where each address of the segment goes, per family and with the same ordinals in both. The order of the claims is the order of the
 * layout. Reserved ranges only narrow the pool: one that covers a planned address is refused, because an address that a running
 * tenant's workers already dial must never move when somebody adds a range.
 */
export function planAddresses(input: AddressPlanInput): AddressPlan {
  const segment = readSegment(input);
  const reserved = readReserved(input, segment);
  const pins = readPins(input, segment);
  const plan = (family: Family, cidr: Cidr | undefined) =>
    cidr &&
    planFamily(
      input,
      cidr,
      claimsFor(input, cidr, pins[family]),
      reserved.filter((range) => range.family === family),
    );
  const ipv4 = plan('ipv4', segment.ipv4);
  const ipv6 = plan('ipv6', segment.ipv6);
  return { ...(ipv4 && { ipv4 }), ...(ipv6 && { ipv6 }) };
}

type FamilyPins = ReturnType<typeof readPins>[Family];

/**
 * A router that nobody named is where routers are, at the first usable address: it exists already, so it counts as pinned and never moves.
 * An address for edge-b is set aside also for a Single edge, wherever two would fit: making the tenant highly available later then
 * takes no machine's address.
 */
function claimsFor({ router, availability }: AddressPlanInput, cidr: Cidr, pins: FamilyPins): Claim<Owner>[] {
  const edgeB = availability === 'HighlyAvailable' || pins.edgeB !== undefined || hasRoomForTwoEdges(cidr);
  return [
    ...(router === 'None' ? [] : [{ owner: 'the router', pin: pins.router ?? { address: firstUsable(cidr) } } as const]),
    { owner: 'edge-a', pin: pins.edgeA },
    { owner: 'the VIP', pin: pins.vip },
    ...(edgeB ? [{ owner: 'edge-b', pin: pins.edgeB } as const] : []),
    ...(pins.prober === undefined ? [] : [{ owner: 'the prober', pin: pins.prober } as const]),
  ];
}

function planFamily(
  input: AddressPlanInput,
  cidr: Cidr,
  claims: readonly Claim<Owner>[],
  reserved: readonly ReservedRange[],
): FamilyAddresses {
  const free = new FreeList(cidr, input.object);
  const owners = free.claimAll(claims);
  if (input.availability === 'Single') owners.delete('edge-b');
  const planned = claims.filter((claim) => !claim.pin).flatMap(({ owner }) => entryOf(owners, owner));
  refuseReservedOwner(input.object, planned, reserved);

  const prober = owners.get('the prober') ?? spareAddress(cidr, free.remaining(1n, reserved), input.poolSize > 0 ? 1n : 0n);
  if (prober) owners.set('the prober', prober);
  const taken = prober ? [{ first: prober.value, last: prober.value }] : [];
  const left = free.remaining(isSmall(cidr) ? 1n : POOL_OFFSET, [...reserved, ...taken]);
  const pool = takeLowest(left, BigInt(input.poolSize));
  if (input.poolSize > 0 && rangeSize(pool) === 0n) throw new Refusal(emptyPool(input.object, cidr));
  return addressesOf(cidr, owners, pool);
}

/**
 * For the prober, whom nobody dials: it may stand anywhere and move, so it takes what everybody else left over. In a /24 that is .5; where
 * nothing is left below the pool, its last address, which is the likeliest to be free. At least `leave` addresses stay for the pool.
 */
function spareAddress(cidr: Cidr, spare: readonly Range[], leave: bigint): Address | undefined {
  const [first, last] = [spare[0]?.first, spare.at(-1)?.last];
  if (first === undefined || last === undefined || rangeSize(spare) <= leave) return undefined;
  const belowPool = !isSmall(cidr) && first < cidr.network + POOL_OFFSET;
  return { family: cidr.family, value: belowPool ? first : last };
}

const isSmall = (cidr: Cidr): boolean => cidr.family === 'ipv4' && cidr.prefix >= SMALL_PREFIX;

const entryOf = (owners: ReadonlyMap<Owner, Address>, owner: Owner): [Owner, Address][] => {
  const address = owners.get(owner);
  return address ? [[owner, address]] : [];
};

function addressesOf(cidr: Cidr, owners: ReadonlyMap<Owner, Address>, pool: readonly Range[]): FamilyAddresses {
  const text = (owner: Owner): string | undefined => {
    const address = owners.get(owner);
    return address && formatAddress(address);
  };
  const [router, edgeA, vip, edgeB, prober] = ALL_OWNERS.map(text);
  if (edgeA === undefined || vip === undefined) throw new Error('edge-a and the VIP are always claimed');
  return {
    cidr: formatCidr(cidr),
    ...(router !== undefined && { router }),
    edgeA,
    vip,
    ...(edgeB !== undefined && { edgeB }),
    ...(prober !== undefined && { prober }),
    pool: pool.map((range) => formatRange(cidr.family, range)),
  };
}

const fieldOf: Record<Owner, string> = {
  'the router': 'spec.segment.router',
  'edge-a': 'spec.gateway.addresses.edgeA',
  'the VIP': 'spec.gateway.addresses.vip',
  'edge-b': 'spec.gateway.addresses.edgeB',
  'the prober': 'spec.gateway.addresses.prober',
};

function refuseReservedOwner(object: ObjectRef, planned: readonly [Owner, Address][], reserved: readonly ReservedRange[]): void {
  for (const [owner, address] of planned) {
    const range = reserved.find((candidate) => rangeHolds(candidate, address.value));
    if (!range) continue;
    const text = formatAddress(address);
    throw new Refusal(
      finding('HCPIO-NET-009', {
        object,
        path: range.path,
        message: `the reserved range ${range.text} covers ${text}, which is planned for ${owner}`,
        fix: `pin ${owner} with ${fieldOf[owner]} (${text} keeps it where it is), or reserve a range without ${text}`,
      }),
    );
  }
}

const emptyPool = (object: ObjectRef, cidr: Cidr): Finding =>
  finding('HCPIO-NET-010', {
    object,
    path: 'spec.segment.reserved',
    message: `no address of ${formatCidr(cidr)} is left for the pool`,
    fix: 'reserve less, or use a larger network',
  });
