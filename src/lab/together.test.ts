import { expect, test } from 'vitest';
import { together } from './together.ts';

const never = new AbortController().signal;

test('the first failure stops the others and is the one that is told', async () => {
  const ended: string[] = [];
  const work = together(never, async (start, signal) => {
    const slow = new Promise<void>((_, reject) => {
      signal.addEventListener('abort', () => {
        ended.push('slow');
        reject(new Error('stopped'));
      });
    });
    await start([slow, Promise.reject(new Error('the cause'))]);
  });
  await expect(work).rejects.toThrow('the cause');
  expect(ended).toEqual(['slow']);
});

test('what was started and not waited for is finished before it returns', async () => {
  const finish = Promise.withResolvers<void>();
  let returned = false;
  const work = together(never, async (start) => {
    void start([finish.promise]);
  }).then(() => {
    returned = true;
  });
  await Promise.resolve();
  expect(returned).toBe(false);
  finish.resolve();
  await work;
  expect(returned).toBe(true);
});

test('when the caller stops it, the reason is the caller’s', async () => {
  const cancel = new AbortController();
  const work = together(cancel.signal, async (start, signal) => {
    await start([new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('somewhere inside'))))]);
  });
  cancel.abort(new Error('stopped by SIGINT'));
  await expect(work).rejects.toThrow('stopped by SIGINT');
});
