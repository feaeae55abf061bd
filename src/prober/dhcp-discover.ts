/** Asks for an address as a machine does that has none, listens to everybody who offers one, and takes none. */
import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { contains, readCidr } from '../net/cidr.ts';
import { parseAddress } from '../net/ip.ts';
import type { ProbedDhcp, ProbeList } from '../probes/probe-list.ts';
import type { ProbeResult } from '../probes/report.ts';
import { discover, type Offer, optionText, readOffer } from './dhcp-message.ts';
import type { Leg } from './leg.ts';
import { macOf } from './neighbours.ts';
import { since } from './stopwatch.ts';

const [SERVER, CLIENT] = [67, 68];
/** A reload costs Kea some packets, so one question may get lost: then it is asked again. */
const ASK_AT_MS = [0, 700];
/** Also when somebody has answered: the one that should not be there may be the slower one. */
const LISTEN_MS = 1500;

export interface DhcpFindings {
  readonly results: readonly ProbeResult[];
  readonly rogueServers: readonly string[];
}

export async function probeDhcp(list: ProbeList, dhcp: ProbedDhcp, leg: Leg): Promise<DhcpFindings> {
  if (dhcp.servers.length === 0) return { results: [], rogueServers: [] };
  const elapsed = since();
  try {
    const offers = await collectOffers(leg);
    const first = offers.find(({ server }) => dhcp.servers.includes(server));
    const milliseconds = first?.after ?? elapsed();
    return judgeOffers(list, dhcp, offers, milliseconds, await macsOf(strangers(dhcp, offers)));
  } catch (error) {
    const message = `cannot ask: ${(error as Error).message}`;
    const fix = 'run it as a user who may use UDP port 68, on a machine whose own DHCP client shares it';
    return {
      results: [{ group: 'DHCP', subject: 'DISCOVER', verdict: 'failed', message, fix, milliseconds: elapsed() }],
      rogueServers: [],
    };
  }
}

/**
 * Two sockets on one port: sent from our own address, because the kernel takes the interface of a broadcast from it and no route is needed;
 * received on any, because an answer by broadcast is not addressed to us.
 */
async function collectOffers({ ipv4, mac }: Leg): Promise<readonly (Offer & { readonly after: number })[]> {
  if (ipv4 === undefined) throw new Error('this machine has no IPv4 address on the segment');
  const transaction = randomInt(2 ** 32);
  const offers: (Offer & { readonly after: number })[] = [];
  const elapsed = since();
  const sockets: Socket[] = [];
  const open = async (address: string): Promise<Socket> => {
    const socket = createSocket({ type: 'udp4', reuseAddr: true });
    sockets.push(socket);
    socket.bind(CLIENT, address);
    await once(socket, 'listening');
    socket.on('message', (message) => {
      const offer = readOffer(message);
      if (offer?.transaction === transaction && offer.mac === mac) offers.push({ ...offer, after: elapsed() });
    });
    return socket;
  };
  try {
    await open('0.0.0.0');
    const sender = await open(ipv4);
    sender.setBroadcast(true);
    const question = discover(mac, transaction);
    let at = 0;
    for (const due of ASK_AT_MS) {
      await sleep(due - at);
      at = due;
      if (offers.length > 0) break;
      await new Promise<void>((resolve, reject) =>
        sender.send(question, SERVER, '255.255.255.255', (error) => (error ? reject(error) : resolve())),
      );
    }
    await sleep(LISTEN_MS - at);
    return offers;
  } finally {
    for (const socket of sockets) socket.close();
  }
}

const strangers = ({ servers }: ProbedDhcp, offers: readonly Offer[]): string[] =>
  [...new Set(offers.map(({ server }) => server))].filter((server) => !servers.includes(server)).sort();

/** By the address that a server calls itself by: it says nothing of where it really is, but a switch finds a MAC address. */
async function macsOf(servers: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(servers.map(async (server) => [server, await macOf(server)] as const));
  return new Map(found.flatMap(([server, mac]) => (mac === undefined ? [] : [[server, mac]])));
}

export function judgeOffers(
  list: ProbeList,
  dhcp: ProbedDhcp,
  offers: readonly Offer[],
  milliseconds: number,
  macs: ReadonlyMap<string, string> = new Map(),
): DhcpFindings {
  const own = offers.filter(({ server }) => dhcp.servers.includes(server));
  const rogueServers = strangers(dhcp, offers).map((server) => [server, ...(macs.has(server) ? [`(${macs.get(server)})`] : [])].join(' '));
  const base = { group: 'DHCP', milliseconds } as const;
  return {
    results: [{ ...base, subject: 'DISCOVER', ...verdictOn(list, dhcp, own) }, otherServers('other servers', rogueServers, milliseconds)],
    rogueServers,
  };
}

/** Not what they offer: that is another address every time. */
export const otherServers = (subject: string, rogues: readonly string[], milliseconds: number): ProbeResult =>
  rogues.length === 0
    ? { group: 'DHCP', subject, verdict: 'passed', message: 'nobody else gives out addresses', milliseconds }
    : {
        group: 'DHCP',
        subject,
        verdict: 'failed',
        message: `${rogues.join(', ')} gives out addresses as well`,
        fix: `find the machine with ${rogues.join(' or ')} on the segment and stop its DHCP server; whoever listens to it is lost`,
        milliseconds,
      };

type Verdict = Pick<ProbeResult, 'verdict' | 'message' | 'fix'>;

function verdictOn({ cidrs, edges }: ProbeList, { servers, options }: ProbedDhcp, offers: readonly Offer[]): Verdict {
  const [offer] = offers;
  if (offer === undefined) {
    const message = `neither of ${servers.join(', ')} offers an address`;
    return { verdict: 'failed', message, fix: 'look at the container dhcp of the edges: kubectl logs -c dhcp' };
  }
  const address = parseAddress(offer.address);
  const inside = address && cidrs.some((text) => containsAddress(text, address));
  const wrong = [
    ...(inside ? [] : [`the offered address ${offer.address} is not of the segment`]),
    ...options.flatMap(({ code, name, data }) => {
      const value = offer.options.get(code);
      const got = value && optionText(code, value);
      return got === data ? [] : [`option ${code} (${name}) is ${got ?? 'missing'} instead of ${data}`];
    }),
  ];
  const edge = edges.find(({ addresses }) => addresses.includes(offer.server));
  const who = `${edge?.name ?? 'an edge'} (${offer.server})`;
  if (wrong.length === 0) return { verdict: 'passed', message: `${who} offers an address with ${options.length} options as planned` };
  return { verdict: 'failed', message: `${who}: ${wrong.join('; ')}`, fix: 'wait until Kea has read its new configuration' };
}

const containsAddress = (text: string, address: NonNullable<ReturnType<typeof parseAddress>>): boolean => {
  const network = readCidr(text);
  return network !== undefined && contains(network, address);
};
