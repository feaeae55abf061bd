import { createHash } from 'node:crypto';
import type { Allocation } from '../hosted-cluster/observed.ts';
import { addressOf, familyOf, formatAddress } from '../net/ip.ts';
import type { Family, Range, Reservation, TenantPlan } from './tenant-plan.ts';

/** A machine as far as DHCP is concerned. */
export interface LeaseHolder {
  readonly machine: string;
  readonly mac: string;
  /** What the machine was seen to use, in case no earlier plan is known. */
  readonly seen: readonly string[];
}

export interface ReservationPlan {
  readonly reservations: readonly Reservation[];
  /** Machines that the pool has no address for. */
  readonly left: readonly string[];
}

/**
 * One fixed address per machine and family. A machine keeps what an earlier plan gave it, else what it was seen to use; a new one starts
 * looking at a place of the pool that its name decides. So machines that come and go move nobody else, and an address that was just
 * given up, and may still be leased, is rarely the next one to be given out.
 */
export function planReservations(
  holders: readonly LeaseHolder[],
  addresses: TenantPlan['addresses'],
  allocations: readonly Allocation[],
): ReservationPlan {
  const earlier = new Map(allocations.map((allocation) => [allocation.mac, allocation.addresses]));
  const sorted = [...holders].sort((a, b) => (a.machine < b.machine ? -1 : a.machine > b.machine ? 1 : 0));
  const ipv4 = assign('ipv4', sorted, addresses.ipv4?.pool ?? [], earlier);
  const ipv6 = assign('ipv6', sorted, addresses.ipv6?.pool ?? [], earlier);
  const reservations = sorted.map((holder): Reservation => {
    const [v4, v6] = [ipv4.get(holder.mac), ipv6.get(holder.mac)];
    return {
      machine: holder.machine,
      mac: holder.mac,
      addresses: { ...(v4 === undefined ? {} : { ipv4: v4 }), ...(v6 === undefined ? {} : { ipv6: v6 }) },
    };
  });
  const lacks = (r: Reservation): boolean =>
    (addresses.ipv4 !== undefined && r.addresses.ipv4 === undefined) || (addresses.ipv6 !== undefined && r.addresses.ipv6 === undefined);
  return { reservations, left: reservations.filter(lacks).map((r) => r.machine) };
}

function assign(
  family: Family,
  holders: readonly LeaseHolder[],
  pool: readonly Range[],
  earlier: ReadonlyMap<string, readonly string[]>,
): Map<string, string> {
  const slots = new Slots(pool);
  const given = new Map<string, string>();
  const keep = (holder: LeaseHolder, wanted: readonly string[]): void => {
    const address = wanted.find((text) => familyOf(text) === family && slots.take(addressOf(text).value));
    if (address !== undefined) given.set(holder.mac, formatAddress(addressOf(address)));
  };
  for (const holder of holders) keep(holder, earlier.get(holder.mac) ?? []);
  for (const holder of holders) if (!given.has(holder.mac)) keep(holder, holder.seen);
  for (const holder of holders) {
    if (given.has(holder.mac)) continue;
    const value = slots.takeFrom(preferred(holder.machine));
    if (value !== undefined) given.set(holder.mac, formatAddress({ family, value }));
  }
  return given;
}

/** A number that the name alone decides, far apart for names that differ in one digit. */
const preferred = (name: string): bigint => createHash('sha256').update(name).digest().readBigUInt64BE();

/** The addresses of a pool as one row of numbered places. */
class Slots {
  readonly #ranges: readonly { readonly first: bigint; readonly size: bigint }[];
  readonly #size: bigint;
  readonly #taken = new Set<bigint>();

  constructor(pool: readonly Range[]) {
    this.#ranges = pool.map(([first, last]) => ({
      first: addressOf(first).value,
      size: addressOf(last).value - addressOf(first).value + 1n,
    }));
    this.#size = this.#ranges.reduce((sum, range) => sum + range.size, 0n);
  }

  take(value: bigint): boolean {
    const inside = this.#ranges.some((range) => value >= range.first && value < range.first + range.size);
    if (!inside || this.#taken.has(value)) return false;
    this.#taken.add(value);
    return true;
  }

  /** The first free address at or after a place of the row, around its end. */
  takeFrom(start: bigint): bigint | undefined {
    for (let step = 0n; step < this.#size; step++) {
      const value = this.#at((start + step) % this.#size);
      if (value !== undefined && this.take(value)) return value;
    }
    return undefined;
  }

  #at(place: bigint): bigint | undefined {
    let rest = place;
    for (const range of this.#ranges) {
      if (rest < range.size) return range.first + rest;
      rest -= range.size;
    }
    return undefined;
  }
}
