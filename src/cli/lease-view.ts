/** The leases of a tenant as both edges know them, beside what was planned. Pure; `-o json` prints it, keep it stable. */
import type { TenantNetworkStatus } from '../api/tenant-network-status.ts';
import { addressOf, compareAddresses } from '../net/ip.ts';
import type { EdgeLeases, KeaLease, LeaseState } from './kea-leases.ts';

type Machine = NonNullable<TenantNetworkStatus['machines']>[number];

export interface LeaseRow {
  readonly address: string;
  readonly mac: string;
  /** The VM: as planned for this MAC, else as the DHCP server calls it. */
  readonly machine: string;
  /** `none`: reserved, and not asked for yet. */
  readonly state: LeaseState | 'none';
  readonly expires: string | undefined;
  /** It is the address that is planned for this MAC. */
  readonly reserved: boolean;
  /** The edges that know this lease. */
  readonly edges: readonly string[];
  /** What the edges do not agree on. */
  readonly difference: string | undefined;
}

export interface LeasesView {
  readonly tenant: string;
  readonly edges: readonly Pick<EdgeLeases, 'edge' | 'serves' | 'state'>[];
  readonly leases: readonly LeaseRow[];
  /** The pair agrees on every lease. Undefined when only one of two could be asked. */
  readonly agree: boolean | undefined;
  readonly notes: readonly string[];
}

export interface LeasesFound {
  readonly tenant: string;
  readonly machines: readonly Machine[];
  readonly answers: readonly EdgeLeases[];
  /** Edges that could not be asked, and why. */
  readonly notes: readonly string[];
}

export function leasesView({ tenant, machines, answers, notes }: LeasesFound): LeasesView {
  const addresses = new Set([
    ...answers.flatMap(({ leases }) => leases.map(({ address }) => address)),
    ...machines.flatMap((one) => one.addresses),
  ]);
  const leases = [...addresses].map((address) => rowOf(address, machines, answers)).sort(byAddress);
  return {
    tenant,
    edges: answers.map(({ edge, serves, state }) => ({ edge, serves, state })),
    leases,
    agree: notes.length > 0 ? undefined : leases.every(({ difference }) => difference === undefined),
    notes,
  };
}

function rowOf(address: string, machines: readonly Machine[], answers: readonly EdgeLeases[]): LeaseRow {
  const known = answers.flatMap(({ edge, leases }) =>
    leases.filter((lease) => lease.address === address).map((lease) => ({ edge, lease })),
  );
  const newest = known.map(({ lease }) => lease).toSorted((a, b) => b.expires - a.expires)[0];
  const planned = machines.find((machine) => machine.addresses.includes(address));
  const mac = newest?.mac ?? planned?.mac ?? '';
  return {
    address,
    mac,
    machine: machines.find((machine) => machine.mac === mac)?.machine ?? newest?.hostname ?? '',
    state: newest?.state ?? 'none',
    expires: newest === undefined ? undefined : new Date(newest.expires * 1000).toISOString().replace('.000', ''),
    reserved: planned !== undefined && planned.mac === mac,
    edges: known.map(({ edge }) => edge),
    difference: differenceOf(known, answers),
  };
}

function differenceOf(
  known: readonly { readonly edge: string; readonly lease: KeaLease }[],
  answers: readonly EdgeLeases[],
): string | undefined {
  const [first, second] = known;
  if (first === undefined || answers.length < 2) return undefined;
  if (second === undefined) return `only ${first.edge} knows it`;
  const differs = (['mac', 'hostname', 'state', 'expires'] as const).filter((field) => first.lease[field] !== second.lease[field]);
  if (differs.length === 0) return undefined;
  const said = ({ edge, lease }: typeof first) =>
    `${edge}: ${differs.map((field) => (field === 'expires' ? time(lease.expires) : lease[field])).join(' ')}`;
  return `${said(first)}; ${said(second)}`;
}

const time = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(11, 19);

const byAddress = (a: LeaseRow, b: LeaseRow): number => compareAddresses(addressOf(a.address), addressOf(b.address));
