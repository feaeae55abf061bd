import { expect, test } from 'vitest';
import { mapParallel } from './parallel.ts';
import { settle } from './testing/manual-clock.ts';

const never = new AbortController().signal;

test('results come in the order of the items, and never more than the limit are under way', async () => {
  let active = 0;
  let most = 0;
  const task = async (item: number) => {
    most = Math.max(most, ++active);
    for (let turn = 0; turn < 10 - item; turn += 1) await settle();
    active -= 1;
    return item * 10;
  };
  expect(await mapParallel([1, 2, 3, 4, 5, 6], 3, task, never)).toEqual([10, 20, 30, 40, 50, 60]);
  expect(most).toBe(3);
});

test('after a failure nothing new starts, what is under way ends first, and the failure is thrown', async () => {
  const ended: number[] = [];
  const task = async (item: number) => {
    if (item === 1) throw new Error('first');
    await settle();
    ended.push(item);
  };
  await expect(mapParallel([1, 2, 3, 4, 5], 2, task, never)).rejects.toThrow('first');
  expect(ended).toEqual([2]);
});

test('an abort starts nothing new and is thrown', async () => {
  const stop = new AbortController();
  const started: number[] = [];
  const task = async (item: number) => {
    started.push(item);
    stop.abort(new Error('stop'));
  };
  await expect(mapParallel([1, 2, 3], 1, task, stop.signal)).rejects.toThrow('stop');
  expect(started).toEqual([1]);
});
