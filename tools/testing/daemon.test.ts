import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Daemon } from './daemon.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hcpio-daemon-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const signal = new AbortController().signal;
/** A zombie is dead; when its new parent gets round to reaping it is not our business. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('a daemon can be killed and started again', async () => {
  const daemon = new Daemon('sleeper', ['sleep', 'infinity'], join(dir, 'log'));
  daemon.start();
  const first = daemon.pid;
  await daemon.kill();
  expect([daemon.running, isAlive(first)]).toEqual([false, false]);
  daemon.start();
  expect([daemon.running, daemon.pid === first]).toEqual([true, false]);
  await daemon.kill('SIGTERM');
  expect(daemon.running).toBe(false);
});

test('waiting for a daemon that ended tells what it said last', async () => {
  const daemon = new Daemon('failer', ['sh', '-c', 'echo no such luck; exit 1'], join(dir, 'log'));
  daemon.start();
  await expect(daemon.until(async () => false, signal)).rejects.toThrow('failer ended:\nno such luck');
});

test('a daemon does not outlive the process that started it, even when that is killed with -9', async () => {
  const source = `import { Daemon } from ${JSON.stringify(join(import.meta.dirname, 'daemon.ts'))};
    const daemon = new Daemon('sleeper', ['sleep', 'infinity'], ${JSON.stringify(join(dir, 'log'))});
    daemon.start();
    // The death signal is set once setpriv has become sleep.
    const { readlinkSync } = await import('node:fs');
    await daemon.until(async () => readlinkSync('/proc/' + daemon.pid + '/exe').endsWith('/sleep'), new AbortController().signal);
    console.log(daemon.pid);`;
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(owner.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  expect(isAlive(pid)).toBe(true);
  owner.kill('SIGKILL');
  await vi.waitUntil(() => !isAlive(pid), { timeout: 30_000 });
});
