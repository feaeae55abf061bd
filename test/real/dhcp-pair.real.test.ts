import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keaFiles } from '../../src/gateway/kea.ts';
import { probeList } from '../../src/gateway/probes.ts';
import { segmentMac } from '../../src/gateway/segment-mac.ts';
import type { Reservation } from '../../src/gateway/tenant-plan.ts';
import { blue } from '../../src/gateway/testing/sample-plans.ts';
import { writeProbeList } from '../../src/probes/probe-list.ts';
import type { ServedReport } from '../../src/probes/report.ts';
import type { Daemon } from '../../tools/testing/daemon.ts';
import { says, saysAnew } from './daemon-log.ts';
import { EdgePod } from './edge-pod.ts';
import { eventually, type Host, Network } from './network.ts';
import type { Lease } from './programs/dhcp-client.ts';

/** A real pair of Keas under the eyes of the prober: what it says while they read something new, and what a machine gets when one is gone. */
const NODE = join(import.meta.dirname, '..', '..', 'node_modules', 'node', 'bin', 'node');
const PROBER = join(import.meta.dirname, '..', '..', 'src', 'prober', 'main.ts');
const [EDGE_A, EDGE_B] = ['192.168.100.2', '192.168.100.4'];
const network = new Network();
let pods: readonly [EdgePod, EdgePod];
let daemons: readonly [Daemon, Daemon];
let prober: Host;
let tenant: Host;
let reservations: readonly Reservation[] = blue.dhcp.reservations;

const listFile = () => join(prober.dir, 'probes.json');
/** Of DHCP alone: nothing else runs here. Another serial makes it another list, as every machine that comes does. */
const look = (serial: number): void =>
  writeFileSync(
    listFile(),
    writeProbeList({
      ...probeList(blue, {}),
      dns: { questions: [], denied: [], serials: [{ zone: 'blue.example.com', serial }] },
      endpoints: [],
    }),
  );
const verdict = async (): Promise<string> => {
  const body = await prober.run('curl', '-sf', '-m', '2', 'http://127.0.0.1:8068/report').catch(() => '{}');
  const { results = [], list = '' } = JSON.parse(body) as Partial<ServedReport>;
  const found = results.find(({ subject }) => subject === 'DISCOVER');
  return `${found?.verdict} ${list}`;
};
/** Every verdict there is until one of them is as expected, and that is about another list than the one before. */
async function verdictsUntil(expected: string, before: string): Promise<readonly string[]> {
  const seen: string[] = [];
  await eventually(verdict, (now) => {
    const word = now.split(' ')[0] ?? '';
    if (seen.at(-1) !== word) seen.push(word);
    return word === expected && now.split(' ')[1] !== before.split(' ')[1];
  });
  return seen;
}

/** Another machine: the Keas that run read their configuration anew, and the prober has a new list. */
async function machineComes(...reading: readonly Daemon[]): Promise<readonly string[]> {
  const number = reservations.length;
  const machine = { machine: `vm-${number}`, mac: `02:00:00:00:02:${10 + number}`, addresses: { ipv4: `192.168.100.${30 + number}` } };
  reservations = [...reservations, machine];
  const before = await verdict();
  const read = Promise.all(reading.map((daemon) => saysAnew(daemon, 'kea-dhcp4 reads its new configuration')));
  for (const pod of pods) pod.configure('dhcp', keaFiles({ ...blue, dhcp: { ...blue.dhcp, reservations } }, pod.edge));
  await read;
  look(number);
  return verdictsUntil('passed', before);
}

const lease = () => tenant.program('dhcp-client.ts', JSON.stringify({ mac: '02:00:00:00:01:01' })) as Promise<Lease | null>;
const server = async () =>
  (
    await eventually(
      () => lease(),
      (found) => found !== null,
    )
  )?.server;

beforeAll(async () => {
  prober = await network.host('prober');
  ({ edges: pods, tenant } = await EdgePod.pair(network, blue, prober));
  await prober.run('ip', 'link', 'set', 'net1', 'address', segmentMac(blue, { name: 'prober' }));
  await prober.run('ip', 'address', 'add', '192.168.100.5/24', 'dev', 'net1');
  await tenant.run('ip', 'route', 'add', '255.255.255.255', 'dev', 'net1');
  await Promise.all(pods.map((pod) => pod.guard()));
  daemons = [pods[0].start('dhcp'), pods[1].start('dhcp')];
  await Promise.all(daemons.map((daemon) => says(daemon, 'to HOT-STANDBY')));
  look(0);
  prober.start('prober', [NODE, PROBER, 'serve', listFile()]);
  await verdictsUntil('passed', 'nothing');
});
afterAll(() => network[Symbol.asyncDispose]());

test('machines that come make nobody say that DHCP fails', async () => {
  for (const _ of [1, 2]) expect(await machineComes(...daemons)).not.toContain('failed');
});

test.each([
  ['is killed', 'SIGKILL'],
  ['hangs', 'SIGSTOP'],
] as const)('when the Kea that serves %s, its container ends and the other one serves', async (_, signal) => {
  const [first, second] = daemons;
  expect(await server()).toBe(EDGE_A);
  const takesOver = saysAnew(second, 'to PARTNER-DOWN');
  const at = performance.now();
  pods[0].signalAll('kea-dhcp4', signal);
  await takesOver;
  console.log(`${signal}: the other Kea serves after ${Math.round(performance.now() - at)} ms`);
  expect(await server()).toBe(EDGE_B);
  await eventually(
    async () => first.running,
    (running) => !running,
  );
  const paired = saysAnew(second, 'to HOT-STANDBY');
  first.start(); // as kubelet does
  await paired;
});

test('a Kea that reads anew while it is alone answers nobody for a while, which is told as such and not as a failure', async () => {
  await daemons[1].kill();
  await saysAnew(daemons[0], 'to PARTNER-DOWN');
  // On a busy machine its pause may be over before the prober looks.
  const seen = [await machineComes(daemons[0])];
  while (!seen.flat().includes('late') && seen.length < 6) seen.push(await machineComes(daemons[0]));
  expect(seen.at(-1)?.slice(-2)).toEqual(['late', 'passed']);
  expect(seen.flat()).not.toContain('failed');
});

test('when nobody answers for longer than a machine would bridge, that is a failure', async () => {
  const before = await verdict();
  await daemons[0].kill();
  look(99);
  expect((await verdictsUntil('failed', before)).slice(-2)).toEqual(['late', 'failed']);
});
