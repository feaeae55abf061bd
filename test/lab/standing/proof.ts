import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import type { TenantNetworkStatus } from '../../../src/api/tenant-network-status.ts';
import { CommandFailed } from '../../../src/lab/command.ts';
import { ensureDerived } from '../../../src/lab/images/derived.ts';
import { operatorImage } from '../../../src/lab/images/operator.ts';
import { nodePool } from '../../../src/lab/player/scenario.ts';
import { workers } from '../../../src/lab/worker/control.ts';
import type { ProbeReport } from '../../../src/probes/report.ts';
import { netnsOf, serialOf } from '../testing/from-worker.ts';
import { BUSYBOX, eventually } from '../testing/pods.ts';
import { json, lab, poolOf } from './lab.ts';

/** What is proven of the segment, and what becomes of the proof. */
const HCPIO = join(import.meta.dirname, '..', '..', '..', 'bin', 'hcpio');
const MINUTES = 60_000;
const { signal } = new AbortController();

const held = async (name: string) => (await poolOf(lab, name)).spec.pausedUntil === 'true';
const status = async () =>
  (await json<{ status?: TenantNetworkStatus }>(lab, 'get', 'tenantnetwork', 'blue', '--namespace=clusters')).status ?? {};
const conditionOf = (of: TenantNetworkStatus, type: string) => of.conditions?.find((one) => one.type === type);
const said = async (type: string) => {
  const found = conditionOf(await status().catch(() => ({})), type);
  return `${found?.status} ${found?.reason}`;
};
test('the status tells what was seen: who holds the VIP, what answers, which zones are served', async () => {
  await eventually(
    () => said('Ready'),
    (is) => is === 'True Ready',
    2 * MINUTES,
  );
  const { edges = [], endpoints = [] } = await status();
  expect(edges.filter(({ holdsVip }) => holdsVip).length).toBe(1);
  expect(edges.map(({ zones }) => zones?.map(({ name }) => name))).toEqual([
    ['blue.example.com', '100.168.192.in-addr.arpa'],
    ['blue.example.com', '100.168.192.in-addr.arpa'],
  ]);
  expect(edges[0]?.zones).toEqual(edges[1]?.zones);
  expect(endpoints.map(({ service, ready }) => [service, ready])).toEqual([
    ['APIServer', true],
    ['OAuthServer', true],
    ['Konnectivity', true],
    ['Ignition', true],
  ]);
});

async function verify(
  args: readonly string[],
  netns = lab.hub.netns,
): Promise<{ readonly code: number | undefined; readonly out: string }> {
  try {
    return { code: 0, out: await lab.run([HCPIO, 'verify', ...args], { netns, env: { KUBECONFIG: lab.hub.kubeconfig } }) };
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    return { code: error.exitCode, out: error.stdout };
  }
}
const reportIn = (out: string) => (JSON.parse(out) as { report: ProbeReport }).report;
const SUBJECTS = [
  'DHCP DISCOVER',
  'DHCP other servers',
  'DNS edge-a 192.168.100.2 udp',
  'DNS edge-a 192.168.100.2 tcp',
  'DNS edge-b 192.168.100.4 udp',
  'DNS edge-b 192.168.100.4 tcp',
  'TLS APIServer api.blue.example.com:6443',
  'TLS OAuthServer oauth.blue.example.com:443',
  'TLS Konnectivity konnectivity.blue.example.com:443',
  'TLS Ignition ignition.blue.example.com:443',
].map((probe) => `${probe} passed`);
const subjects = ({ results }: ProbeReport) => results.map(({ group, subject, verdict }) => `${group} ${subject} ${verdict}`);

/** Until all is well: on a busy machine a look may come at a bad moment. */
const wellFrom = async (args: readonly string[], netns?: string) => {
  const { out } = await eventually(
    () => verify([...args, '-o', 'json'], netns),
    ({ code }) => code === 0,
    2 * MINUTES,
  );
  return subjects(reportIn(out));
};

test('hcpio verify sees the same now, from the prober and from a worker', async () => {
  expect(await wellFrom(['blue', '-n', 'clusters'])).toEqual(SUBJECTS);
  const before = conditionOf(await status(), 'SegmentProven');
  const [light] = await workers.start(lab, { kind: 'netns', count: 1, segment: 'vlan100' }, signal);
  await eventually(
    async () => (await workers.list(lab)).find(({ name }) => name === light?.name),
    (worker) => worker?.steps.some(({ step }) => step === 'ready') === true,
    5 * MINUTES,
  );
  // A machine that comes makes Kea, CoreDNS and the prober read anew, and the proof does not blink for it.
  expect(conditionOf(await status(), 'SegmentProven')).toMatchObject({ status: 'True', lastTransitionTime: before?.lastTransitionTime });
  const file = join(lab.dir, 'probes.json');
  await writeFile(file, (await verify(['blue', '-n', 'clusters', '--list'])).out);
  const netns = await netnsOf(lab, light?.name ?? '');
  expect(await wellFrom(['--here', file], netns)).toEqual(SUBJECTS);
  // Without Node and without hcpio on the worker: the operator's image as it ships, and nothing else of this machine.
  const root = await unpackedOperatorImage();
  await copyFile(file, join(root, 'probes.json'));
  const shipped = ['chroot', root, '/usr/bin/node', '/opt/hcpio/prober.cjs', 'once', '/probes.json'];
  const look = async () => subjects(JSON.parse(await lab.run(shipped, { netns })) as ProbeReport);
  expect(await eventually(look, (seen) => seen.every((probe) => probe.endsWith(' passed')), 2 * MINUTES)).toEqual(SUBJECTS);
});

/** The root file system of the operator's image, as a container runtime would lay it out. */
async function unpackedOperatorImage(): Promise<string> {
  const [archive, root] = [join(lab.dir, 'operator-image'), join(lab.dir, 'operator-root')];
  await Promise.all([archive, root].map((path) => mkdir(path, { recursive: true })));
  await lab.run(['tar', '-C', archive, '-xf', (await ensureDerived(operatorImage, signal)).archive]);
  const [{ Layers: layers }] = JSON.parse(await readFile(join(archive, 'manifest.json'), 'utf8')) as [{ Layers: readonly string[] }];
  for (const layer of layers) await lab.run(['tar', '-C', root, '-xf', join(archive, layer)]);
  return root;
}

test('the serials in the status are those that each edge serves on the segment', async () => {
  const light = (await workers.list(lab)).find(({ kind }) => kind === 'netns');
  const netns = await netnsOf(lab, light?.name ?? '');
  const look = async () => {
    const { edges = [] } = await status();
    const reported = edges.flatMap(({ name, addresses, zones = [] }) =>
      zones.map((zone) => ({ edge: name, server: addresses[0] ?? '', zone: zone.name, serial: zone.serial })),
    );
    const served = await Promise.all(
      reported.map(async ({ edge, server, zone }) => ({ edge, server, zone, serial: await serialOf(lab, netns, server, zone) })),
    );
    return { reported, served };
  };
  // A worker that has just come changes the zones; the prober needs a look to see it.
  const { reported, served } = await eventually(look, (seen) => isDeepStrictEqual(seen.reported, seen.served), 2 * MINUTES);
  expect(served).toEqual(reported);
  expect(served.map(({ edge, zone }) => `${edge} ${zone}`)).toEqual([
    'edge-a blue.example.com',
    'edge-a 100.168.192.in-addr.arpa',
    'edge-b blue.example.com',
    'edge-b 100.168.192.in-addr.arpa',
  ]);
});

test('a router that gives out addresses as well is found, told and holds new NodePools; when it stops, they go', async () => {
  const { router } = lab.segments.find(({ name }) => name === 'vlan100') ?? expect.fail('no vlan100');
  const config = join(lab.dir, 'udhcpd.conf');
  await writeFile(
    config,
    `start 192.168.100.240\nend 192.168.100.250\ninterface ${router.interface}\nlease_file ${join(lab.dir, 'udhcpd.leases')}\npidfile ${join(lab.dir, 'udhcpd.pid')}\n`,
  );
  await lab.run(['touch', join(lab.dir, 'udhcpd.leases')]);
  await lab.spawn('rogue', { netns: router.netns, argv: [BUSYBOX, 'udhcpd', '-f', config] });
  await eventually(
    () => said('SegmentProven'),
    (is) => is === 'False RogueDhcpServer',
    3 * MINUTES,
  );
  const { findings = [] } = await status();
  const [{ address: mac }] = JSON.parse(
    await lab.run(['ip', '-json', 'link', 'show', 'dev', router.interface], { netns: router.netns }),
  ) as [{ address: string }];
  expect(findings.filter(({ code }) => code === 'HCPIO-DHCP-006').map(({ message }) => message)).toEqual([
    `${router.address} (${mac}) gives out addresses on the segment as well`,
  ]);
  const events = await lab.kubectl(['get', 'events', '--namespace=clusters', '--field-selector=reason=RogueDhcpServer', '-o', 'name']);
  expect(events).not.toBe('');
  expect((await verify(['blue', '-n', 'clusters'])).code).toBe(1);
  await lab.apply([nodePool({ name: 'late', cluster: 'blue', segment: 'vlan100', replicas: 0, kind: 'vm' })]);
  await eventually(
    () => held('late'),
    (is) => is,
  );
  await lab.stop('rogue');
  await eventually(
    () => said('SegmentProven'),
    (is) => is === 'True Proven',
    2 * MINUTES,
  );
  await eventually(
    () => held('late'),
    (is) => !is,
  );
});
