/** The same question in IPv6: asked of all servers of the link, answered to our link-local address, and nothing is taken. */
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { contains, readCidr } from '../net/cidr.ts';
import { formatAddress, parseAddress } from '../net/ip.ts';
import type { ProbedDhcp6, ProbeList } from '../probes/probe-list.ts';
import type { ProbeResult } from '../probes/report.ts';
import { type DhcpFindings, otherServers } from './dhcp-discover.ts';
import { type Advertisement, readAdvertisement, solicit } from './dhcp6-message.ts';
import type { Leg } from './leg.ts';
import { since } from './stopwatch.ts';

const [SERVER, CLIENT] = [547, 546];
const ALL_SERVERS = 'ff02::1:2';
const ASK_AT_MS = [0, 700];
const LISTEN_MS = 1500;

export interface Advertised extends Advertisement {
  /** The server, by its link-local address. */
  readonly server: string;
}

export async function probeDhcp6(list: ProbeList, dhcp: ProbedDhcp6, leg: Leg): Promise<DhcpFindings> {
  const elapsed = since();
  try {
    return judgeAdvertised(list, dhcp, await collect(leg), elapsed());
  } catch (error) {
    const message = `cannot ask: ${(error as Error).message}`;
    const fix = 'run it as a user who may use UDP port 546, on a machine whose own DHCPv6 client leaves it free';
    return {
      results: [{ group: 'DHCP', subject: 'SOLICIT', verdict: 'failed', message, fix, milliseconds: elapsed() }],
      rogueServers: [],
    };
  }
}

async function collect({ device, linkLocal, mac }: Leg): Promise<readonly Advertised[]> {
  if (linkLocal === undefined) throw new Error('this machine has no link-local address on the segment');
  const transaction = randomInt(2 ** 24);
  const heard: Advertised[] = [];
  const socket = createSocket({ type: 'udp6', reuseAddr: true, ipv6Only: true });
  try {
    socket.bind(CLIENT, `${linkLocal}%${device}`);
    await once(socket, 'listening');
    socket.on('message', (message, { address }) => {
      const read = readAdvertisement(message);
      const server = parseAddress(address.split('%')[0] ?? '');
      if (read?.transaction === transaction && server) heard.push({ ...read, server: formatAddress(server) });
    });
    const question = solicit(mac, transaction);
    let at = 0;
    for (const due of ASK_AT_MS) {
      await sleep(due - at);
      at = due;
      if (heard.length > 0) break;
      await new Promise<void>((resolve, reject) =>
        socket.send(question, SERVER, `${ALL_SERVERS}%${device}`, (error) => (error ? reject(error) : resolve())),
      );
    }
    await sleep(LISTEN_MS - at);
    return heard;
  } finally {
    socket.close();
  }
}

export function judgeAdvertised(list: ProbeList, dhcp: ProbedDhcp6, heard: readonly Advertised[], milliseconds: number): DhcpFindings {
  // An edge whose kernel makes its link-local address in another way is told by what it says.
  const isOurs = ({ server, resolvers }: Advertised) => dhcp.servers.includes(server) || resolvers.join() === dhcp.resolvers.join();
  const own = heard.find(isOurs);
  const rogueServers = [...new Set(heard.filter((one) => !isOurs(one)).map(({ server }) => server))].sort();
  return {
    results: [
      { group: 'DHCP', subject: 'SOLICIT', ...verdictOn(list, dhcp, own), milliseconds },
      otherServers('other DHCPv6 servers', rogueServers, milliseconds),
    ],
    rogueServers,
  };
}

function verdictOn(
  { cidrs, edges }: ProbeList,
  { servers, resolvers }: ProbedDhcp6,
  own: Advertised | undefined,
): Pick<ProbeResult, 'verdict' | 'message' | 'fix'> {
  if (own === undefined) {
    const fix = 'look at the container dhcp of the edges: kubectl logs -c dhcp';
    return { verdict: 'failed', message: `neither of ${edges.map(({ name }) => name).join(', ')} advertises an address`, fix };
  }
  const networks = cidrs.flatMap((text) => readCidr(text) ?? []);
  const inside = own.addresses.some((text) => {
    const address = parseAddress(text);
    return address !== undefined && networks.some((network) => contains(network, address));
  });
  const wrong = [
    ...(inside ? [] : [`no address of the segment is advertised, but ${own.addresses.join(', ') || 'none'}`]),
    ...(own.resolvers.join() === resolvers.join()
      ? []
      : [`option 23 (dns-servers) is ${own.resolvers.join(', ') || 'missing'} instead of ${resolvers.join(', ')}`]),
  ];
  const edge = edges[servers.indexOf(own.server)]?.name ?? own.server;
  if (wrong.length > 0)
    return { verdict: 'failed', message: `${edge}: ${wrong.join('; ')}`, fix: 'wait until Kea has read its new configuration' };
  return { verdict: 'passed', message: `${edge} advertises an address and the resolvers as planned` };
}
