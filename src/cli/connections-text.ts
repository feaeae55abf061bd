/** What `hcpio connections` tells people: one line per connection, in columns that are wide enough for what the tenant is known to have. */
import { hostOf, portOf } from './access-log.ts';
import { duration } from './age.ts';
import type { Connection } from './connection-view.ts';
import { printable } from './layout.ts';
import type { TenantView } from './tenant-view.ts';
import type { Theme } from './terminal.ts';

/** Lines are printed as they come, so the widths are settled before. */
export interface ConnectionTable {
  readonly head: string;
  readonly row: (connection: Connection) => string;
}

type Row = readonly [time: string, edge: string, vm: string, address: string, dialled: string, upstream: string, ...rest: string[]];

const HEAD: Row = ['TIME', 'EDGE', 'VM', 'ADDRESS', 'DIALLED', 'UPSTREAM', 'SENT', 'RECEIVED', 'TOOK', 'END'];
const NUMBERS = 6;

export function connectionTable(view: TenantView, theme: Theme): ConnectionTable {
  const own = `${view.controlPlaneNamespace}/`;
  const widest = (texts: readonly string[], least: number): number => Math.max(least, ...texts.map(({ length }) => length));
  const widths = [
    '2026-01-02T03:04:05Z'.length,
    'edge-a'.length,
    widest(
      view.machines.map(({ machine }) => machine),
      'VM'.length,
    ),
    widest(
      view.machines.flatMap(({ addresses }) => addresses),
      'ADDRESS'.length,
    ),
    widest(
      view.endpoints.flatMap(({ host, port }) => (host === undefined ? [] : [`${host}:${port}`])),
      'DIALLED'.length,
    ),
    widest(
      view.endpoints.map(({ upstream }) => upstream.replace(own, '')),
      'UPSTREAM'.length,
    ),
    ...['SENT', 'RECEIVED', 'TOOK'].map((name) => Math.max(name.length, '12.3 kB'.length)),
  ];
  const line = (row: Row): string =>
    row
      .map((cell, index) =>
        index >= NUMBERS && index < widths.length ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return {
    head: theme.faint(line(HEAD)),
    row: (connection) => {
      const [end, paint] = endOf(connection, theme);
      return `${line(cellsOf(connection, own))}  ${paint(end)}`;
    },
  };
}

const cellsOf = (c: Connection, own: string): Row => [
  new Date(c.start).toISOString().replace(/\.\d+Z$/, 'Z'),
  c.edge,
  printable(c.machine ?? '-'),
  printable(hostOf(c.client)),
  printable(c.sni ? `${c.sni}:${portOf(c.listener)}` : c.listener),
  printable((c.upstream ?? '-').replace(own, '')),
  // Nothing is counted before the end.
  ...(c.event === 'TcpConnectionEnd' ? [size(c.bytesFromClient), size(c.bytesToClient), took(c.durationMs ?? 0)] : ['-', '-', '-']),
];

/** Envoy's flags that a gateway without HTTP can show, in words. */
const FLAGS: Readonly<Record<string, string>> = {
  UF: 'the service did not take the connection',
  UH: 'the service has no ready pod',
  UC: 'cut by the service',
  URX: 'the service did not take the connection, however often',
  UO: 'more connections than the gateway holds for this service',
  SI: 'silent for too long',
  DC: 'cut by the VM',
};

function endOf({ event, flags, details, sni }: Connection, theme: Theme): readonly [string, (text: string) => string] {
  if (event === 'Refused')
    return [`refused: ${sni ? 'no such name is published here' : 'it names no service (no TLS, or no name in it)'}`, theme.bad];
  if (event === 'TcpUpstreamConnected') return ['open', theme.good];
  const shown = flags === null || flags === undefined || flags === '-' ? [] : flags.split(',');
  const more = details ? ` (${printable(details)})` : '';
  if (shown.length === 0) return [`closed${more}`, (text) => text];
  // Tried several times: each of them has failed.
  const told = shown.includes('URX') ? shown.filter((flag) => flag !== 'UF') : shown;
  return [`${told.map((flag) => FLAGS[flag] ?? printable(flag)).join(', ')}${more}`, theme.doubtful];
}

function size(count: number | null | undefined): string {
  const bytes = count ?? 0;
  if (bytes < 1000) return `${bytes} B`;
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, 'kB'] : bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${value.toFixed(1)} ${unit}`;
}

const took = (milliseconds: number): string =>
  milliseconds < 1000
    ? `${milliseconds} ms`
    : milliseconds < 10_000
      ? `${(milliseconds / 1000).toFixed(1)}s`
      : duration(Math.round(milliseconds / 1000));
