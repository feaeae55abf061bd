import { addressBits, addressOf } from '../net/ip.ts';
import { line, type Statement } from './block-config.ts';
import { resolverAddress } from './resolver.ts';
import type { EdgePlan, Family, TenantPlan } from './tenant-plan.ts';

/**
 * The table by which everything leaves that belongs on the segment. Not the one that the `sbr` plugin fills when the pod is made: a link that
 * goes down and up again empties that one for good, while keepalived restores its own routes. And keepalived takes its routes away when it is
 * stopped; the edge's own address then still finds the way in the table of `sbr`.
 */
export const HEALED_TABLE = 101;

/** Before every rule of the pod network. The order among them does not matter: they all lead to the same table. */
const PRIORITY = { fromVip: 90, fromEdge: 91, toSegment: 92, toResolver: 93 } as const;

/** Worse than any route that a person would add, so it is reached only when there is no other. */
const LAST_METRIC = 4_278_198_272;

const families = ['ipv4', 'ipv6'] as const;
const EVERYTHING: Readonly<Record<Family, string>> = { ipv4: '0.0.0.0/0', ipv6: '::/0' };

/**
 * The segment itself first, straight over net1: an answer to a neighbour needs no router, and must not need one. Then the router for those who
 * are further away. What finds neither is dropped, because the next table to be asked would send it into the pod network.
 */
export const segmentRoutes = ({ addresses }: TenantPlan, edge: EdgePlan): readonly Statement[] =>
  families.flatMap((family) => {
    const [planned, own] = [addresses[family], edge.addresses[family]];
    if (planned === undefined || own === undefined) return [];
    const all = EVERYTHING[family];
    return [
      line`${planned.cidr} dev net1 ${family === 'ipv4' ? ['scope', 'link'] : []} src ${own} table ${HEALED_TABLE}`,
      ...(planned.router === undefined ? [] : [line`${all} via ${planned.router} dev net1 src ${own} table ${HEALED_TABLE}`]),
      line`unreachable ${all} table ${HEALED_TABLE} metric ${LAST_METRIC}`,
    ];
  });

/**
 * Who looks into that table at all times: what is sent from the edge's own address, and what is dialled from here without a thought of where it
 * leaves. The tenant's resolvers are asked over the tenant's network, whatever their addresses may mean on the hub.
 */
export const edgeRules = ({ addresses, dns }: TenantPlan, edge: EdgePlan): readonly Statement[] => [
  ...families.flatMap((family) => {
    const [planned, own] = [addresses[family], edge.addresses[family]];
    if (planned === undefined || own === undefined) return [];
    return [rule('from', hostPrefix(own), PRIORITY.fromEdge), rule('to', planned.cidr, PRIORITY.toSegment)];
  }),
  ...[...new Set(dns.upstreams.map(resolverAddress))]
    .filter((address) => addresses[addressOf(address).family] !== undefined)
    .map((address) => rule('to', hostPrefix(address), PRIORITY.toResolver)),
];

/** Who looks into it only while this edge holds the VIP. */
export const vipRules = (plan: TenantPlan): readonly Statement[] =>
  vips(plan).map((vip) => rule('from', hostPrefix(vip), PRIORITY.fromVip));

export const vips = ({ addresses }: TenantPlan): readonly string[] => families.flatMap((family) => addresses[family]?.vip ?? []);

/** With the prefix of a single host: a second address of the segment's prefix would go and come with the first one. */
export const hostPrefix = (address: string): string => `${address}/${addressBits[addressOf(address).family]}`;

const rule = (selector: 'from' | 'to', prefix: string, priority: number): Statement =>
  line`${selector} ${prefix} lookup ${HEALED_TABLE} priority ${priority}`;
