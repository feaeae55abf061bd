import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openLab } from '../../src/lab/open.ts';
import { cacheRoot } from '../../tools/cache.ts';
import { toolPath } from '../../tools/paths.ts';
import { hcpioLab, hcpioLabWell, startHcpioLab } from './testing/cli.ts';
import { machineState, processesOf, remainsOf } from './testing/machine.ts';
import { eventually } from './testing/pods.ts';

const NAMES = ['tone', 'ttwo'] as const;
const [ONE, TWO] = NAMES;
const dirOf = (name: string) => join('/var/lib/hcpio-lab', name);
let before: unknown;

async function clear(): Promise<void> {
  for (const name of NAMES) await hcpioLab('down', '--name', name, '--purge');
}
beforeAll(async () => {
  await clear();
  before = machineState();
});
afterEach(clear);

/** Whatever happened to the lab: `down` does well, and nothing is left. */
async function expectCleanDown(name: string): Promise<void> {
  await hcpioLabWell('down', '--name', name);
  expect(remainsOf(name)).toEqual([]);
  expect(machineState()).toEqual(before);
}

test('without nodes it is a control plane alone', async () => {
  await hcpioLabWell('up', '--name', ONE, '--nodes', '0');
  const lab = await openLab(ONE);
  expect(await lab.kubectl(['get', '--raw', '/readyz'])).toBe('ok');
  expect(await lab.kubectl(['get', 'nodes', '-o', 'name'])).toBe('');
  expect((await lab.parts()).map(({ part }) => part)).toEqual(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler']);
  expect(await lab.kubectl(['get', 'crd', 'hostedclusters.hypershift.openshift.io', '-o', 'name'])).toContain('hostedclusters');
  expect(await hcpioLab('kubeconfig', 'hosted', '--name', ONE)).toEqual({
    code: 1,
    stdout: '',
    stderr: `hcpio: lab ${ONE} has no hosted cluster\n`,
  });
  await expectCleanDown(ONE);
});

test('two labs stand side by side, and the end of one is nothing to the other', async () => {
  const args = (name: string) => ['up', '--name', name, '--nodes', '1', '--no-player'];
  await Promise.all(NAMES.map((name) => hcpioLabWell(...args(name))));
  const nodes = async (name: string) =>
    (await openLab(name)).kubectl(['get', 'nodes', '-o', 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}']);
  expect(await Promise.all(NAMES.map(nodes))).toEqual(['True', 'True']);
  await hcpioLabWell('down', '--name', ONE);
  expect(remainsOf(ONE)).toEqual([]);
  expect(await nodes(TWO)).toBe('True');
  expect(await hcpioLabWell('exec', 'hub-a', '--name', TWO, '--', 'hostname')).toBe('hub-a\n');
  await expectCleanDown(TWO);
});

/** Each is looked for on disk or in /proc, so that the kill comes at that moment on a fast machine and on a slow one. */
const MOMENTS: Readonly<Record<string, () => boolean>> = {
  'the name was taken': () => existsSync(dirOf(ONE)),
  'the first namespace was recorded': () => entries(join(dirOf(ONE), 'netns')).length > 0,
  'the last namespace was made': () => existsSync(`/run/netns/${ONE}-hub-a`),
  'etcd was started': () => existsSync(join(dirOf(ONE), 'parts', 'etcd')),
  'the node was made': () => existsSync(join(dirOf(ONE), 'parts', 'hub-a')),
  'images were being imported': () => existsSync(join(dirOf(ONE), 'nodes', 'hub-a', 'run', 'containerd', 'containerd.sock')),
  'the kubelet was started': () => existsSync(join(dirOf(ONE), 'parts', 'hub-a.kubelet')),
  'the first pod ran': () => processesOf(ONE).some(({ command }) => command.startsWith('/pause')),
  'policies were enforced': () => existsSync(join(dirOf(ONE), 'parts', 'hub-a.kube-router')),
};

describe('kill -9 of `lab up`', () => {
  test.each(Object.entries(MOMENTS))('when %s', async (_moment, hasCome) => {
    const { child, ended } = startHcpioLab(['up', '--name', ONE, '--nodes', '1', '--no-player']);
    await untilTrue(hasCome);
    child.kill('SIGKILL');
    await ended;
    const again = await hcpioLab('up', '--name', ONE, '--nodes', '1', '--no-player');
    expect(again).toEqual({
      code: 1,
      stdout: '',
      stderr: `hcpio: lab ${ONE} was left half-made: clear it away with \`hcpio lab down --name ${ONE}\`\n`,
    });
    await expectCleanDown(ONE);
  });
});

/** One lab for two moments: what was started goes on when the command is gone, as it would if nothing had been killed. */
test('kill -9 of `lab up` when the operator ran, and of the player and the VM when a worker booted', async () => {
  const { child, ended } = startHcpioLab(['up', '--name', ONE, '--operator', '--strategy', 'route']);
  const runs = (word: string) => processesOf(ONE).find(({ command }) => command.includes(word));
  await untilTrue(
    () => runs('/opt/hcpio/operator.cjs') !== undefined && existsSync(join(dirOf(ONE), 'hosted-blue.kubeconfig')),
    300_000,
    200,
  );
  child.kill('SIGKILL');
  await ended;
  const lab = await openLab(ONE);
  const published = [
    'get',
    'hostedcluster',
    'blue',
    '--namespace=clusters',
    '-o',
    'jsonpath={.spec.services[*].servicePublishingStrategy.type}',
  ];
  expect(await lab.kubectl(published)).toBe('Route Route Route Route');
  await lab.kubectl(['patch', 'nodepool', 'blue', '--namespace=clusters', '--type=merge', '--patch={"spec":{"replicas":1}}']);
  // Not any QEMU: whether the machine has KVM is tried with one that ends by itself.
  const vm = () => runs('netdev=segment')?.pid;
  await untilTrue(() => vm() !== undefined, 300_000, 200);
  const player = await lab.find('player');
  for (const pid of [player?.pid, vm()]) process.kill(pid ?? expect.fail('it has ended by itself'), 'SIGKILL');
  await expectCleanDown(ONE);
});

/** One lab for three misfortunes, each of which alone would do. */
test('a standing lab whose parts are killed tells which; when its `down` is killed half-way the next one ends it, and a shell that was left open', async () => {
  await hcpioLabWell('up', '--name', ONE, '--nodes', '1', '--no-player');
  const shell = startHcpioLab(['exec', 'hub-a', '--name', ONE, '--', 'sh', '-c', 'trap "" TERM; sleep 1000']);
  await untilTrue(() => processesOf(ONE).some(({ command }) => command === 'sleep 1000'));
  const lab = await openLab(ONE);
  for (const part of ['hub-a.containerd', 'hub-a.kubelet', 'kube-apiserver', 'hub-a']) {
    const found = await lab.find(part);
    if (!found) throw new Error(`${part} is not there`);
    process.kill(found.pid, 'SIGKILL');
  }
  const told = async () => (await hcpioLabWell('status', '--name', ONE)).split('\n').filter((line) => line.includes('has ended'));
  expect((await eventually(told, (lines) => lines.length === 4)).map((line) => line.trim().split(/\s+/)[0])).toEqual([
    'hub-a',
    'hub-a.containerd',
    'hub-a.kubelet',
    'kube-apiserver',
  ]);
  const down = startHcpioLab(['down', '--name', ONE]);
  await untilTrue(() => existsSync(join(dirOf(ONE), 'closing')));
  down.child.kill('SIGKILL');
  await down.ended;
  await expectCleanDown(ONE);
  expect((await shell.ended).code).not.toBe(0);
});

test('Ctrl-C takes away what was already there', async () => {
  const { child, ended } = startHcpioLab(['up', '--name', ONE, '--nodes', '1', '--no-player']);
  await untilTrue(() => existsSync(join(dirOf(ONE), 'parts', 'hub-a')));
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 1, stderr: 'hcpio: stopped by SIGINT\n' });
  expect(remainsOf(ONE)).toEqual([]);
});

test('when a part fails, the end of its log is shown at once, and the log is kept', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'hcpio-broken-cache-'));
  const broken = basename(dirname(dirname(toolPath('etcd'))));
  for (const entry of readdirSync(cacheRoot())) if (entry !== broken) symlinkSync(join(cacheRoot(), entry), join(cache, entry));
  mkdirSync(join(cache, broken, 'bin'), { recursive: true });
  writeFileSync(join(cache, broken, 'bin', 'etcd'), '#!/bin/sh\necho the disk is on fire\nexit 3\n', { mode: 0o755 });
  try {
    const { stderr, code } = await startHcpioLab(['up', '--name', ONE, '--nodes', '0'], { HCPIO_CACHE: cache }).ended;
    expect(code).toBe(1);
    expect(stderr).toContain('control plane: etcd ended while the lab waited for the hub API');
    expect(stderr).toContain('    the disk is on fire');
    const log = /the end of (\S+etcd\.log)/.exec(stderr)?.[1] ?? '';
    expect(readFileSync(log, 'utf8')).toBe('the disk is on fire\n');
    expect(remainsOf(ONE)).toEqual([]);
  } finally {
    rmSync(cache, { recursive: true });
  }
});

test('who is not root is told so, and nothing is touched', async () => {
  const asNobody = startHcpioLab(['up', '--name', ONE], {}, ['unshare', '--user']);
  expect(await asNobody.ended).toEqual({
    code: 1,
    stdout: '',
    stderr: 'hcpio: the lab makes network namespaces, mounts and cgroups: run it as root (sudo hcpio lab ...)\n',
  });
  expect(remainsOf(ONE)).toEqual([]);
});

test('a missing command or kernel feature is told in one line with what to install', async () => {
  const without = (command: string, sh: string) =>
    startHcpioLab(['up', '--name', ONE], {}, ['unshare', '--mount', 'sh', '-c', sh, command]);
  const noIpset = without('ipset', 'mount --bind /dev/null "$(command -v "$0")" && exec "$@"');
  expect(await noIpset.ended).toEqual({
    code: 1,
    stdout: '',
    stderr: 'hcpio: missing on this machine: apt-get install --no-install-recommends ipset\n',
  });
  const noKernelSupport = without('nft', 'mount --bind /bin/false "$(command -v "$0")" && exec "$@"');
  expect(await noKernelSupport.ended).toEqual({
    code: 1,
    stdout: '',
    stderr: 'hcpio: the kernel has no nftables: modprobe nf_tables (or boot a kernel that has them)\n',
  });
  expect(remainsOf(ONE)).toEqual([]);
});

test('what was not built is told in one line', async () => {
  const empty = startHcpioLab(['up', '--name', ONE], { HCPIO_CACHE: '/nonexistent' });
  expect(await empty.ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/^hcpio: etcd \S+ is not built: run `make \S+`\n$/) });
  expect(remainsOf(ONE)).toEqual([]);
});

/** Looks often, so that the moment is not over when it is noticed. */
async function untilTrue(condition: () => boolean, patienceMs = 120_000, everyMs = 2): Promise<void> {
  const came = await eventually(async () => condition(), Boolean, patienceMs, everyMs);
  if (!came) throw new Error('the moment did not come');
}

function entries(dir: string): readonly string[] {
  return existsSync(dir) ? readdirSync(dir) : [];
}
