/** Whose an address of the segment was at a given time. Pure. */
import type { TenantNetworkStatus } from '../api/tenant-network-status.ts';

/** No name of a machine has brackets. */
export const PROBER = '(prober)';

export interface NameSources {
  readonly machines: readonly { readonly machine: string; readonly addresses: readonly string[] }[];
  readonly addresses: NonNullable<TenantNetworkStatus['addresses']>;
  /** When each machine was made, by name; absent where that could not be read. */
  readonly madeAt?: ReadonlyMap<string, string>;
}

export type NameOf = (address: string, at: string) => string | undefined;

/**
 * An address is a machine's own for as long as the machine exists, and may be another's afterwards. So a connection that is older than the
 * machine that has its address now was somebody else's, of whom nothing is left.
 */
export function namesOf({ machines, addresses, madeAt }: NameSources): NameOf {
  const owners = new Map(machines.flatMap(({ machine, addresses: own }) => own.map((address) => [address, machine] as const)));
  const probers = [addresses.ipv4?.prober, addresses.ipv6?.prober];
  return (address, at) => {
    if (probers.includes(address)) return PROBER;
    const owner = owners.get(address);
    const made = owner === undefined ? undefined : madeAt?.get(owner);
    return made !== undefined && Date.parse(at) < Date.parse(made) ? undefined : owner;
  };
}
