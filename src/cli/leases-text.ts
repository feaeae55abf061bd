/** What `hcpio leases` tells people. */
import { duration } from './age.ts';
import { type Cell, columns, plural, printable } from './layout.ts';
import type { LeaseRow, LeasesView } from './lease-view.ts';
import type { Theme } from './terminal.ts';

export function leasesText({ tenant, edges, leases, agree, notes }: LeasesView, now: number, theme: Theme): string[] {
  const given = leases.filter(({ state }) => state !== 'none').length;
  const who = edges.map(({ edge, serves, state }) => `${edge} ${serves ? 'answers' : 'stands by'} (${state})`).join(', ');
  return [
    theme.strong(`Tenant network ${tenant}: ${plural(given, 'lease')}`),
    ...(who === '' ? [] : [`${who}${verdict(agree, edges.length, theme)}`]),
    ...notes.map((note) => theme.doubtful(printable(note))),
    ...(leases.length === 0 ? [] : ['', ...table(leases, edges.length, now, theme)]),
  ];
}

function verdict(agree: boolean | undefined, edges: number, theme: Theme): string {
  if (edges < 2) return '';
  return agree === false ? `; ${theme.bad('they do not agree, see below')}` : `; ${theme.good('both know the same')}`;
}

function table(leases: readonly LeaseRow[], edges: number, now: number, theme: Theme): string[] {
  const head = ['address', 'MAC', 'VM', 'state', 'expires in', 'reserved', 'known to'].map((text) => ({ text, paint: theme.faint }));
  return columns([head, ...leases.map((lease) => row(lease, edges, now, theme))]);
}

function row(
  { address, mac, machine, state, expires, reserved, edges, difference }: LeaseRow,
  asked: number,
  now: number,
  theme: Theme,
): Cell[] {
  const left = expires === undefined ? undefined : Math.round((Date.parse(expires) - now) / 1000);
  const known = edges.length === asked && asked > 1 ? 'both' : edges.join(', ');
  return [
    address,
    mac || '-',
    printable(machine) || '-',
    state === 'leased' || state === 'none' ? STATES[state] : { text: state, paint: theme.doubtful },
    left === undefined ? '-' : left >= 0 ? duration(left) : { text: `${duration(-left)} ago`, paint: theme.doubtful },
    reserved ? 'yes' : { text: 'no', paint: theme.doubtful },
    difference === undefined ? known || '-' : { text: printable(difference), paint: theme.bad },
  ];
}

const STATES = { leased: 'leased', none: 'not asked for' } as const;
