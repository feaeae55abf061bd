import { finding, type ObjectRef, Refusal } from '../api/finding.ts';
import { broadcastAddress, type Cidr, contains, formatCidr, lastOf, networkAddress } from './cidr.ts';
import { type Address, formatAddress, sameAddress } from './ip.ts';
import { type Range, subtract } from './ranges.ts';

/** One owner's wish for an address. */
export interface Claim<Owner extends string> {
  readonly owner: Owner;
  /** The address somebody chose; absent: the lowest address that is still free. */
  readonly pin?: Pin | undefined;
}

export interface Pin {
  readonly address: Address;
  /** The field that says so. */
  readonly path?: string | undefined;
  /** Why the owner has no choice, where no field of ours says so. */
  readonly because?: string | undefined;
}

/**
 * The usable addresses of a network that nobody has yet. All claims are made in one call, and pinned ones are served before planned
 * ones: a planned address can therefore never sit where somebody else was told to be, whatever the order of the claims.
 */
export class FreeList {
  readonly #cidr: Cidr;
  readonly #object: ObjectRef;
  #free: readonly Range[];

  constructor(cidr: Cidr, object: ObjectRef) {
    this.#cidr = cidr;
    this.#object = object;
    const { first, last } = usable(cidr);
    this.#free = [{ first, last }];
  }

  claimAll<Owner extends string>(claims: readonly Claim<Owner>[]): Map<Owner, Address> {
    const owners = new Map<Owner, Address>();
    const pinned = claims.filter((claim) => claim.pin);
    const planned = claims.filter((claim) => !claim.pin);
    for (const claim of [...pinned, ...planned]) {
      const address = claim.pin ? this.#checkPin(claim.owner, claim.pin, owners) : this.#lowest(claim.owner);
      this.#free = subtract(this.#free, [{ first: address.value, last: address.value }]);
      owners.set(claim.owner, address);
    }
    return owners;
  }

  /** What is left from an offset into the network upwards, without the given holes. */
  remaining(offset: bigint, holes: readonly Range[]): Range[] {
    const below = { first: this.#cidr.network, last: this.#cidr.network + offset - 1n };
    return subtract(this.#free, [below, ...holes]);
  }

  #lowest(owner: string): Address {
    const first = this.#free[0]?.first;
    if (first !== undefined) return { family: this.#cidr.family, value: first };
    throw new Refusal(
      finding('HCPIO-NET-010', {
        object: this.#object,
        path: 'spec.segment.cidrs',
        message: `no address of ${formatCidr(this.#cidr)} is left for ${owner}`,
        fix: 'use a larger network, or unpin an address',
      }),
    );
  }

  #checkPin<Owner extends string>(owner: Owner, { address, path, because }: Pin, owners: ReadonlyMap<Owner, Address>): Address {
    const where = { object: this.#object, path };
    const text = formatAddress(address);
    const unusable = whyUnusable(this.#cidr, address);
    if (unusable) {
      const { first, last } = usable(this.#cidr);
      const [low, high] = [first, last].map((value) => formatAddress({ family: this.#cidr.family, value }));
      const message = `${owner} cannot be ${text}${because ? `, where ${because}` : ''}: ${unusable}`;
      throw new Refusal(finding('HCPIO-NET-008', { ...where, message, fix: `choose an address from ${low} to ${high}` }));
    }
    const other = [...owners].find(([, taken]) => sameAddress(taken, address))?.[0];
    if (other === undefined) return address;
    const fix = because ? `give ${other} another address: on ${text} ${because}` : `give ${owner} another address`;
    throw new Refusal(finding('HCPIO-NET-009', { ...where, message: `${other} and ${owner} both want ${text}`, fix }));
  }
}

export const firstUsable = (cidr: Cidr): Address => ({ family: cidr.family, value: usable(cidr).first });

/** Everything but the network address and the broadcast address. */
function usable(cidr: Cidr): Range {
  const broadcast = broadcastAddress(cidr);
  return { first: networkAddress(cidr).value + 1n, last: broadcast ? broadcast.value - 1n : lastOf(cidr).value };
}

function whyUnusable(cidr: Cidr, address: Address): string | undefined {
  const text = formatCidr(cidr);
  const broadcast = broadcastAddress(cidr);
  if (!contains(cidr, address)) return `it lies outside the segment ${text}`;
  if (broadcast && sameAddress(broadcast, address)) return `it is the broadcast address of ${text}`;
  if (!sameAddress(networkAddress(cidr), address)) return undefined;
  return cidr.family === 'ipv4' ? `it is the network address of ${text}` : `it is the subnet-router anycast address of ${text}`;
}
