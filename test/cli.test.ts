import { execFile, spawn } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Scratch } from '../src/cli/testing/directory.ts';

/** The real binary, as a user starts it. */
const root = join(import.meta.dirname, '..');
const bin = join(root, 'bin', 'hcpio');

interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

interface Start {
  readonly cwd?: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const start = (command: string, args: readonly string[], { cwd = root, stdin = '', env = {} }: Start = {}): Promise<Ended> =>
  new Promise((resolve) => {
    const child = execFile(command, args, { cwd, env: { PATH: process.env['PATH'], ...env }, maxBuffer: 64 << 20 }, (_, out, err) =>
      resolve({ status: child.exitCode, out, err }),
    );
    child.stdin?.end(stdin);
  });

test('plan and render from the root of the repository, as the README says', async () => {
  using scratch = new Scratch();
  const plan = await start(bin, ['plan', '-f', 'examples/blue']);
  expect({ status: plan.status, err: plan.err, heading: plan.out.split('\n')[0] }).toEqual({
    status: 0,
    err: '',
    heading: 'Tenant network clusters/blue, mode Gateway',
  });
  const render = await start(bin, ['render', '-f', 'examples/blue', '--out', scratch.at('out')]);
  expect({ status: render.status, err: render.err, kustomization: 'out/kustomization.yaml' in scratch.files() }).toEqual({
    status: 0,
    err: '',
    kustomization: true,
  });
});

test('npx finds it', async () => {
  const { status, out } = await start('npx', ['--no-install', 'hcpio', 'plan', '-f', 'examples/blue', '-o', 'json'], {
    env: { HOME: process.env['HOME'] ?? '/' },
  });
  expect({ status, tenant: (JSON.parse(out) as { tenant: string }).tenant }).toEqual({ status: 0, tenant: 'clusters/blue' });
});

test('it runs from anywhere, and by a link under another name as a kubectl plugin', async () => {
  using scratch = new Scratch();
  symlinkSync(bin, scratch.at('kubectl-hcpio'));
  const { status, out } = await start(scratch.at('kubectl-hcpio'), ['plan', '--help'], { cwd: scratch.path });
  expect({ status, usage: out.split('\n')[0] }).toEqual({ status: 0, usage: 'Usage: kubectl hcpio plan [options]' });
});

test('the exit status tells findings from failures', async () => {
  const mistakes = await start(bin, ['plan', '-f', 'examples/mistakes']);
  const absent = await start(bin, ['plan', '-f', 'examples/absent']);
  expect([mistakes.status, absent.status, absent.err]).toEqual([2, 1, 'hcpio: cannot read examples/absent: no such file or directory\n']);
});

const manyMachines = (count: number): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'List',
    items: Array.from({ length: count }, (_, i) => ({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: { name: `more-${i}`, namespace: 'clusters-blue' },
      spec: { networks: [{ name: 'n', multus: { networkName: 'default/vlan100' } }] },
      status: { interfaces: [{ name: 'n', mac: `02:00:00:00:00:${i.toString(16).padStart(2, '0')}` }] },
    })),
  });

test('output that is larger than a pipe arrives whole', async () => {
  const { status, out } = await start(bin, ['plan', '-f', 'examples/blue', '-f', '-', '-o', 'json'], { stdin: manyMachines(200) });
  const plan = JSON.parse(out) as { dhcp: { reservations: unknown[] } };
  expect({ status, large: out.length > 1 << 16, machines: plan.dhcp.reservations.length }).toEqual({
    status: 0,
    large: true,
    machines: 202,
  });
});

test('a reader that goes away is no crash', async () => {
  const child = spawn(bin, ['plan', '-f', 'examples/blue', '-f', '-', '-o', 'json'], { cwd: root });
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  child.stdout.destroy();
  child.stdin.end(manyMachines(200));
  const status = await new Promise((resolve) => child.on('close', resolve));
  expect({ status, err }).toEqual({ status: 0, err: '' });
});

test('output that finds no room is one line and a failure', async () => {
  const { status, err } = await start('sh', ['-c', `exec ${bin} plan -f examples/blue >/dev/full`]);
  expect({ status, err }).toEqual({ status: 1, err: 'hcpio: cannot write the output: ENOSPC: no space left on device, write\n' });
});

test('a pipe by its name is read like a file', async () => {
  const { status, out } = await start('sh', ['-c', `for f in examples/blue/*.yaml; do cat $f; echo ---; done | ${bin} plan -f /dev/stdin`]);
  expect({ status, heading: out.split('\n')[0] }).toEqual({ status: 0, heading: 'Tenant network clusters/blue, mode Gateway' });
});

test('colour is for terminals only, and NO_COLOR takes it away', async () => {
  const coloured = (text: string): boolean => text.includes('\u001b[');
  // script(1) gives the command a terminal of its own.
  const atTerminal = (env: Record<string, string>) =>
    start('script', ['-qefc', `${bin} plan -f examples/blue`, '/dev/null'], { env: { TERM: 'xterm', ...env } });
  const runs = [
    await start(bin, ['plan', '-f', 'examples/blue'], { env: { FORCE_COLOR: '1' } }),
    await atTerminal({}),
    await atTerminal({ NO_COLOR: '1' }),
  ];
  expect(runs.map(({ status, out }) => [status, coloured(out)])).toEqual([
    [0, false],
    [0, true],
    [0, false],
  ]);
});
