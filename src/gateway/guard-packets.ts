import { block, element, line, oneOf, type Statement } from './block-config.ts';
import { type Sighting, sighted, sightingSet } from './guard-sightings.ts';
import { HA_PORTS } from './kea.ts';
import { counted, counterOf, ETH0, LO, NET1, PEER0, replaceTable, VRRP } from './nft-table.ts';
import type { EdgePlan, Family, OpenPort, TenantPlan } from './tenant-plan.ts';

/** Far more than a worker has (20 to 40 to the API, 3 to konnectivity), and a tenth of what the gateway takes in all. */
const CONNECTIONS_PER_SOURCE = 2048;

const DROPS = ['segment', 'segment_connections', 'segment_out', 'hub_to_segment', 'peer', 'forward'] as const;
const drop = (reason: (typeof DROPS)[number]) => [...counted(`dropped_${reason}`), 'drop'];
const SIGHTINGS = ['passing', 'knocking', 'crowding'] as const satisfies readonly Sighting[];
const SENDER = ['ether', 'saddr'] as const;

/** What an edge is on the segment, in one family. */
interface Owned {
  readonly family: Family;
  readonly ip: 'ip' | 'ip6';
  readonly edge: string;
  readonly vip: string;
  readonly cidr: string;
}

/**
 * Linux answers on every interface for every address that it has, so binding a port to one address does not hide it from the others: what may
 * be asked from where is said here. The pod network keeps its NetworkPolicies; on the segment nothing else stands between a tenant and us.
 * (Raw sockets, which DHCPv4 needs, are not stopped by any of this: Kea itself knows whom it serves.)
 */
export function packetGuard(plan: TenantPlan, edge: EdgePlan): readonly Statement[] {
  const owned = ownedAddresses(plan, edge);
  return replaceTable('inet', 'hcpio', [
    ...DROPS.map((reason) => counterOf(`dropped_${reason}`)),
    ...SIGHTINGS.map(sightingSet),
    ...owned.map(clientSet),
    ...untracked(plan.openPorts),
    hook('input', 'drop', [
      line`iifname ${LO} accept`,
      line`iifname ${NET1} jump segment`,
      line`iifname ${PEER0} jump peer`,
      // The other half of the same weakness: what is published on the segment is not published on the hub.
      ...owned.map((own) => line`iifname ${ETH0} ${own.ip} daddr ${oneOf([own.edge, own.vip])} ${drop('hub_to_segment')}`),
      line`iifname ${ETH0} ip daddr ${edge.peer.address} ${drop('hub_to_segment')}`,
      line`iifname ${ETH0} accept`,
    ]),
    // Pods inherit ip_forward from their node. With this, no pod of ours is ever a way from the segment to the hub or back.
    hook('forward', 'drop', [
      // Not meant for the hub: a machine that has not heard yet that the VIP moved.
      ...owned.map((own) => line`iifname ${NET1} ${own.ip} daddr ${own.cidr} ${drop('forward')}`),
      line`iifname ${NET1} ${sighted('passing', ...SENDER)}`,
      line`${drop('forward')}`,
    ]),
    // The pod's address on the hub is never seen on the segment.
    hook(
      'output',
      'accept',
      owned.map((own) => line`oifname ${NET1} ${own.ip} saddr != ${oneOf(sources(own))} ${drop('segment_out')}`),
    ),
    block(line`chain segment`, segment(owned, plan.openPorts)),
    block(line`chain refused`, refused),
    block(line`chain crowded`, [line`${sighted('crowding', ...SENDER)}`, line`${drop('segment_connections')}`]),
    block(line`chain peer`, peer(edge)),
  ]);
}

function ownedAddresses({ addresses }: TenantPlan, edge: EdgePlan): readonly Owned[] {
  return (['ipv4', 'ipv6'] as const).flatMap((family) => {
    const [own, planned] = [edge.addresses[family], addresses[family]];
    if (own === undefined || planned === undefined) return [];
    return [{ family, ip: family === 'ipv4' ? 'ip' : 'ip6', edge: own, vip: planned.vip, cidr: planned.cidr }];
  });
}

const hook = (name: 'input' | 'forward' | 'output', policy: 'accept' | 'drop', rules: readonly Statement[]): Statement =>
  block(line`chain ${name}`, [line`type filter hook ${name} priority filter`, line`policy ${policy}`, ...rules]);

/** DNS and DHCP are one packet each way. Tracked, a flood of them with invented senders would fill the table that the gateway's connections need. */
function untracked(ports: readonly OpenPort[]): readonly Statement[] {
  const udp = oneOf(ports.filter(({ protocol }) => protocol === 'udp').map(({ port }) => port));
  if (udp.members.length === 0) return [];
  const chain = (name: 'prerouting' | 'output', rule: Statement) =>
    block(line`chain ${`untracked_${name}`}`, [line`type filter hook ${name} priority raw`, line`policy accept`, rule]);
  return [
    chain('prerouting', line`iifname ${NET1} udp dport ${udp} notrack`),
    chain('output', line`oifname ${NET1} udp sport ${udp} notrack`),
  ];
}

const clients = ({ ip }: Owned): string => `${ip}_clients`;
const clientSet = (own: Owned): Statement =>
  block(line`set ${clients(own)}`, [
    line`type ${own.family === 'ipv4' ? 'ipv4_addr' : 'ipv6_addr'}`,
    line`size 65535`,
    line`flags dynamic`,
  ]);

const segment = (owned: readonly Owned[], ports: readonly OpenPort[]): readonly Statement[] => [
  // First of all, and also for what looks like part of a connection: nothing on the segment is addressed to the pod's other addresses.
  ...owned.map((own) => line`${own.ip} daddr != ${oneOf(destinations(own))} goto refused`),
  line`icmp type redirect ${drop('segment')}`, // would count as related to a connection
  line`ct state ${oneOf(['established', 'related'])} accept`,
  line`ct state invalid ${drop('segment')}`,
  ...owned.flatMap(icmp),
  ...owned.map((own) => line`ct state new meta l4proto tcp add ${`@${clients(own)}`} ${tooMany(own)} goto crowded`),
  ...owned.flatMap((own) => openPorts(own, ports)),
  line`goto refused`,
];

/** Nobody knocks by broadcast, and what is neither is an echo of something older: neither tells of anybody who looks for open doors. */
const refused: readonly Statement[] = [
  line`meta pkttype host meta l4proto ${oneOf(['tcp', 'udp'])} ${sighted('knocking', ...SENDER)}`,
  line`${drop('segment')}`,
];

const tooMany = ({ ip }: Owned) => element(ip, 'saddr', 'ct', 'count', 'over', CONNECTIONS_PER_SOURCE);

/** Where a machine without an address, or one that looks for any server, sends its question. */
const DHCP: Readonly<Record<number, { readonly family: Family; readonly everyone: string }>> = {
  67: { family: 'ipv4', everyone: '255.255.255.255' },
  547: { family: 'ipv6', everyone: 'ff02::1:2' },
};

/** IPv6 also speaks to and from link-local addresses, to groups, and from no address at all while it looks for one. */
const destinations = ({ family, edge, vip }: Owned): string[] => [
  edge,
  vip,
  ...(family === 'ipv4' ? ['255.255.255.255'] : ['fe80::/10', 'ff02::/16']),
];
const sources = ({ family, edge, vip }: Owned): string[] => [edge, vip, ...(family === 'ipv4' ? [] : ['fe80::/10', '::'])];

/** Echo for people who look for a fault. Of neighbour discovery only what resolves addresses: no router and no redirect is believed. */
function icmp({ family, ip, edge, vip }: Owned): readonly Statement[] {
  const protocol = family === 'ipv4' ? 'icmp' : 'icmpv6';
  const echo = line`${ip} daddr ${oneOf([edge, vip])} ${protocol} type echo-request limit rate 100/second accept`;
  if (family === 'ipv4') return [echo];
  return [
    line`ip6 hoplimit 255 icmpv6 type ${oneOf(['nd-neighbor-solicit', 'nd-neighbor-advert'])} accept`,
    line`icmpv6 type mld-listener-query accept`, // a switch that snoops asks, or stops passing on neighbour solicitations
    echo,
  ];
}

function openPorts({ family, ip, edge, vip }: Owned, ports: readonly OpenPort[]): readonly Statement[] {
  const groups = (['udp', 'tcp'] as const).flatMap((protocol) => (['any', 'edge', 'vip'] as const).map((on) => ({ protocol, on })));
  return groups.flatMap(({ protocol, on }) => {
    const open = ports
      .filter((port) => port.protocol === protocol && port.on === on && (DHCP[port.port]?.family ?? family) === family)
      .map(({ port }) => port);
    if (open.length === 0) return [];
    const to = { any: [edge, vip, ...open.flatMap((port) => DHCP[port]?.everyone ?? [])], edge: [edge], vip: [vip] }[on];
    return [line`${ip} daddr ${oneOf(to)} ${protocol} dport ${oneOf(open)} accept`];
  });
}

/** Over the link come adverts and leases, from the one neighbour that it has. Kea asks for no password there. */
function peer({ peer: link }: EdgePlan): readonly Statement[] {
  const fromPeer = line`ether saddr ${link.peerMac} ip saddr ${link.peerAddress} ip daddr ${link.address}`.words;
  return [
    line`${fromPeer} ct state ${oneOf(['established', 'related'])} accept`,
    line`${fromPeer} meta l4proto ${VRRP} accept`,
    line`${fromPeer} tcp dport ${oneOf(Object.values(HA_PORTS))} accept`,
    line`${fromPeer} icmp type echo-request accept`,
    line`${drop('peer')}`,
  ];
}
