import { AUTHORITY_SOURCES, type Authorities } from '../hosted-cluster/authorities.ts';
import { type Family, familyOf, formatAddress } from '../net/ip.ts';
import { type ProbedDns, type ProbedEndpoint, type ProbeList, writeProbeList } from '../probes/probe-list.ts';
import { zoneFile } from './coredns.ts';
import type { ConfigFile } from './rendered.ts';
import { segmentMac } from './segment-mac.ts';
import { vips } from './segment-routes.ts';
import type { PlannedEndpoint, TenantPlan } from './tenant-plan.ts';
import { zoneSerial } from './zone-file.ts';

export const PROBES_FILE = 'probes.json';

/** The options whose form on the wire the prober can read back; the others are as Kea was told, and Kea refuses what it cannot send. */
const CHECKED_OPTIONS = [3, 6, 15, 26, 42, 121];

/** A zone may hold thousands of names; its serial proves them all, and these are asked for one by one. */
const MOST_QUESTIONS = 32;

export const probeFiles = (plan: TenantPlan, authorities: Authorities): readonly ConfigFile[] => [
  { container: 'probes', name: PROBES_FILE, content: writeProbeList(probeList(plan, authorities)) },
];

/** What must be so on the segment, in the words of those who look at it. */
export const probeList = (plan: TenantPlan, authorities: Authorities): ProbeList => ({
  tenant: plan.tenant,
  cidrs: Object.values(plan.addresses).map(({ cidr }) => cidr),
  edges: plan.edges.map((edge) => ({ name: edge.name, mac: segmentMac(plan, edge), addresses: Object.values(edge.addresses) })),
  vips: vips(plan),
  ...probedDhcp(plan),
  dns: probedDns(plan),
  endpoints: plan.endpoints.map((endpoint) => probedEndpoint(plan, endpoint, authorities)),
});

function probedDhcp(plan: TenantPlan): Pick<ProbeList, 'dhcp' | 'dhcp6'> {
  const { addresses, dhcp, edges } = plan;
  if (dhcp.serve === 'Nobody') return {};
  const of = (family: Family): string[] => edges.flatMap((edge) => edge.addresses[family] ?? []);
  const options = dhcp.options.filter(({ code }) => CHECKED_OPTIONS.includes(code));
  return {
    ...(addresses.ipv4 === undefined ? {} : { dhcp: { servers: of('ipv4'), options } }),
    ...(addresses.ipv6 === undefined
      ? {}
      : { dhcp6: { servers: edges.map((edge) => linkLocal(segmentMac(plan, edge))), resolvers: of('ipv6') } }),
  };
}

/** As the kernel makes it from the MAC (RFC 4291, appendix A). */
export function linkLocal(mac: string): string {
  const [first = 0, second = 0, third = 0, ...rest] = mac.split(':').map((byte) => Number.parseInt(byte, 16));
  const bytes = [0xfe, 0x80, 0, 0, 0, 0, 0, 0, first ^ 2, second, third, 0xff, 0xfe, ...rest];
  return formatAddress({ family: 'ipv6', value: bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n) });
}

/** Without the machines' own names: they come and go, and the serial tells whether they are served. */
function probedDns(plan: TenantPlan): ProbedDns {
  const machines = new Set(plan.dhcp.reservations.map(({ machine }) => `${machine}.${plan.segment.domain}`));
  const records = plan.names.flatMap((record) => ('address' in record && !machines.has(record.name) ? [record] : []));
  const questions = [...Map.groupBy(records, ({ name, type }) => `${name} ${type}`).values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ name: asked(first.name), type: first.type, addresses: [first, ...others].map(({ address }) => address).sort() }],
  );
  return {
    questions: questions.slice(0, MOST_QUESTIONS),
    serials: plan.dns.zones.map((zone) => ({ zone: zone.origin, serial: zoneSerial(zoneFile(plan, zone)) })),
    denied: hubNames(plan),
  };
}

/** Of a wildcard any name will do. */
const asked = (name: string): string => (name.startsWith('*.') ? `hcpio-probe${name.slice(1)}` : name);

/** One name of each domain of the hub that really exists there, unless it is one that we serve. */
function hubNames({ dns }: TenantPlan): string[] {
  const own = (name: string): boolean => dns.zones.some(({ origin }) => name === origin || name.endsWith(`.${origin}`));
  return dns.denied
    .filter((domain) => !domain.endsWith('.arpa') && domain !== 'hypershift.local')
    .map((domain) => (domain === 'cluster.local' ? 'kubernetes.default.svc.cluster.local' : `api.${domain}`))
    .filter((name) => !own(name));
}

/** Kubelets, agents and ignition trust the authority that HyperShift gave them and no other. Browsers and people trust whom they like. */
const TRUST: Readonly<Record<PlannedEndpoint['service'], { readonly by: keyof Authorities; readonly trust: ProbedEndpoint['trust'] }>> = {
  APIServer: { by: 'root', trust: 'required' },
  Konnectivity: { by: 'konnectivity', trust: 'required' },
  Ignition: { by: 'ignition', trust: 'required' },
  OAuthServer: { by: 'root', trust: 'usual' },
  MetricsProxy: { by: 'root', trust: 'usual' },
};

function probedEndpoint(plan: TenantPlan, { service, host, port }: PlannedEndpoint, authorities: Authorities): ProbedEndpoint {
  const { by, trust } = TRUST[service];
  const { kind, name } = AUTHORITY_SOURCES[by];
  return {
    service,
    host,
    port,
    addresses: host !== null && familyOf(host) !== undefined ? [host] : vips(plan),
    trust,
    ca: authorities[by] ?? null,
    caFrom: `${kind} ${plan.controlPlaneNamespace}/${name}`,
  };
}
