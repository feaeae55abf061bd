import { block, line, type Statement, writeStatements } from './block-config.ts';
import type { ConfigFile } from './rendered.ts';
import { edgeRules, hostPrefix, segmentRoutes, vipRules } from './segment-routes.ts';
import type { EdgePlan, TenantPlan } from './tenant-plan.ts';
import { fence } from './vip-fence.ts';

/** A backup waits for three adverts and part of a fourth (RFC 5798, 6.1); `vip-fence.ts` counts on it. */
const ADVERT_SECONDS = 0.2;

/** A restarted edge listens for this long before it may claim anything: longer than the link between the edges needs to come back. */
const STARTUP_SECONDS = 3;

/** The link belongs to one tenant, so the number only has to be the same on both ends of it. */
const ROUTER_ID = 77;

/**
 * Files that hold 0 or 1, written by the first process of the container and watched by keepalived. It runs no scripts: it may
 * change the network of the pod, so it executes nothing, and a number in a file is seen at once, without asking five times a second.
 * - `gateway-down`: the gateway of this edge does not answer, so the VIP should go to the other edge.
 * - `vip-elsewhere`: the peer is silent on the link, and yet the VIP answers on the segment. The link is broken, not the peer: taking the VIP
 *   would make two of it. To be 1 before keepalived starts, until the segment has been asked once.
 * - `yield`: somebody asked for the VIP to be given to the other edge. 1 for a moment only: when nobody takes it, it comes back.
 */
export const VIP_RUN_DIR = '/run/keepalived';
const TRACKED = [
  { name: 'gateway_down', file: `${VIP_RUN_DIR}/gateway-down` },
  { name: 'vip_elsewhere', file: `${VIP_RUN_DIR}/vip-elsewhere` },
  { name: 'yield', file: `${VIP_RUN_DIR}/yield` },
] as const;

/** What keeps the VIP and the routes of one edge. */
export const vipFiles = (plan: TenantPlan, edge: EdgePlan): readonly ConfigFile[] => [
  { container: 'vip', name: 'keepalived.conf', content: writeStatements(keepalived(plan, edge), 'keepalived') },
  { container: 'vip', name: 'fence.nft', content: writeStatements(fence(plan), 'nft') },
];

/** The same for a single edge: it hears nobody on the link and takes the VIP. */
function keepalived(plan: TenantPlan, edge: EdgePlan): readonly Statement[] {
  const held = ownIpv6(plan, edge);
  return [
    block(line`global_defs`, [line`router_id ${edge.name}`, ...GLOBALS]),
    ...(held.length === 0 ? [] : [block(line`static_ipaddress`, held.map(onNet1))]),
    block(line`static_routes`, segmentRoutes(plan, edge)),
    block(line`static_rules`, edgeRules(plan, edge)),
    ...pair(plan, edge),
  ];
}

const onNet1 = (prefix: string): Statement => line`${prefix} dev net1`;

/** A link that goes down loses its IPv6 addresses, not its IPv4 ones; keepalived puts them back. */
function ownIpv6({ addresses }: TenantPlan, edge: EdgePlan): readonly string[] {
  const [own, length] = [edge.addresses.ipv6, addresses.ipv6?.cidr.split('/')[1]];
  return own === undefined || length === undefined ? [] : [`${own}/${length}`];
}

const GLOBALS: readonly Statement[] = [
  line`vrrp_version 3`, // 2 has no intervals below a second
  line`vrrp_startup_delay ${STARTUP_SECONDS}`,
  line`vrrp_garp_master_delay 1`, // again after a second, for a switch that missed the first ones
  line`vrrp_garp_master_refresh 60`, // switches forget MACs after minutes, and the VIP may be silent for long
  line`max_auto_priority -1`, // no realtime scheduling: the container may not, and is not asked to
];

/** VRRP over the link between the edges and never over the segment: there a tenant with a higher priority took the VIP from both. */
const pair = (plan: TenantPlan, { peer, priority }: EdgePlan): readonly Statement[] => [
  ...TRACKED.map(({ name, file }) => block(line`track_file ${name}`, [line`file ${file}`, line`weight 0`, line`init_file 0`])),
  block(line`vrrp_instance segment`, [
    line`state BACKUP`, // both, or `nopreempt` would not hold
    line`nopreempt`, // a VIP that works stays where it is
    line`interface peer0`,
    line`virtual_router_id ${ROUTER_ID}`,
    line`priority ${priority}`,
    line`advert_int ${ADVERT_SECONDS}`,
    line`unicast_src_ip ${peer.address}`,
    block(line`unicast_peer`, [line`${peer.peerAddress} min_ttl 255 max_ttl 255`]), // a packet that was routed is not from the peer
    block(line`track_interface`, [line`net1`]),
    block(
      line`track_file`,
      TRACKED.map(({ name }) => line`${name}`),
    ),
    ...virtualAddresses(plan),
    block(line`virtual_rules`, vipRules(plan)),
  ]),
];

/**
 * One election for both families, so that they never part. The adverts travel over IPv4, and VRRP announces addresses of its own family
 * only: the IPv6 VIP is held and given up with the other, but not announced.
 */
const virtualAddresses = ({ addresses: { ipv4, ipv6 } }: TenantPlan): readonly Statement[] => [
  ipv4 === undefined ? line`no_virtual_ipaddress` : block(line`virtual_ipaddress`, [onNet1(hostPrefix(ipv4.vip))]),
  ...(ipv6 === undefined ? [] : [block(line`virtual_ipaddress_excluded`, [onNet1(hostPrefix(ipv6.vip))])]),
];
