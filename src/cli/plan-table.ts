import { hasErrors } from '../api/finding.ts';
import type { FamilyAddresses, NameRecord, OpenPort, PlannedListener, Range, TenantPlan } from '../gateway/tenant-plan.ts';
import { addressOf } from '../net/ip.ts';
import { drawTopology } from './drawing.ts';
import { findingsText, tally } from './findings-text.ts';
import { type Cell, columns, plural } from './layout.ts';
import type { PlacedFinding } from './load.ts';
import type { Theme } from './terminal.ts';

/** Beyond this many rows a list says how many more there are; `-o yaml` has them all. */
const MOST_ROWS = 20;

/** The plan as people paste it into a change request: the picture, then one table per question that a reviewer asks. */
export function planTable(plan: TenantPlan, findings: readonly PlacedFinding[], theme: Theme): string {
  const sections = [
    heading(plan, findings, theme),
    drawTopology(plan),
    titled('SEGMENT', segmentRows(plan, theme), theme),
    titled('ADDRESSES', addressRows(plan, theme), theme),
    titled('ENDPOINTS that the workers dial', endpointRows(plan, theme), theme),
    titled('NAMES served on the segment', nameRows(plan, theme), theme),
    ...listenerGroups(plan.listeners).map(({ addresses, rows }) =>
      titled(`LISTENERS on ${addresses.join(', ')}`, table(['port', 'accepts', 'forwards to'], rows, theme), theme),
    ),
    titled('UPSTREAMS that the gateway dials', upstreamRows(plan, theme), theme),
    titled('DHCP', dhcpRows(plan, theme), theme),
    titled('MACHINES', machineRows(plan, theme), theme),
    titled(
      'OPEN PORTS on the segment; everything else is dropped',
      table(['port', 'at', 'for'], plan.openPorts.map(openPortRow), theme),
      theme,
    ),
    [
      theme.strong(`FINDINGS: ${findings.length === 0 ? 'none' : tally(findings)}`),
      ...(findings.length === 0 ? [] : ['', ...findingsText(findings, theme)]),
    ],
  ];
  const text = sections.filter((section) => section.length > 0).map((section) => section.join('\n'));
  return `${text.join('\n\n')}\n`;
}

function heading(plan: TenantPlan, findings: readonly PlacedFinding[], theme: Theme): string[] {
  const verdict = hasErrors(findings) ? theme.bad('not ready: ') : theme.good('ready to render: ');
  return [theme.strong(`Tenant network ${plan.tenant}, mode ${plan.mode}`), `${verdict}${tally(findings)}`];
}

const titled = (title: string, rows: readonly string[], theme: Theme): string[] =>
  rows.length === 0 ? [] : [theme.strong(title), ...rows];

const table = (head: readonly string[], rows: readonly (readonly Cell[])[], theme: Theme): string[] =>
  rows.length === 0 ? [] : columns([head.map((text) => ({ text, paint: theme.faint })), ...rows]);

const facts = (rows: readonly (readonly [string, string])[], theme: Theme): string[] =>
  columns(rows.map(([name, value]) => [{ text: name, paint: theme.faint }, value]));

const segmentRows = ({ segment, dns, controlPlaneNamespace, edgeNamespace }: TenantPlan, theme: Theme): string[] =>
  facts(
    [
      ['attachment', segment.attachment],
      ['domain', segment.domain || '(not known yet)'],
      ['MTU', String(segment.mtu)],
      ['control plane', `namespace ${controlPlaneNamespace}`],
      ['edge', `namespace ${edgeNamespace}`],
      ['resolvers', dns.upstreams.length === 0 ? 'none: names that are not listed below do not resolve' : dns.upstreams.join(', ')],
    ],
    theme,
  );

function addressRows({ addresses }: TenantPlan, theme: Theme): string[] {
  const families = [addresses.ipv4, addresses.ipv6].filter((family) => family !== undefined);
  if (families.length === 0) return [];
  const row = (name: string, pick: (family: FamilyAddresses) => string | undefined): Cell[] => [
    { text: name, paint: theme.faint },
    ...families.map((family) => pick(family) ?? '-'),
  ];
  const pools = Math.max(...families.map((family) => family.pool.length));
  return columns([
    row('network', (family) => family.cidr),
    row('router', (family) => family.router ?? 'none'),
    row('edge-a', (family) => family.edgeA),
    row('VIP', (family) => family.vip),
    ...(families.some((family) => family.edgeB !== undefined) ? [row('edge-b', (family) => family.edgeB)] : []),
    ...(families.some((family) => family.prober !== undefined) ? [row('prober', (family) => family.prober)] : []),
    ...Array.from({ length: pools }, (_, index) =>
      row(index === 0 ? 'pool' : '', (family) => (family.pool[index] ? rangeText(family.pool[index]) : '')),
    ),
  ]);
}

const rangeText = ([first, last]: Range): string => `${first} - ${last} (${addressOf(last).value - addressOf(first).value + 1n})`;

const endpointRows = (plan: TenantPlan, theme: Theme): string[] =>
  table(
    ['service', 'published by', 'at', 'served by'],
    plan.endpoints.map((endpoint) => [
      endpoint.service,
      endpoint.strategy,
      endpoint.host === null ? '(not published yet)' : `${endpoint.host}:${endpoint.port ?? '?'}`,
      endpoint.upstream.replace(`${plan.controlPlaneNamespace}/`, ''),
    ]),
    theme,
  );

/** Names of machines stand in the table of machines, reverse names are only counted: nobody reviews them one by one. */
function nameRows(plan: TenantPlan, theme: Theme): string[] {
  const machines = new Set(plan.dhcp.reservations.map(({ machine }) => `${machine}.${plan.segment.domain}`));
  const shown = plan.names.filter((record) => record.type !== 'PTR' && !machines.has(record.name));
  const reverse = plan.names.filter((record) => record.type === 'PTR').length;
  const byName = [...Map.groupBy(shown, (record) => record.name)];
  const rows = table(
    ['name', 'type', 'points to'],
    capped(byName.map(([name, records]) => [name, records.map(({ type }) => type).join(' '), pointsTo(records, plan)])),
    theme,
  );
  const more = [
    ...(machines.size > 0 ? [plural(machines.size, 'machine name')] : []),
    ...(reverse > 0 ? [plural(reverse, 'reverse name')] : []),
  ];
  return more.length === 0 ? rows : [...rows, theme.faint(`  and ${more.join(' and ')}`)];
}

const pointsTo = (records: readonly NameRecord[], { addresses }: TenantPlan): string => {
  const targets = records.map((record) => ('address' in record ? record.address : record.target));
  const vips = [addresses.ipv4?.vip, addresses.ipv6?.vip];
  return targets.every((target) => vips.includes(target)) ? `${targets.join(', ')} (VIP)` : targets.join(', ');
};

interface ListenerGroup {
  readonly addresses: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Addresses that listen alike (the VIPs of both families) share a table. */
function listenerGroups(listeners: readonly PlannedListener[]): ListenerGroup[] {
  const byAddress = Map.groupBy(listeners, (listener) => listener.address);
  const alike = Map.groupBy(byAddress, ([, own]) => JSON.stringify(own.map(({ port, kind, routes }) => ({ port, kind, routes }))));
  return [...alike.values()].map((group) => ({
    addresses: group.map(([address]) => address),
    rows: (group[0]?.[1] ?? []).flatMap(listenerRows),
  }));
}

const listenerRows = (listener: PlannedListener): Cell[][] =>
  listener.routes.map((route, index) => [
    index === 0 ? String(listener.port) : '',
    route.sni !== null ? `TLS for ${route.sni}` : listener.kind === 'sni' ? 'TLS for any other name, or none' : 'any TCP connection',
    route.upstream,
  ]);

const DISCOVERY = { clusterIP: 'ClusterIP', pods: 'each pod', workers: 'each worker' } as const;

const upstreamRows = (plan: TenantPlan, theme: Theme): string[] =>
  table(
    ['upstream', 'by', 'at'],
    plan.upstreams.flatMap(({ upstream, discovery, endpoints }) => {
      const places =
        endpoints.length === 0
          ? ['(not known yet)']
          : endpoints.map(({ address, port }) => (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`));
      return capped(places.map((place, index) => [index === 0 ? upstream : '', index === 0 ? DISCOVERY[discovery] : '', place]));
    }),
    theme,
  );

const SERVED = {
  KnownMachines: "this tenant's machines only",
  Anyone: 'anyone on the segment',
  Nobody: 'nobody: another server does it',
} as const;

const dhcpRows = ({ dhcp }: TenantPlan, theme: Theme): string[] => [
  ...facts(
    [
      ['served to', SERVED[dhcp.serve]],
      ['lease', `${dhcp.leaseSeconds} s`],
    ],
    theme,
  ),
  ...table(
    ['option', 'name', 'value'],
    dhcp.options.map((option) => [String(option.code), option.name, option.data]),
    theme,
  ),
];

const machineRows = ({ dhcp }: TenantPlan, theme: Theme): string[] =>
  table(
    ['machine', 'MAC', 'address'],
    capped(
      dhcp.reservations.map(({ machine, mac, addresses }) => [
        machine,
        mac,
        [addresses.ipv4, addresses.ipv6].filter((address) => address !== undefined).join(', '),
      ]),
    ),
    theme,
  );

const capped = (rows: readonly (readonly Cell[])[]): (readonly Cell[])[] =>
  rows.length <= MOST_ROWS + 1
    ? [...rows]
    : [...rows.slice(0, MOST_ROWS), [`... and ${rows.length - MOST_ROWS} more (-o yaml has them all)`]];

const PLACES = { edge: 'the edges', vip: 'the VIP', any: 'the edges and broadcast' } as const;
const openPortRow = (open: OpenPort): Cell[] => [`${open.protocol}/${open.port}`, PLACES[open.on], open.purpose];
