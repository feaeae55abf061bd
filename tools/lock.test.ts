import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from './lock.ts';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hcpio-lock-'));
  path = join(dir, 'lock');
});
afterEach(() => rmSync(dir, { recursive: true }));

const signal = new AbortController().signal;

test('work under one lock happens one after the other', async () => {
  const story: string[] = [];
  const work = (name: string) =>
    withLock(path, signal, async () => {
      story.push(`${name} enters`);
      await new Promise((resolve) => setImmediate(resolve));
      story.push(`${name} leaves`);
    });
  await Promise.all(['a', 'b', 'c'].map(work));
  const visits = [0, 2, 4].map((at) => story.slice(at, at + 2).map((line) => line.split(' ')[0]));
  expect(visits.map(([enters, leaves]) => enters === leaves)).toEqual([true, true, true]);
});

test('the lock is free again after work that throws', async () => {
  const failing = withLock(path, signal, async () => {
    throw new Error('dropped');
  });
  await expect(failing).rejects.toThrow('dropped');
  expect(await withLock(path, signal, async () => 'mine')).toBe('mine');
});

test('the lock of a process that was killed with -9 is no lock', async () => {
  const source = `import { withLock } from ${JSON.stringify(join(import.meta.dirname, 'lock.ts'))};
    await withLock(${JSON.stringify(path)}, new AbortController().signal, async () => {
      console.log('held');
      await new Promise((resolve) => setInterval(resolve, 1 << 30));
    });`;
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  let entered = false;
  const waiting = withLock(path, signal, async () => {
    entered = true;
  });
  await once(spawn('flock', ['--nonblock', path, 'true']), 'close').then(([code]) => expect([code, entered]).toEqual([1, false]));
  holder.kill('SIGKILL');
  await waiting;
  expect(entered).toBe(true);
});

test('who waits for a lock can be told to give up', async () => {
  const cancel = new AbortController();
  await withLock(path, signal, async () => {
    const waiting = withLock(path, cancel.signal, async () => 'never');
    cancel.abort(new Error('changed my mind'));
    await expect(waiting).rejects.toThrow('changed my mind');
  });
});
