import { createHash } from 'node:crypto';
import { familyOf } from '../net/ip.ts';
import { block, line, quoted, type Statement, writeStatements } from './block-config.ts';
import { type ConfigFile, configDir } from './rendered.ts';
import { resolverAddress } from './resolver.ts';
import type { EdgePlan, TenantPlan, Zone } from './tenant-plan.ts';
import { writeZone, type ZoneFile } from './zone-file.ts';

/** On loopback: `health` and `ready` listen on every address by default, the segment's too. Probes are commands inside the container. */
export const DNS_STATUS = { health: '127.0.0.1:8080', ready: '127.0.0.1:8181', metrics: '127.0.0.1:9153' } as const;

/** Where CoreDNS says which Corefile it runs. A failed reload shows nowhere else: not in its readiness, and not in the hash that it reports. */
const MARK = { address: '127.0.0.1', port: 8153 } as const;

/** What the DNS server of one edge reads: the Corefile, which changes only when zones come and go, and the zones, which it reads again by itself. */
export const dnsFiles = (plan: TenantPlan, edge: EdgePlan): readonly ConfigFile[] => [
  file('Corefile', writeStatements(corefile(plan, edge), 'corefile')),
  ...plan.dns.zones.map((zone) => file(zoneFileName(zone.origin), writeZone(zoneFile(plan, zone)))),
];

/**
 * One block per zone, one for what is denied and, only with upstream resolvers, one for the rest of the world. CoreDNS takes the block with the
 * longest matching name, so a denied name is never forwarded and a published name inside a denied domain is still answered.
 *
 * Without upstreams there is no block for other names, and CoreDNS refuses them. REFUSED and not NXDOMAIN, because we do not know that the
 * name does not exist: a machine with another resolver goes on to ask that one, and a person sees at once that it is a matter of policy.
 */
function corefile(plan: TenantPlan, edge: EdgePlan): readonly Statement[] {
  const { zones, upstreams } = plan.dns;
  const own = new Set(zones.map(({ origin }) => origin));
  const denied = plan.dns.denied.filter((name) => !own.has(name));
  const answers: readonly Answers[] = [
    ...zones.map((zone) => ({ names: [zone.origin], by: zoneBody(plan, edge, zone) })),
    ...(denied.length === 0 ? [] : [{ names: denied, by: [NO_SUCH_NAME] }]),
    ...(upstreams.length === 0 ? [] : [{ names: ['.'], by: [CACHE, forward(upstreams, edge)] }]),
  ];
  const blocks = answers.map(({ names, by }, i) =>
    block(line`${names.map((name) => `${name}:53`)}`, [...common(plan, edge), ...(i === 0 ? ONCE : []), ...by]),
  );
  return [...blocks, marked(blocks)];
}

/** On loopback only: what is asked there, and by whom, is no business of the tenant. */
const marked = (blocks: readonly Statement[]): Statement =>
  block(line`${`version.bind:${MARK.port}`}`, [line`bind ${MARK.address}`, line`chaos ${hashOf(writeStatements(blocks, 'corefile'))}`]);

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

interface Answers {
  readonly names: readonly string[];
  readonly by: readonly Statement[];
}

/** In every block: blocks of one port must agree on `bind`, and only a block's own `acl` protects it. */
const common = ({ addresses: { ipv4, ipv6 } }: TenantPlan, edge: EdgePlan): readonly Statement[] => [
  line`bind ${present(edge.addresses.ipv4, edge.addresses.ipv6)}`,
  line`errors`,
  line`prometheus ${DNS_STATUS.metrics}`,
  block(line`acl`, [line`allow net ${present(ipv4?.cidr, ipv6?.cidr)}`, line`block`]),
  line`bufsize 1232`, // answers that fit into one packet on every network, so that none is fragmented
  line`any`, // the classic question of an amplification attack gets the smallest answer
  line`minimal`,
];

const present = (...values: readonly (string | undefined)[]): string[] => values.filter((value) => value !== undefined);

const ONCE: readonly Statement[] = [line`health ${DNS_STATUS.health}`, line`ready ${DNS_STATUS.ready}`, line`reload 2s 1s`];

/**
 * No cache in front of our own zones: they are in memory anyway, and the SOA that is served must be the one that is loaded. AAAA of a name with
 * only an A record is NOERROR with the SOA; `file` does that by itself, and `fallthrough` leaves it alone.
 */
function zoneBody({ dns }: TenantPlan, edge: EdgePlan, { origin, fallthrough }: Zone): readonly Statement[] {
  const open = fallthrough && dns.upstreams.length > 0 && !dns.denied.includes(origin);
  return [
    block(line`file ${`${configDir('dns')}/${zoneFileName(origin)}`} ${origin}`, [line`reload 2s`, ...(open ? [line`fallthrough`] : [])]),
    ...(open ? [forward(dns.upstreams, edge)] : []),
  ];
}

const SOA = quoted('{{ .Zone }} 60 IN SOA ns.{{ .Zone }} hostmaster.{{ .Zone }} 1 3600 600 86400 60');
const NO_SUCH_NAME = block(line`template IN ANY`, [line`rcode NXDOMAIN`, line`authority ${SOA}`]);

/** A short memory, a shorter one for failures, and the old answer for a while when the resolvers are away. */
const CACHE = block(line`cache 30`, [line`denial 9984 5`, line`serve_stale 1h verify`]);

/**
 * Only the addresses of the plan, never a file of the pod: its resolv.conf is the hub's. Sent from the edge's own address where one will do
 * for all, so that a query leaves by the segment or not at all.
 */
function forward(upstreams: readonly string[], { addresses }: EdgePlan): Statement {
  const families = new Set(upstreams.map((upstream) => familyOf(resolverAddress(upstream))));
  const [family] = families;
  const source = families.size === 1 && family !== undefined ? addresses[family] : undefined;
  return block(line`forward . ${upstreams}`, [
    line`max_concurrent 1000`,
    ...(source === undefined ? [] : [line`source_address ${source}`]),
  ]);
}

/** What every edge serves of a zone. */
export function zoneFile({ edges, segment }: TenantPlan, { origin, records }: Zone): ZoneFile {
  // RFC 2606 keeps .invalid free of real names; it stands here until the HostedCluster and its domain are known.
  const domain = segment.domain === '' ? 'hcpio.invalid' : segment.domain;
  const [first = `edge-a.${domain}`, ...others] = edges.map(({ name }) => `${name}.${domain}`);
  return { origin, servers: [first, ...others], contact: `hostmaster.${domain}`, records };
}

const LONGEST_KEY = 253;

/** Also the key in a ConfigMap, which is shorter than the longest name by less than the prefix. */
function zoneFileName(origin: string): string {
  const name = `db.${origin}`;
  return name.length <= LONGEST_KEY ? name : `db.${createHash('sha256').update(origin).digest('hex')}`;
}

const file = (name: string, content: string): ConfigFile => ({ container: 'dns', name, content });
