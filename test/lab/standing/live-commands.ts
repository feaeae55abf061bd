import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { Connection } from '../../../src/cli/connection-view.ts';
import type { LeasesView } from '../../../src/cli/lease-view.ts';
import type { TenantView } from '../../../src/cli/tenant-view.ts';
import { CommandFailed } from '../../../src/lab/command.ts';
import type { Manifest } from '../../../src/lab/player/hosted-cluster.ts';
import { toolPath } from '../../../tools/paths.ts';
import { eventually } from '../testing/pods.ts';
import { lab, NAME, vm } from './lab.ts';

/** `hcpio status`, `hcpio leases` and `hcpio connections` against a real API server, a real kubelet and real Keas, with the operator at work. */
const BIN = join(import.meta.dirname, '..', '..', '..', 'bin');
const MINUTE = 60_000;

interface Ended {
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

/** As a person on the hub runs it. */
async function hcpio(args: readonly string[], kubeconfig = lab.hub.kubeconfig, command = [join(BIN, 'hcpio')]): Promise<Ended> {
  const path = [BIN, process.env['PATH']].join(':');
  try {
    return {
      code: 0,
      out: await lab.run([...command, ...args], { netns: lab.hub.netns, env: { KUBECONFIG: kubeconfig, PATH: path } }),
      err: '',
    };
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    return { code: error.exitCode, out: error.stdout, err: error.stderr };
  }
}

const RBAC = 'rbac.authorization.k8s.io';
const role = (kind: 'Role' | 'ClusterRole', metadata: Manifest['metadata'], rules: readonly object[]): Manifest => ({
  apiVersion: `${RBAC}/v1`,
  kind,
  metadata,
  rules,
});
const LOOK = role('ClusterRole', { name: 'onlooker' }, [
  { apiGroups: ['hcpio.io'], resources: ['tenantnetworks'], verbs: ['get', 'list', 'watch'] },
]);

/** The administrator's kubeconfig, used as somebody who has these roles and no others. */
async function as(user: string, roles: readonly Manifest[]): Promise<string> {
  const bindings = roles.map(
    ({ kind, metadata: { name, namespace } }): Manifest => ({
      apiVersion: `${RBAC}/v1`,
      kind: `${kind}Binding`,
      metadata: { name: `${user}-${name}`, ...(namespace === undefined ? {} : { namespace }) },
      roleRef: { apiGroup: RBAC, kind, name },
      subjects: [{ kind: 'User', apiGroup: RBAC, name: user }],
    }),
  );
  await lab.apply([...roles, ...bindings]);
  const config = parse(await readFile(lab.hub.kubeconfig, 'utf8')) as { users: { user: Record<string, string> }[] };
  for (const { user: who } of config.users) who['as'] = user;
  const file = join(lab.dir, `${user}.kubeconfig`);
  await writeFile(file, JSON.stringify(config));
  return file;
}

/** What docs/operations.md gives to those who run the hub. */
async function documentedRoles(): Promise<readonly Manifest[]> {
  const page = await readFile(join(BIN, '..', 'docs', 'operations.md'), 'utf8');
  const [, yaml = ''] = /```yaml\n(apiVersion: rbac[\s\S]*?)```/.exec(page) ?? [];
  return parseAllDocuments(yaml).map((document) => document.toJS() as Manifest);
}

test('a command in a container: its output, its exit status, and what keeps it from running', async () => {
  const order = (command: readonly string[], change: object = {}) =>
    JSON.stringify({ namespace: 'clusters-blue-edge', pod: 'edge-a-0', container: 'dhcp', command, ...change });
  const orders = [
    order(['sh', '-c', 'echo out; echo err >&2; exit 7']),
    order(['perl', '-e', 'print "x" x 3_000_000']),
    order(['/no/such/program']),
    order(['true'], { container: 'nobody' }),
    order(['true'], { pod: 'edge-c-0' }),
  ];
  const program = join(import.meta.dirname, '..', 'programs', 'run-in-pod.ts');
  const text = await lab.run([process.execPath, program, lab.hub.kubeconfig, ...orders], { netns: lab.hub.netns });
  const [said, long, ...refused] = JSON.parse(text) as [unknown, { stdout: string }, ...{ refused: number; message: string }[]];
  expect([said, long.stdout.length]).toEqual([{ exitCode: 7, stdout: 'out\n', stderr: 'err\n' }, 3_000_000]);
  expect(refused).toEqual([
    { refused: 500, message: expect.stringContaining('no such file or directory') as string },
    { refused: 400, message: expect.stringContaining('container nobody is not valid') as string },
    { refused: 404, message: 'pods "edge-c-0" not found' },
  ]);
});

test('status shows the tenant as it runs, also as a plugin of kubectl', async () => {
  const { out } = await hcpio(['status', 'clusters/blue', '-o', 'json']);
  const { edges, segment, addresses } = JSON.parse(out) as TenantView;
  expect({
    edges: edges.map(({ name, pod, node, ready, net1 }) => [name, pod, node, ready, net1]),
    segment,
    vip: addresses.ipv4?.vip,
  }).toEqual({
    edges: [
      ['edge-a', 'edge-a-0', expect.stringMatching(/^hub-[ab]$/), true, ['192.168.100.2']],
      ['edge-b', 'edge-b-0', expect.stringMatching(/^hub-[ab]$/), true, ['192.168.100.4']],
    ],
    segment: { attachment: 'default/vlan100', mtu: 1500 },
    vip: '192.168.100.3',
  });
  const table = await hcpio(['status', '-n', 'clusters']);
  expect([
    await hcpio(['hcpio', 'status', '-n', 'clusters'], undefined, [toolPath('kubectl')]).then(({ out: said }) => said.split('\n').length),
    table.out,
  ]).toEqual([table.out.split('\n').length, expect.stringMatching(/^TENANT .*\nclusters\/blue /)]);
  expect(await hcpio(['status', 'blu', '-n', 'clusters'])).toEqual({
    code: 2,
    out: '',
    err: 'hcpio: there is no tenant network clusters/blu; did you mean clusters/blue?\n',
  });
});

/** Of the VM, which is not alone on the segment. */
const leaseOf = async (machine: string) =>
  (JSON.parse((await hcpio(['leases', 'clusters/blue', '-o', 'json'])).out) as LeasesView).leases.find((one) => one.machine === machine);

test('leases shows a worker by its name, and both edges know it', async () => {
  const { name } = await vm();
  // An edge that reads its new configuration does not answer for a moment.
  const leased = await eventually(
    () => leaseOf(name).catch(() => undefined),
    (lease) => lease?.state === 'leased' && lease.edges.length === 2,
    2 * MINUTE,
  );
  expect(leased).toEqual({
    address: expect.stringMatching(/^192\.168\.100\.\d+$/) as string,
    mac: expect.stringMatching(/^02:/) as string,
    machine: name,
    state: 'leased',
    expires: expect.stringMatching(/Z$/) as string,
    reserved: true,
    edges: ['edge-a', 'edge-b'],
  });
  const { code, out } = await hcpio(['leases', '-A']);
  expect([code, out.split('\n')[1]]).toEqual([0, 'edge-a answers (hot-standby), edge-b stands by (hot-standby); both know the same']);
});

test('connections shows what that worker dialled, by its lease and its name', async () => {
  const { name } = await vm();
  const lease = await leaseOf(name);
  // The gateways write every ten seconds, and the worker dials the API once it has its certificate.
  const look = async () => {
    const { code, out } = await hcpio(['connections', 'clusters/blue', '--machine', name, '-o', 'json']);
    const all = out.split('\n').filter((line) => line !== '');
    return { code, toApi: all.map((line) => JSON.parse(line) as Connection).find(({ upstream }) => upstream?.includes('kube-apiserver')) };
  };
  const { code, toApi } = await eventually(look, (seen) => seen.code === 0 && seen.toApi !== undefined, 2 * MINUTE);
  expect(code).toBe(0);
  expect(toApi).toMatchObject({
    edge: expect.stringMatching(/^edge-[ab]$/) as string,
    machine: name,
    client: expect.stringContaining(`${lease?.address}:`) as string,
    listener: '192.168.100.3:6443',
    upstream: 'clusters-blue/kube-apiserver:6443',
    seenAs: expect.stringMatching(/^10\./) as string,
  });
  const { out } = await hcpio(['hcpio', 'connections', 'blue', '-n', 'clusters', '--tail', '1'], undefined, [toolPath('kubectl')]);
  expect(out).toMatch(/^TIME .*\n\S+Z {2}edge-[ab] {2}/);
});

test('status shows how far that worker has come, and what the prober saw last', async () => {
  const look = async () => JSON.parse((await hcpio(['status', 'clusters/blue', '-o', 'json'])).out) as TenantView;
  const { name } = await vm();
  const { machines, probes, unseen } = await look();
  expect(machines.find(({ machine }) => machine === name)).toMatchObject({
    phase: 'Running',
    hubNode: expect.stringMatching(/^hub-[ab]$/) as string,
    lease: 'leased',
    reached: expect.arrayContaining(['Ignition', 'APIServer']) as string[],
    registered: true,
    ready: true,
  });
  expect([probes?.results.length, unseen]).toEqual([10, []]);
  expect((await hcpio(['status', 'clusters/blue'])).out).toMatch(/\nPROBES from the segment, \d+m?\d*s ago\n {2}\S {2}DHCP {2}DISCOVER/);
});

test('a capture that a script has started in the background ends with it, and the packets are in the file', async () => {
  const file = join(lab.dir, 'segment.pcap');
  const capture = spawn(join(BIN, 'hcpio'), ['lab', 'capture', 'vlan100', '--name', NAME, '--out', file], { stdio: 'ignore' });
  const ended = once(capture, 'exit');
  // The prober and the edges are never silent for long.
  const packets = async () => (await stat(file).catch(() => ({ size: 0 }))).size > 24;
  expect(await eventually(packets, (some) => some, MINUTE)).toBe(true);
  capture.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  const left = await lab
    .run(['pgrep', '--full', `tcpdump.*${file}`])
    .catch((error: unknown) => (error instanceof CommandFailed ? '' : error));
  expect(left).toBe('');
  expect(await lab.run(['tcpdump', '-n', '-r', file, '--count'])).toMatch(/\d+ packets?/);
});

test('whoever may only look at TenantNetworks sees their status, and is told what the others take', async () => {
  const kubeconfig = await as('jane', [LOOK]);
  const { out } = await hcpio(['status', 'clusters/blue'], kubeconfig);
  expect(out).toContain('you may not list pods in namespace clusters-blue-edge');
  expect(out).toContain('NOT SEEN');
  const { unseen } = JSON.parse((await hcpio(['status', 'clusters/blue', '-o', 'json'], kubeconfig)).out) as TenantView;
  expect(unseen.map((note) => note.split(':')[0])).toEqual([
    'leases',
    'probes',
    'what runs of the VMs',
    'what the machines reached',
    'whether the Nodes have registered',
  ]);
  expect(await hcpio(['leases', 'clusters/blue'], kubeconfig)).toEqual({
    code: 2,
    out: '',
    err: 'hcpio: you may not run commands in the pods of namespace clusters-blue-edge: it takes the right to create pods/exec there\n',
  });
  expect(await hcpio(['connections', 'clusters/blue'], kubeconfig)).toEqual({
    code: 2,
    out: '',
    err: expect.stringMatching(/it takes the right to get pods\/log there\n$/) as string,
  });
});

test('with the rights that the guide gives, every command can be asked and nothing is left out', async () => {
  const roles = await documentedRoles();
  expect(roles.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}`)).toEqual([
    'ClusterRole ',
    'Role clusters-blue-edge',
    'Role clusters-blue',
  ]);
  const kubeconfig = await as('joe', roles);
  const status = JSON.parse((await hcpio(['status', 'clusters/blue', '-o', 'json'], kubeconfig)).out) as TenantView;
  expect([status.unseen, status.notes]).toEqual([[], []]);
  const ran = ['leases', 'connections', 'verify'].map(async (command) => (await hcpio([command, 'clusters/blue'], kubeconfig)).err);
  expect(await Promise.all(ran)).toEqual(['', '', '']);
});

test('an edge that is away is told, and the other still answers', async () => {
  await lab.kubectl(['cordon', 'hub-a', 'hub-b']);
  try {
    await lab.kubectl(['delete', 'pod', 'edge-b-0', '--namespace=clusters-blue-edge']);
    const { code, out } = await hcpio(['leases', 'clusters/blue']);
    expect([code, out]).toEqual([1, expect.stringMatching(/edge-b could not be asked: .*\n[\s\S]*leased/)]);
    const status = JSON.parse((await hcpio(['status', 'clusters/blue', '-o', 'json'])).out) as TenantView;
    expect(status.edges.map(({ ready }) => ready)).toEqual([true, false]);
  } finally {
    await lab.kubectl(['uncordon', 'hub-a', 'hub-b']);
  }
});
