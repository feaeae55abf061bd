/** What `hcpio status` tells people: the verdict, the picture, then one table per question. */
import type { Finding } from '../api/finding.ts';
import { age, duration } from './age.ts';
import { drawTopology } from './drawing.ts';
import { findingsText, tally } from './findings-text.ts';
import { type Cell, columns, paragraph, printable } from './layout.ts';
import type { MachineView } from './machine-steps.ts';
import { topologyOf } from './tenant-topology.ts';
import type { ConditionView, EdgeView, Gate, TenantView } from './tenant-view.ts';
import type { Theme } from './terminal.ts';
import { probeLines } from './verify-text.ts';

const MOST_MACHINES = 20;
/** In the table of all tenants a sentence ends here; the tenant's own status has it whole. */
const MOST_WORDS = 90;

export function statusText(view: TenantView, now: number, theme: Theme): string[] {
  const sections = [
    [
      theme.strong(`Tenant network ${view.tenant}, mode ${view.mode}`),
      verdict(view, now, theme),
      ...view.notes.map((note) => theme.doubtful(note)),
    ],
    drawTopology(topologyOf(view)),
    titled(
      'CONDITIONS',
      view.conditions.flatMap((condition) => conditionLines(condition, now, theme)),
      theme,
    ),
    titled('EDGES', edgeRows(view.edges, theme), theme),
    titled('ENDPOINTS that the workers dial', endpointRows(view, theme), theme),
    titled('NODEPOOLS', nodePoolRows(view, theme), theme),
    titled('MACHINES', machineRows(view, theme), theme),
    probeSection(view, theme),
    titled(
      'NOT SEEN',
      view.unseen.flatMap((note) => paragraph(printable(note), 2).map((line) => theme.doubtful(line))),
      theme,
    ),
    view.findings.length === 0 ? [] : [theme.strong(`FINDINGS: ${tally(findingsOf(view))}`), '', ...findingsText(findingsOf(view), theme)],
  ];
  return sections.filter((section) => section.length > 0).flatMap((section, index) => [...(index === 0 ? [] : ['']), ...section]);
}

/** One line per tenant. */
export function tenantsTable(views: readonly TenantView[], now: number, theme: Theme): string[] {
  const head = ['TENANT', 'READY', 'SINCE', 'VIP', 'EDGES', 'WORKERS', 'FREE', 'WAITS FOR'].map((text) => ({ text, paint: theme.faint }));
  return columns([head, ...views.map((view) => tenantRow(view, now, theme))], 0);
}

function tenantRow(view: TenantView, now: number, theme: Theme): Cell[] {
  const ready = view.conditions.find(({ type }) => type === 'Ready');
  const vips = familiesOf(view).map(({ vip }) => vip);
  return [
    view.tenant,
    view.ready ? { text: 'yes', paint: theme.good } : { text: 'no', paint: theme.bad },
    ready === undefined ? '-' : age(ready.lastTransitionTime, now),
    vips.join(',') || '-',
    view.edges.length === 0 ? '-' : `${view.edges.filter((edge) => edge.ready).length}/${view.edges.length}`,
    String(view.workers),
    view.pool === undefined ? '-' : String(view.pool.size - view.pool.used),
    view.ready ? '' : cut(view.notes[0] ?? waitsFor(view)),
  ];
}

const cut = (text: string): string => (text.length <= MOST_WORDS ? text : `${text.slice(0, MOST_WORDS - 1)}…`);

function verdict(view: TenantView, now: number, theme: Theme): string {
  const ready = view.conditions.find(({ type }) => type === 'Ready');
  const since = ready === undefined ? '' : ` for ${age(ready.lastTransitionTime, now)}`;
  return view.ready
    ? theme.good(`ready${since}`)
    : theme.bad(`not ready${since}${view.conditions.length === 0 ? '' : `, waits for ${waitsFor(view)}`}`);
}

/** The first condition that is not True: the others wait for it. */
export function waitsFor({ conditions }: TenantView): string {
  const first =
    conditions.find(({ type, status }) => type !== 'Ready' && status !== 'True') ?? conditions.find(({ status }) => status !== 'True');
  return first === undefined ? 'the operator' : `${first.type}: ${printable(first.message)}`;
}

const titled = (title: string, rows: readonly string[], theme: Theme): string[] =>
  rows.length === 0 ? [] : [theme.strong(title), ...rows];

const table = (head: readonly string[], rows: readonly (readonly Cell[])[], theme: Theme): string[] =>
  rows.length === 0 ? [] : columns([head.map((text) => ({ text, paint: theme.faint })), ...rows]);

const TYPE_WIDTH = 'NodePoolsReleased'.length;
const AGE_WIDTH = 'SINCE'.length;
const TEXT_COLUMN = 2 + 1 + 2 + TYPE_WIDTH + 2 + AGE_WIDTH + 2;

/** Below what is not True stands what that means. */
function conditionLines({ type, status, lastTransitionTime, message, meaning }: ConditionView, now: number, theme: Theme): string[] {
  const [mark, paint] = { True: ['✓', theme.good], False: ['✗', theme.bad], Unknown: ['?', theme.doubtful] }[status] as [
    string,
    Theme['good'],
  ];
  const since = age(lastTransitionTime, now);
  const [first = '', ...more] = paragraph(printable(message), TEXT_COLUMN).map((line) => line.trimStart());
  const indent = ' '.repeat(TEXT_COLUMN);
  return [
    `  ${paint(mark)}  ${type.padEnd(TYPE_WIDTH)}  ${since.padEnd(AGE_WIDTH)}  ${first}`,
    ...more.map((line) => `${indent}${line}`),
    ...(status === 'True' || echoes(message, meaning) ? [] : paragraph(meaning, TEXT_COLUMN).map((line) => theme.faint(line))),
  ];
}

/** Some messages say all that the reason means. */
const echoes = (message: string, meaning: string): boolean => message.toLowerCase().includes(meaning.toLowerCase().replace(/\.$/, ''));

const edgeRows = (edges: readonly EdgeView[], theme: Theme): string[] =>
  table(
    ['edge', 'pod', 'node', 'net1', 'VIP', 'state'],
    edges.map(({ name, pod, node, net1, holdsVip, ready, trouble }) => [
      name,
      pod ?? '-',
      node ?? '-',
      net1.join(', ') || '-',
      { true: 'holds it', false: 'stands by', undefined: '-' }[String(holdsVip)] ?? '-',
      ready
        ? { text: 'ready', paint: theme.good }
        : { text: `not ready${trouble === undefined ? '' : `: ${printable(trouble)}`}`, paint: theme.bad },
    ]),
    theme,
  );

const endpointRows = ({ endpoints, controlPlaneNamespace }: TenantView, theme: Theme): string[] =>
  table(
    ['service', 'at', 'served by', 'from the segment'],
    endpoints.map(({ service, host, port, upstream, ready }) => [
      service,
      host === undefined ? '(not published yet)' : `${host}:${port ?? '?'}`,
      upstream.replace(`${controlPlaneNamespace}/`, ''),
      ready ? { text: 'answers', paint: theme.good } : { text: 'not proven', paint: theme.doubtful },
    ]),
    theme,
  );

const GATES: Readonly<Record<Gate, string>> = {
  held: 'held by hcpio until the segment is proven',
  released: 'released',
  paused: 'paused by somebody else (spec.pausedUntil)',
  free: 'not held',
};

const nodePoolRows = ({ nodePools }: TenantView, theme: Theme): string[] =>
  table(
    ['NodePool', 'nodes', 'gate'],
    nodePools.map(({ name, nodes, replicas, gate }) => [
      name,
      replicas === undefined ? String(nodes) : `${nodes} of ${replicas}`,
      { text: GATES[gate], paint: gate === 'held' || gate === 'paused' ? theme.doubtful : theme.good },
    ]),
    theme,
  );

const machineRows = ({ machines }: TenantView, theme: Theme): string[] => {
  const rows = machines.slice(0, MOST_MACHINES).map((machine) => machineRow(machine, theme));
  const more = machines.length - rows.length;
  const head = ['machine', 'MAC', 'address', 'VM', 'lease', 'reached', 'Node'];
  return table(head, more > 0 ? [...rows, [`... and ${more} more (-o yaml has them all)`]] : rows, theme);
};

/** - is not known: it could not be asked (a note says why), or nobody says it. */
const machineRow = ({ machine, mac, addresses, phase, hubNode, lease, reached, registered, ready }: MachineView, theme: Theme): Cell[] => [
  machine,
  mac,
  addresses.join(', '),
  phase === undefined ? '-' : `${phase}${hubNode === undefined ? '' : ` on ${hubNode}`}`,
  lease === undefined ? '-' : lease === 'none' ? { text: 'not asked for', paint: theme.doubtful } : lease,
  reached === undefined ? '-' : reached.join(', ') || { text: 'nothing yet', paint: theme.doubtful },
  nodeCell(registered, ready, theme),
];

function nodeCell(registered: boolean | undefined, ready: boolean | undefined, theme: Theme): Cell {
  if (ready === true) return { text: 'Ready', paint: theme.good };
  if (ready === false && registered) return { text: 'registered, not Ready', paint: theme.bad };
  return registered === undefined ? '-' : registered ? 'registered' : { text: 'not registered', paint: theme.doubtful };
}

const probeSection = ({ probes }: TenantView, theme: Theme): string[] =>
  probes === undefined
    ? []
    : [theme.strong(`PROBES from the segment, ${duration(probes.ageSeconds)} ago`), ...probeLines(probes.results, theme)];

/** Written by the operator of some version; the code is shown as it is. */
const findingsOf = ({ findings }: TenantView): readonly Finding[] => findings as readonly Finding[];

const familiesOf = ({ addresses }: TenantView) => [addresses.ipv4, addresses.ipv6].flatMap((family) => family ?? []);
