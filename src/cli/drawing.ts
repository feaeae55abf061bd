import type { FamilyAddresses } from '../gateway/tenant-plan.ts';
import type { AddressPlan } from '../net/address-plan.ts';
import { Canvas } from './canvas.ts';
import { paragraph, plural } from './layout.ts';

const LEFT = 2;
const WIDTH = 96;
const INNER = LEFT + 3;
const NARROW = 17;
/** What hangs on the segment hangs near its ends, where the legs of the edges never come down. */
const ROUTER_LEG = LEFT + 8;
const WORKERS_LEG = LEFT + WIDTH - 9;

/** What is drawn: a plan, or what a running tenant network says of itself. */
export interface Topology {
  readonly controlPlaneNamespace: string;
  readonly edgeNamespace: string;
  readonly addresses: AddressPlan;
  readonly upstreams: readonly { readonly upstream: string }[];
  readonly edges: readonly {
    readonly name: string;
    readonly addresses: { readonly ipv4?: string; readonly ipv6?: string };
    /** It runs, and is not ready or not there now. */
    readonly away?: boolean;
  }[];
  readonly segment: { readonly attachment: string; readonly mtu: number };
  readonly dhcp: { readonly reservations: readonly unknown[] };
  /** The edge that holds the VIP, where that is known. */
  readonly holder?: string | undefined;
  /** Machines by name, where they are to be shown instead of the pool. */
  readonly machines?: readonly { readonly machine: string; readonly addresses: readonly string[] }[];
}

/** More machines than these are only counted. */
const MOST_MACHINES = 4;

/**
 * The tenant's network in one picture: the hub with the control plane and the edges above, the segment as the double line, and
 * what stands on it below. Nothing but the edges touches both.
 */
export function drawTopology(plan: Topology): string[] {
  const families = [plan.addresses.ipv4, plan.addresses.ipv6].filter((family) => family !== undefined);
  if (families.length === 0) return [];
  const canvas = new Canvas();
  const edgesTop = drawHub(canvas, plan);
  const legs = drawEdges(canvas, plan, edgesTop);
  const vips = families.map((family) => family.vip);
  const hubBottom = edgesTop + edgeHeight(plan);
  const wire = hubBottom + Math.max(2, vips.length + 1);
  canvas.box(LEFT, 0, WIDTH, hubBottom + 1);
  canvas.text(LEFT + 2, 0, ' hub ');
  const labelRows = drawWire(canvas, plan, families, wire);
  for (const leg of legs) {
    canvas.text(leg, hubBottom, '┼');
    canvas.vertical(leg, hubBottom + 1, wire - 1);
    canvas.text(leg, wire, '╧');
  }
  drawVip(
    canvas,
    vips,
    legs,
    hubBottom + 1,
    plan.edges.findIndex(({ name }) => name === plan.holder),
  );
  drawBelow(canvas, plan, families, wire, labelRows);
  return canvas.lines();
}

/** The control plane's Services that the edges may dial; returns the row at which the edges begin. */
function drawHub(canvas: Canvas, plan: Topology): number {
  const own = `${plan.controlPlaneNamespace}/`;
  const services = plan.upstreams.filter(({ upstream }) => upstream.startsWith(own)).map(({ upstream }) => upstream.slice(own.length));
  const lines =
    services.length === 0 ? ['(no Service yet)'] : paragraph(services.join(' · '), 0, WIDTH - 10).map((line) => line.replace(/ ·$/, ''));
  canvas.text(INNER, 1, `control plane  ${plan.controlPlaneNamespace}`);
  for (const [index, line] of lines.entries()) canvas.text(INNER + 2, 2 + index, line);
  const edge = 3 + lines.length;
  canvas.text(INNER, edge, `edge  ${plan.edgeNamespace}`);
  return edge + 1;
}

const addressesOf = (edge: Topology['edges'][number]): string[] =>
  [edge.addresses.ipv4, edge.addresses.ipv6].filter((address) => address !== undefined);
const edgeHeight = (plan: Topology): number => 3 + Math.max(1, ...plan.edges.map((edge) => addressesOf(edge).length));

/** One box per edge; returns the columns at which they reach down to the segment. */
function drawEdges(canvas: Canvas, plan: Topology, top: number): number[] {
  const width = Math.max(NARROW, ...plan.edges.flatMap(addressesOf).map((address) => address.length + 4));
  const margin = width > WIDTH / 3 ? 3 : 11;
  const places = [LEFT + margin, LEFT + WIDTH - margin - width];
  const height = edgeHeight(plan);
  const legs = plan.edges.map((edge, index) => {
    const x = places[index] ?? INNER;
    const leg = x + Math.floor(width / 2);
    canvas.box(x, top, width, height);
    canvas.centred(x, top + 1, width, edge.away ? `${edge.name} ✗ down` : edge.name);
    for (const [row, address] of addressesOf(edge).entries()) canvas.centred(x, top + 2 + row, width, address);
    canvas.text(leg, top + height - 1, '┬');
    return leg;
  });
  const [first, second] = places;
  if (plan.edges.length === 2 && first !== undefined && second !== undefined) {
    const from = first + width - 1;
    canvas.text(from, top + 1, `├${'─'.repeat(second - from - 1)}┤`);
    if (second - from > 20) canvas.centred(from, top + 1, second - from + 1, ' peer link ');
  }
  return legs;
}

/** Between the legs while it may be at either, and at the leg of the edge that is known to hold it. */
function drawVip(canvas: Canvas, vips: readonly string[], legs: readonly number[], top: number, holder: number): void {
  const [first = LEFT, second] = legs;
  const lines = vips.map((vip, index) => (index === 0 ? `VIP ${vip}` : `    ${vip}`));
  const width = Math.max(...lines.map((line) => line.length));
  const between = second === undefined ? first + 4 : first + Math.floor((second - first - width) / 2) + 1;
  const x = [first + 4, (second ?? first) - 3 - width][holder] ?? between;
  for (const [index, line] of lines.entries()) canvas.text(x, top + index, line);
  if (holder === 0) canvas.text(first + 1, top, '◄─');
  if (holder === 1) canvas.text((second ?? first) - 2, top, '─►');
}

/** The segment and its label; returns how many rows the label takes. */
function drawWire(canvas: Canvas, plan: Topology, families: readonly FamilyAddresses[], row: number): number {
  canvas.text(LEFT, row, '═'.repeat(WIDTH));
  const networks = families.map((family) => family.cidr).join(' · ');
  const room = WORKERS_LEG - ROUTER_LEG - 2;
  const label = paragraph(`${plan.segment.attachment} · ${networks} · MTU ${plan.segment.mtu}`, 0, room);
  for (const [index, line] of label.entries())
    canvas.centred(ROUTER_LEG + 1, row + 1 + index, room, line.length > room ? `${line.slice(0, room - 1)}…` : line);
  return label.length;
}

/** The router and the workers, hanging on the wire. */
function drawBelow(canvas: Canvas, plan: Topology, families: readonly FamilyAddresses[], wire: number, labelRows: number): void {
  const routers = families.map((family) => family.router).filter((router) => router !== undefined);
  if (routers.length > 0) hang(canvas, ['router', ...routers], ROUTER_LEG, () => LEFT, wire, labelRows);
  hang(
    canvas,
    [workersTitle(plan), ...(machineLines(plan) ?? families.flatMap(poolLines))],
    WORKERS_LEG,
    (width) => LEFT + WIDTH - width,
    wire,
    labelRows,
  );
}

function hang(
  canvas: Canvas,
  lines: readonly string[],
  leg: number,
  place: (width: number) => number,
  wire: number,
  labelRows: number,
): void {
  const width = Math.max(NARROW, ...lines.map((line) => line.length + 4));
  const top = wire + labelRows + 1;
  canvas.box(place(width), top, width, lines.length + 2);
  for (const [index, line] of lines.entries()) canvas.centred(place(width), top + 1 + index, width, line);
  canvas.text(leg, wire, '╤');
  canvas.vertical(leg, wire + 1, top - 1);
  canvas.text(leg, top, '┴');
}

const workersTitle = (plan: Topology): string => {
  const known = plan.dhcp.reservations.length;
  return known === 0 ? 'workers' : plural(known, 'worker');
};

function machineLines({ machines = [] }: Topology): string[] | undefined {
  if (machines.length === 0) return undefined;
  const lines = machines.slice(0, MOST_MACHINES).map(({ machine, addresses }) => `${machine}  ${addresses.join('  ')}`);
  return machines.length <= MOST_MACHINES ? lines : [...lines, `and ${machines.length - MOST_MACHINES} more`];
}

const poolLines = (family: FamilyAddresses): string[] => {
  const [first, ...more] = family.pool;
  if (first === undefined) return [];
  const [from, to] = [first[0], more.length === 0 ? first[1] : `${first[1]}, ...`];
  // Two long IPv6 addresses would push the router off the page.
  return from.length + to.length > 42 ? [from, `- ${to}`] : [`${from} - ${to}`];
};
