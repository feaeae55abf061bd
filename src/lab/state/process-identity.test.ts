import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { formatIdentity, identify, isAlive, parseIdentity, parseStat } from './process-identity.ts';

test('a command name with spaces and parentheses does not shift the fields', () => {
  const stat = `4711 (tmux: (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 98765 20 21`;
  expect(parseStat(stat)).toEqual({ state: 'S', startTime: '98765' });
});

test('a process is known by its start time, and another one with its pid is not it', async () => {
  const self = await identify(process.pid);
  if (!self) throw new Error('this process is not in /proc');
  expect([await isAlive(self), await isAlive({ ...self, startTime: '1' })]).toEqual([true, false]);
  expect(parseIdentity(formatIdentity(self))).toEqual(self);
});

test('a process that has ended is not alive', async () => {
  const child = spawn('sleep', ['60']);
  const identity = await identify(child.pid ?? 0);
  if (!identity) throw new Error('the child is not in /proc');
  const before = await isAlive(identity);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect([before, await isAlive(identity)]).toEqual([true, false]);
});

test('a record that was cut off names nobody', () => {
  expect(['', '12', 'x 1', '12 '].map(parseIdentity)).toEqual([undefined, undefined, undefined, undefined]);
});
