import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readKea } from '../../src/cli/kea-leases.ts';
import { leasesView } from '../../src/cli/lease-view.ts';
import { keaFiles } from '../../src/gateway/kea.ts';
import { planReservations } from '../../src/gateway/reservations.ts';
import type { Reservation, TenantPlan } from '../../src/gateway/tenant-plan.ts';
import { blue } from '../../src/gateway/testing/sample-plans.ts';
import type { Daemon } from '../../tools/testing/daemon.ts';
import { says, saysAnew } from './daemon-log.ts';
import { EdgePod } from './edge-pod.ts';
import { eventually, type Host, Network } from './network.ts';
import type { Lease } from './programs/dhcp-client.ts';

/** The life of leases at a real pair of Keas, with the planner in the loop: what the operator would write is written here. */
const POOL = 12;
const WORKERS = 10;
const network = new Network();
let pods: readonly EdgePod[];
let daemons: Daemon[];
let client: Host;

/** The machines that exist now; the order in which they were made is their number. */
let machines: readonly string[] = [];
let reserved: readonly Reservation[] = [];
let made = 0;
const mac = (machine: string) => `02:00:00:00:00:${Number(machine.split('-')[1]).toString(16).padStart(2, '0')}`;

const { ipv4 } = blue.addresses;
if (ipv4 === undefined) throw new Error('blue has IPv4');
const addresses: TenantPlan['addresses'] = { ...blue.addresses, ipv4: { ...ipv4, pool: [['192.168.100.10', `192.168.100.${9 + POOL}`]] } };

/** What the planner makes of them, given to both edges as the operator would. */
async function serve(now: readonly string[]): Promise<void> {
  machines = now;
  const allocations = reserved.map(({ mac: address, addresses: { ipv4: given } }) => ({
    mac: address,
    addresses: given === undefined ? [] : [given],
  }));
  const holders = machines.map((machine) => ({ machine, mac: mac(machine), seen: [] }));
  const plan = planReservations(holders, addresses, allocations);
  expect(plan.left).toEqual([]);
  reserved = plan.reservations;
  const whole: TenantPlan = { ...blue, addresses, dhcp: { ...blue.dhcp, reservations: reserved } };
  const read = Promise.all(daemons.map((daemon) => saysAnew(daemon, 'kea-dhcp4 reads its new configuration')));
  for (const pod of pods) pod.configure('dhcp', keaFiles(whole, pod.edge));
  await read;
}

const boot = async (machine: string): Promise<string | undefined> => {
  // As a machine does: it asks again until somebody answers.
  const lease = await eventually(
    async () => (await client.program('dhcp-client.ts', JSON.stringify({ mac: mac(machine) }))) as Lease | null,
    (found) => found !== null,
  );
  return lease?.address;
};
const plannedFor = (machine: string) => reserved.find((one) => one.machine === machine)?.addresses.ipv4;
const create = (): string => `vm-${++made}`;

/** Every lease of an edge, as `address mac`. */
async function leasesOf(pod: EdgePod): Promise<string[]> {
  const socket = connect(join(pod.host.dir, 'run/kea/ctl/kea-dhcp4.sock'));
  socket.end('{ "command": "lease4-get-all" }');
  const answer = JSON.parse(await text(socket)) as { arguments?: { leases: { 'ip-address': string; 'hw-address': string }[] } };
  return (answer.arguments?.leases ?? []).map((lease) => `${lease['ip-address']} ${lease['hw-address']}`).sort();
}
const both = () => Promise.all(pods.map((pod) => leasesOf(pod).catch((error: Error) => [error.message])));
const wanted = () => reserved.map((one) => `${one.addresses.ipv4} ${one.mac}`).sort();

beforeAll(async () => {
  const { edges, tenant } = await EdgePod.pair(network, blue);
  pods = edges;
  client = tenant;
  await client.run('ip', 'route', 'add', '255.255.255.255', 'dev', 'net1');
  await Promise.all(pods.map((pod) => pod.guard()));
  daemons = pods.map((pod) => pod.start('dhcp'));
  await Promise.all(daemons.map((daemon) => says(daemon, 'to HOT-STANDBY')));
});
afterAll(() => network[Symbol.asyncDispose]());

test('every machine gets the address that was planned for it, and both edges know all leases', async () => {
  await serve(Array.from({ length: WORKERS }, create));
  for (const machine of machines) expect([machine, await boot(machine)]).toEqual([machine, plannedFor(machine)]);
  expect(await eventually(both, ([a, b]) => a?.join() === b?.join())).toEqual([wanted(), wanted()]);
});

test('the program that hcpio runs in an edge tells the leases with the names of the machines, and which edge answers', async () => {
  const told = await Promise.all(pods.map(async (pod) => readKea(pod.edge.name, await pod.run('dhcp', 'leases'))));
  expect(told.map(({ edge, serves, state }) => [edge, serves, state])).toEqual([
    ['edge-a', true, 'hot-standby'],
    ['edge-b', false, 'hot-standby'],
  ]);
  const names = Object.fromEntries(reserved.map((one) => [one.addresses.ipv4, one.machine]));
  for (const { leases } of told) expect(Object.fromEntries(leases.map(({ address, hostname }) => [address, hostname]))).toEqual(names);
  const view = leasesView({ tenant: 'clusters/blue', machines: [], answers: told, notes: [] });
  expect(view.leases.filter(({ difference }) => difference !== undefined)).toEqual([]);
});

test(`all ${WORKERS} workers are replaced, two at a time, in a pool of ${POOL}`, async () => {
  const old = machines;
  for (let at = 0; at < WORKERS; at += 2) {
    const fresh = [create(), create()];
    await serve([...machines, ...fresh]);
    for (const machine of fresh) expect([machine, await boot(machine)]).toEqual([machine, plannedFor(machine)]);
    // A deleted machine says nothing: no RELEASE, and its lease would last for a quarter of an hour.
    await serve(machines.filter((machine) => !old.slice(at, at + 2).includes(machine)));
  }
  expect(machines).toHaveLength(WORKERS);
  expect(machines.filter((machine) => old.includes(machine))).toEqual([]);
  expect(await eventually(both, ([a, b]) => a?.join() === wanted().join() && b?.join() === wanted().join())).toEqual([wanted(), wanted()]);
});

test.each([0, 1])('edge %i that lost everything with its node learns all leases from the other', async (lost) => {
  const [pod, daemon] = [pods[lost] as EdgePod, daemons[lost] as Daemon];
  await daemon.kill();
  await rm(join(pod.host.dir, 'lib', 'kea'), { recursive: true });
  daemon.start();
  expect(await eventually(both, ([a, b]) => a?.join() === b?.join()).catch(both)).toEqual([wanted(), wanted()]);
});

test('an edge that is killed has all its leases again from its volume, without anybody else', async () => {
  const [a, b] = daemons as [Daemon, Daemon];
  await b.kill();
  await a.kill();
  a.start();
  expect(
    await eventually(
      () => leasesOf(pods[0] as EdgePod).catch(() => []),
      (seen) => seen.length > 0,
    ),
  ).toEqual(wanted());
  b.start();
});
