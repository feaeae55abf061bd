/** Whose MAC address answers for an address, as the kernel learned it when it was dialled. */
import { createSocket } from 'node:dgram';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProbeList } from '../probes/probe-list.ts';
import type { ProbeResult } from '../probes/report.ts';

/** Of IPv4 only: the kernel shows its IPv6 neighbours to netlink alone. */
const known = async (): Promise<ReadonlyMap<string, string>> => neighbours(await readFile('/proc/net/arp', 'utf8').catch(() => ''));

export interface Holders {
  /** The edge that answers for the VIP. */
  readonly holder?: string;
  /** What is to be told when it is somebody else. */
  readonly results: readonly ProbeResult[];
}

export const findHolder = async (list: ProbeList): Promise<Holders> => judgeHolder(list, await known());

export function judgeHolder({ vips, edges }: ProbeList, macs: ReadonlyMap<string, string>): Holders {
  const held = vips.flatMap((vip) => {
    const mac = macs.get(vip);
    return mac === undefined ? [] : [{ vip, mac, edge: edges.find((edge) => edge.mac === mac)?.name }];
  });
  const holder = held[0]?.edge;
  return {
    ...(holder === undefined ? {} : { holder }),
    results: held.filter(({ edge }) => edge === undefined).map(({ vip, mac }) => taken(vip, mac)),
  };
}

const taken = (vip: string, mac: string): ProbeResult => ({
  group: 'VIP',
  subject: vip,
  verdict: 'failed',
  message: `${mac} answers for it, and that is neither of the edges`,
  fix: `find the machine with MAC address ${mac} on the segment and take ${vip} from it; who believes it does not reach the gateway`,
  milliseconds: 0,
});

/** Nobody need listen there: to send the packet the kernel has to find out who has the address. */
const DISCARD = 9;
const LOOKS = 10;
const BETWEEN_MS = 50;

/** Undefined: nobody answers for it, or it is not of this link. */
export async function macOf(address: string): Promise<string | undefined> {
  const socket = createSocket('udp4');
  socket.on('error', () => {}); // refused, or unreachable
  try {
    socket.send('', DISCARD, address, () => {});
    for (let look = 0; look < LOOKS; look += 1) {
      await sleep(BETWEEN_MS);
      const mac = (await known()).get(address);
      if (mac !== undefined) return mac;
    }
    return undefined;
  } finally {
    socket.close();
  }
}

/** A row is the address, the hardware type, the flags (2: complete), the MAC, a mask and the interface. */
export function neighbours(table: string): ReadonlyMap<string, string> {
  const rows = table
    .split('\n')
    .slice(1)
    .map((row) => row.trim().split(/\s+/));
  return new Map(rows.flatMap(([address, , flags, mac]) => (address && mac && Number(flags) & 2 ? [[address, mac.toLowerCase()]] : [])));
}
