import type { ExtraRecord, GatewaySettings } from '../api/tenant-network.ts';
import { addressOf, familyOf } from '../net/ip.ts';
import { reverseName } from '../net/reverse-zone.ts';
import type { EdgePlan, NameRecord, PlannedEndpoint, Reservation, TenantPlan } from './tenant-plan.ts';

export interface NamesInput {
  readonly addresses: TenantPlan['addresses'];
  readonly edges: readonly EdgePlan[];
  readonly endpoints: readonly PlannedEndpoint[];
  readonly reservations: readonly Reservation[];
  readonly domains: Domains;
  readonly settings: Pick<GatewaySettings, 'apps' | 'dns'>;
  /** A further name of the API server that people use (kubeAPIServerDNSName). */
  readonly apiAlias?: string | undefined;
}

/** The cluster's own domain and the one of its apps; empty while unknown. */
export interface Domains {
  readonly cluster: string;
  readonly apps: string;
}

/** Every record of the segment, forward and reverse, each once. None before the addresses are known. */
export function planNames(input: NamesInput): NameRecord[] {
  const { domains, edges, endpoints, reservations, settings, apiAlias } = input;
  const vips = values(input.addresses.ipv4?.vip, input.addresses.ipv6?.vip);
  if (vips.length === 0) return [];
  const published = unique([
    ...endpoints.flatMap((e) => (e.host === null || familyOf(e.host) !== undefined ? [] : [e.host])),
    // HyperShift uses neither, but people and tools expect them.
    ...(domains.cluster === '' ? [] : [`api.${domains.cluster}`, `api-int.${domains.cluster}`]),
    ...values(apiAlias),
  ]).flatMap((name) => vips.map((address) => addressRecord(name, address)));
  const hosts = [
    ...edges.map(({ name, addresses }) => ({ name, addresses })),
    ...reservations.map(({ machine, addresses }) => ({ name: machine, addresses })),
  ]
    // A machine that is called like a service must not answer for it; a check tells.
    .filter(({ name }) => !published.some((record) => record.name === `${name}.${domains.cluster}`))
    .flatMap(({ name, addresses }) => hostRecords(name, domains.cluster, addresses));
  const forward = uniqueRecords([...published, ...appsRecords(input, vips), ...hosts, ...settings.dns.records.flatMap(extraRecord)]);
  return [...forward, ...reverseRecords([...published.filter((record) => record.name === `api.${domains.cluster}`), ...hosts])];
}

function appsRecords({ settings, domains, reservations }: NamesInput, vips: readonly string[]): NameRecord[] {
  if (settings.apps === 'Nobody' || domains.apps === '') return [];
  const targets = settings.apps === 'Gateway' ? vips : reservations.flatMap((r) => values(r.addresses.ipv4, r.addresses.ipv6));
  return targets.map((address) => addressRecord(`*.${domains.apps}`, address));
}

const hostRecords = (host: string, domain: string, addresses: EdgePlan['addresses']): NameRecord[] =>
  domain === '' ? [] : values(addresses.ipv4, addresses.ipv6).map((address) => addressRecord(`${host}.${domain}`, address));

function extraRecord(record: ExtraRecord): NameRecord[] {
  if (record.type !== 'A' && record.type !== 'AAAA') return [{ name: record.name, type: record.type, target: record.value }];
  return familyOf(record.value) === (record.type === 'A' ? 'ipv4' : 'ipv6') ? [addressRecord(record.name, record.value)] : [];
}

/** One PTR per address: the machine's or edge's own name; the VIP answers as the API. */
const reverseRecords = (records: readonly NameRecord[]): NameRecord[] =>
  [...new Map(records.flatMap((record) => ('address' in record ? [[record.address, record.name] as const] : [])))].map(
    ([address, target]) => ({
      name: reverseName(addressOf(address)),
      type: 'PTR',
      target,
    }),
  );

const addressRecord = (name: string, address: string): NameRecord => ({ name, type: familyOf(address) === 'ipv6' ? 'AAAA' : 'A', address });
const values = (...texts: readonly (string | undefined)[]): string[] => texts.filter((text) => text !== undefined);
const unique = (texts: readonly string[]): string[] => [...new Set(texts)];
const uniqueRecords = (records: readonly NameRecord[]): NameRecord[] => [
  ...new Map(records.map((record) => [JSON.stringify(record), record])).values(),
];
