import { readCidr } from '../net/cidr.ts';
import { reverseZone } from '../net/reverse-zone.ts';
import type { Domains } from './names.ts';
import type { NameRecord, TenantPlan, Zone } from './tenant-plan.ts';

export interface ZonesInput {
  readonly names: readonly NameRecord[];
  readonly domains: Domains;
  readonly addresses: TenantPlan['addresses'];
  readonly forwarding: boolean;
}

/**
 * The zones that the records live in. The cluster's own domain is ours as a whole; of every other parent we claim the exact published name
 * only, because Route hosts live under the hub's `*.apps`, which is shared with everybody.
 */
export function planZones({ names, domains, addresses, forwarding }: ZonesInput): Zone[] {
  const reverse = [addresses.ipv4?.cidr, addresses.ipv6?.cidr]
    .flatMap((cidr) => (cidr === undefined ? [] : (readCidr(cidr) ?? [])))
    .map(reverseZone);
  const wide = [domains.cluster, domains.apps, ...reverse].filter(
    (origin) => origin !== '' && names.some((record) => isUnder(record.name, origin)),
  );
  const origins = outermost(wide);
  const exact = [...new Set(names.map((record) => apex(record.name)).filter((name) => !origins.some((origin) => isUnder(name, origin))))];
  return [...origins, ...outermost(exact)].map((origin) => ({
    origin,
    // A shared domain may hold names of others, which only the upstream resolvers know. An exact name has nothing below it to ask for.
    fallthrough: forwarding && (origin === domains.cluster || origin === domains.apps),
    records: names.filter((record) => isUnder(record.name, origin)),
  }));
}

const apex = (name: string): string => (name.startsWith('*.') ? name.slice(2) : name);
const isUnder = (name: string, origin: string): boolean => name === origin || name.endsWith(`.${origin}`);

/** Without those that lie inside another one: a zone inside a zone would need a delegation. */
const outermost = (origins: readonly string[]): string[] =>
  [...new Set(origins)].filter((origin) => !origins.some((other) => other !== origin && isUnder(origin, other)));

const PRIVATE_REVERSE = [
  '10.in-addr.arpa',
  '168.192.in-addr.arpa',
  ...Array.from({ length: 16 }, (_, i) => `${16 + i}.172.in-addr.arpa`),
  '254.169.in-addr.arpa',
  '127.in-addr.arpa',
  'c.f.ip6.arpa',
  'd.f.ip6.arpa',
  '8.e.f.ip6.arpa',
];

/** What is never forwarded: the hub's own names, names that only exist inside clusters, and reverse names of private addresses. */
export const deniedZones = (hubDomains: readonly string[]): string[] => [
  ...new Set(['cluster.local', 'hypershift.local', ...hubDomains.filter((domain) => domain !== ''), ...PRIVATE_REVERSE]),
];
