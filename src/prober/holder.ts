/** Who answers for the VIP, by the MAC address that the kernel learned when it was dialled. */
import { readFile } from 'node:fs/promises';
import type { ProbeList } from '../probes/probe-list.ts';

/** Of IPv4 only: the kernel shows its IPv6 neighbours to netlink alone. */
export async function findHolder({ vips, edges }: ProbeList): Promise<string | undefined> {
  const table = await readFile('/proc/net/arp', 'utf8').catch(() => '');
  const macs = neighbours(table);
  const holder = vips.flatMap((vip) => macs.get(vip) ?? [])[0];
  return edges.find(({ mac }) => mac === holder)?.name;
}

/** A row is the address, the hardware type, the flags (2: complete), the MAC, a mask and the interface. */
export function neighbours(table: string): ReadonlyMap<string, string> {
  const rows = table
    .split('\n')
    .slice(1)
    .map((row) => row.trim().split(/\s+/));
  return new Map(rows.flatMap(([address, , flags, mac]) => (address && mac && Number(flags) & 2 ? [[address, mac.toLowerCase()]] : [])));
}
