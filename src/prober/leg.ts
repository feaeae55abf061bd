/** This machine's own leg on the segment: the interface that has an address of it. The same on a worker and in the prober's pod. */
import { networkInterfaces } from 'node:os';
import { contains, readCidr } from '../net/cidr.ts';
import { parseAddress } from '../net/ip.ts';

export interface Leg {
  readonly device: string;
  readonly mac: string;
  readonly ipv4?: string;
  readonly ipv6?: string;
  /** The address that DHCPv6 is spoken from. */
  readonly linkLocal?: string;
}

export function findLeg(cidrs: readonly string[], interfaces = networkInterfaces()): Leg | undefined {
  const networks = cidrs.flatMap((text) => readCidr(text) ?? []);
  for (const [device, addresses = []] of Object.entries(interfaces)) {
    const own = addresses.flatMap((entry) => {
      const parsed = parseAddress(entry.address);
      return parsed && networks.some((network) => contains(network, parsed)) ? [{ ...entry, family: parsed.family }] : [];
    });
    const [first] = own;
    if (first === undefined) continue;
    const of = (family: 'ipv4' | 'ipv6') => own.find((entry) => entry.family === family)?.address;
    const [ipv4, ipv6] = [of('ipv4'), of('ipv6')];
    const linkLocal = addresses.find(({ address }) => address.startsWith('fe80:'))?.address;
    return { device, mac: first.mac, ...(ipv4 ? { ipv4 } : {}), ...(ipv6 ? { ipv6 } : {}), ...(linkLocal ? { linkLocal } : {}) };
  }
  return undefined;
}
