import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RELEASE_MARKER } from '../../src/api/markers.ts';
import type { TenantNetworkStatus } from '../../src/api/tenant-network-status.ts';
import { CommandFailed } from '../../src/lab/command.ts';
import { ensureDerived } from '../../src/lab/images/derived.ts';
import { operatorImage } from '../../src/lab/images/operator.ts';
import { openLab } from '../../src/lab/open.ts';
import { nodePool } from '../../src/lab/player/scenario.ts';
import type { RunningLab } from '../../src/lab/running-lab.ts';
import { workers } from '../../src/lab/worker/control.ts';
import type { ProbeReport } from '../../src/probes/report.ts';
import { hcpioLab, hcpioLabWell } from './testing/cli.ts';
import { netnsOf, serialOf } from './testing/from-worker.ts';
import { remainsOf } from './testing/machine.ts';
import { BUSYBOX, eventually } from './testing/pods.ts';

/** From an annotation to a worker that joined, with nobody's hands: the operator holds the NodePool, and lets it go when the segment is proven. */
const NAME = 'tgate';
const HCPIO = join(import.meta.dirname, '..', '..', 'bin', 'hcpio');
const MINUTES = 60_000;
const { signal } = new AbortController();
let lab: RunningLab;

beforeAll(async () => {
  await hcpioLab('down', '--name', NAME);
  await hcpioLabWell('up', '--name', NAME, '--operator');
  lab = await openLab(NAME);
});
afterAll(async () => {
  await hcpioLab('down', '--name', NAME, '--purge');
  expect(remainsOf(NAME)).toEqual([]);
});

const json = async <T>(...args: readonly string[]) => JSON.parse(await lab.kubectl([...args, '--output=json'])) as T;
interface Pool {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly pausedUntil?: string };
}
const pool = (name: string) => json<Pool>('get', 'nodepool', name, '--namespace=clusters');
const held = async (name: string) => (await pool(name)).spec.pausedUntil === 'true';
const status = async () =>
  (await json<{ status?: TenantNetworkStatus }>('get', 'tenantnetwork', 'blue', '--namespace=clusters')).status ?? {};
const conditionOf = (of: TenantNetworkStatus, type: string) => of.conditions?.find((one) => one.type === type);
const said = async (type: string) => {
  const found = conditionOf(await status().catch(() => ({})), type);
  return `${found?.status} ${found?.reason}`;
};
const machines = async () =>
  (await json<{ items: { metadata: { name: string; creationTimestamp: string } }[] }>('get', 'vmi', '--namespace=clusters-blue')).items;

interface Seen {
  readonly held: boolean;
  readonly released: boolean;
  readonly machines: number;
}

test('a NodePool waits until the segment is proven, and its VM then joins by itself', async () => {
  await lab.kubectl(['annotate', 'hostedcluster', 'blue', '--namespace=clusters', 'hcpio.io/tenant-network=default/vlan100']);
  await eventually(
    () => held('blue'),
    (is) => is,
  );
  expect(await said('SegmentProven')).not.toBe('True Proven');
  await lab.kubectl(['patch', 'nodepool', 'blue', '--namespace=clusters', '--type=merge', '--patch={"spec":{"replicas":1}}']);
  const samples: Seen[] = [];
  // The machines are counted first: one that is there already must find its pool released.
  const sample = async (): Promise<Seen> => {
    const count = (await machines()).length;
    const { metadata, spec } = await pool('blue');
    const now = { held: spec.pausedUntil === 'true', released: metadata.annotations?.[RELEASE_MARKER] === 'true', machines: count };
    samples.push(now);
    return now;
  };
  await eventually(sample, ({ machines: count }) => count > 0, 3 * MINUTES);
  expect(samples.filter(({ machines: count, released }) => count > 0 && !released)).toEqual([]);
  expect(samples[0]).toEqual({ held: true, released: false, machines: 0 });
  // Only what was proven once is released, and nothing but the proof releases it.
  const events = ['events.events.k8s.io', '--namespace=clusters', '--field-selector=reason=Released'];
  expect(await lab.kubectl(['get', ...events, '-o', 'jsonpath={.items[*].regarding.name}'])).toBe('blue');
  const [worker] = await eventually(
    async () => (await workers.list(lab)).filter(({ kind }) => kind === 'vm'),
    ([found]) => found?.steps.some(({ step }) => step === 'ready') === true,
    10 * MINUTES,
  );
  expect(worker?.steps.map(({ step }) => step)).toEqual([
    'boot',
    'lease',
    'dns',
    'ignition',
    'kubelet',
    'certificate',
    'registered',
    'ready',
  ]);
});

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
  const [light] = await workers.start(lab, { kind: 'netns', count: 1, segment: 'vlan100' }, signal);
  await eventually(
    async () => (await workers.list(lab)).find(({ name }) => name === light?.name),
    (worker) => worker?.steps.some(({ step }) => step === 'ready') === true,
    5 * MINUTES,
  );
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

test('the operator runs under the role that is shipped with it, and was never forbidden anything', async () => {
  const selector = ['--namespace=hcpio-system', '--selector=app.kubernetes.io/name=hcpio-operator'];
  const { items } = await json<{ items: { metadata: { name: string } }[] }>('get', 'pods', ...selector);
  expect(items.length).toBeGreaterThan(0);
  const ask = "fetch('http://127.0.0.1:8080/metrics').then((answer) => answer.text()).then(console.log)";
  for (const { metadata } of items) {
    const metrics = await lab.kubectl(['exec', '--namespace=hcpio-system', metadata.name, '--', '/usr/bin/node', '--eval', ask]);
    const requests = metrics.split('\n').filter((line) => line.startsWith('rest_client_requests_total{'));
    expect(requests.some((line) => line.includes('code="200"'))).toBe(true);
    expect(requests.filter((line) => line.includes('code="403"'))).toEqual([]);
  }
});
