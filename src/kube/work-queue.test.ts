import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ManualClock, settle } from './testing/manual-clock.ts';
import { RecordedMetrics } from './testing/telemetry-recorder.ts';
import { PRIORITY, WorkQueue } from './work-queue.ts';

const never = new AbortController().signal;

function newQueue() {
  const clock = new ManualClock();
  const metrics = new RecordedMetrics();
  return { clock, metrics, queue: new WorkQueue({ name: 'q', clock, metrics }) };
}

/** What a worker would get now; nothing is lost when there is none. */
async function tryGet(queue: WorkQueue): Promise<string | undefined> {
  const stop = new AbortController();
  const got = queue.get(stop.signal);
  await settle();
  stop.abort();
  return got;
}

test('keys come in the order they were added, each once however often it was added', async () => {
  const { queue } = newQueue();
  for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
  expect([await tryGet(queue), await tryGet(queue), await tryGet(queue), await tryGet(queue)]).toEqual(['a', 'b', 'c', undefined]);
});

test('a key added while it is worked on comes again when that work is done, and not before', async () => {
  const { queue } = newQueue();
  queue.add('a');
  await tryGet(queue);
  queue.add('a');
  queue.add('a');
  expect(await tryGet(queue)).toBeUndefined();
  queue.done('a');
  expect(await tryGet(queue)).toBe('a');
  queue.done('a');
  expect(await tryGet(queue)).toBeUndefined();
});

test('a worker that waits gets the next key at once', async () => {
  const { queue } = newQueue();
  const [first, second] = [queue.get(never), queue.get(never)];
  queue.add('a');
  queue.add('b');
  expect([await first, await second]).toEqual(['a', 'b']);
});

test('of several delays the earliest counts, once', async () => {
  const { queue, clock } = newQueue();
  queue.addAfter('a', 500);
  queue.addAfter('a', 100);
  queue.addAfter('a', 300);
  await clock.advance(99);
  expect(queue.depth).toBe(0);
  await clock.advance(1);
  expect(await tryGet(queue)).toBe('a');
  queue.done('a');
  await clock.advance(10_000);
  expect(queue.depth).toBe(0);
});

test('no delay is an add, and an add does not cancel a delay', async () => {
  const { queue, clock } = newQueue();
  queue.addAfter('a', 0);
  queue.addAfter('a', 100);
  expect(await tryGet(queue)).toBe('a');
  queue.done('a');
  await clock.advance(100);
  expect(await tryGet(queue)).toBe('a');
});

test('a key that keeps failing comes later and later, up to 1000 s, until it is forgotten', async () => {
  const { queue, clock } = newQueue();
  const waits: number[] = [];
  for (let failure = 0; failure < 20; failure += 1) {
    queue.addRateLimited('a');
    waits.push(clock.waits[0] ?? 0);
    await clock.advance(waits.at(-1) ?? 0);
    queue.done((await tryGet(queue)) ?? '');
  }
  expect(waits.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
  expect(waits.slice(-2)).toEqual([1_000_000, 1_000_000]);
  expect(queue.failuresOf('a')).toBe(20);
  queue.forget('a');
  queue.addRateLimited('a');
  expect(clock.waits).toEqual([5]);
});

test('many failing keys together are held to the common rate', async () => {
  const clock = new ManualClock();
  const queue = new WorkQueue({ name: 'q', clock, retryRate: { qps: 10, burst: 2 } });
  for (const key of ['a', 'b', 'c', 'd']) queue.addRateLimited(key);
  await clock.advance(5);
  expect(queue.depth).toBe(2);
  await clock.advance(95);
  expect(queue.depth).toBe(3);
  await clock.advance(100);
  expect(queue.depth).toBe(4);
});

test('a wait that the server asked for is kept', () => {
  const { queue, clock } = newQueue();
  queue.addRateLimited('a', 7_000);
  expect(clock.waits).toEqual([7_000]);
});

test('what changes now goes before what was there already, and a key is raised where it waits', async () => {
  const { queue } = newQueue();
  queue.add('old-1', PRIORITY.low);
  queue.add('old-2', PRIORITY.low);
  queue.add('old-3', PRIORITY.low);
  queue.add('new');
  queue.add('old-2');
  queue.add('new', PRIORITY.low);
  expect([await tryGet(queue), await tryGet(queue), await tryGet(queue), await tryGet(queue)]).toEqual(['new', 'old-2', 'old-1', 'old-3']);
});

test('a key raised while it is worked on comes back with its new priority', async () => {
  const { queue } = newQueue();
  queue.add('a', PRIORITY.low);
  await tryGet(queue);
  queue.add('b', PRIORITY.low);
  queue.add('a', PRIORITY.low);
  queue.add('a');
  queue.done('a');
  expect(await tryGet(queue)).toBe('a');
});

test('a shut down queue sends its workers home, takes nothing more, and waits for the work at hand', async () => {
  const { queue, clock } = newQueue();
  queue.add('a');
  await tryGet(queue);
  queue.addAfter('later', 100);
  const waiting = queue.get(never);
  let down = false;
  const shutDown = queue.shutDown(never).then(() => {
    down = true;
  });
  queue.add('b');
  await clock.advance(100);
  expect([await waiting, queue.depth, down, await queue.get(never)]).toEqual([undefined, 0, false, undefined]);
  queue.done('a');
  await shutDown;
});

test('waiting for the work at hand can be given up', async () => {
  const { queue } = newQueue();
  queue.add('a');
  await tryGet(queue);
  const stop = new AbortController();
  const shutDown = queue.shutDown(stop.signal);
  stop.abort();
  await expect(shutDown).resolves.toBeUndefined();
});

test('the metrics are those of client-go', async () => {
  const { queue, clock, metrics } = newQueue();
  queue.add('a');
  queue.add('b');
  await clock.advance(2_000);
  await tryGet(queue);
  await clock.advance(3_000);
  queue.sample();
  const value = (name: Parameters<RecordedMetrics['value']>[0]) => metrics.value(name, { name: 'q' });
  expect([value('workqueue_adds_total'), value('workqueue_depth')]).toEqual([2, 1]);
  expect([value('workqueue_unfinished_work_seconds'), value('workqueue_longest_running_processor_seconds')]).toEqual([3, 3]);
  queue.done('a');
  queue.addRateLimited('a');
  expect(value('workqueue_retries_total')).toBe(1);
  expect(metrics.observed.map(({ name, value: seconds }) => [name, seconds])).toEqual([
    ['workqueue_queue_duration_seconds', 2],
    ['workqueue_work_duration_seconds', 3],
  ]);
});

const key = fc.constantFrom('a', 'b', 'c', 'd');

/** What can happen to a queue, as data. */
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), key, priority: fc.constantFrom(0, -100) }),
  fc.record({ do: fc.constant('addAfter' as const), key, ms: fc.nat(200) }),
  fc.record({ do: fc.constant('fail' as const), key }),
  fc.record({ do: fc.constant('take' as const) }),
  fc.record({ do: fc.constant('finish' as const), which: fc.nat(10) }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.nat(150) }),
);

test('no key is ever lost, and none is ever worked on twice at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const clock = new ManualClock();
      const queue = new WorkQueue({ name: 'q', clock });
      const working: string[] = [];
      /** Keys that were asked for (now or by their due time) and have not been handed out since. */
      const owed = new Set<string>();
      const take = async () => {
        const key = await tryGet(queue);
        if (key === undefined) return false;
        expect(working).not.toContain(key);
        working.push(key);
        owed.delete(key);
        return true;
      };
      for (const action of steps) {
        if (action.do === 'add') {
          queue.add(action.key, action.priority);
          owed.add(action.key);
        } else if (action.do === 'addAfter') {
          queue.addAfter(action.key, action.ms);
          owed.add(action.key);
        } else if (action.do === 'fail') {
          queue.addRateLimited(action.key);
          owed.add(action.key);
        } else if (action.do === 'take') await take();
        else if (action.do === 'finish') {
          const [key] = working.splice(action.which % Math.max(working.length, 1), 1);
          if (key !== undefined) queue.done(key);
        } else await clock.advance(action.ms);
      }
      // Let every delay pass and every worker finish: whatever is owed must come now.
      await clock.advance(2_000_000);
      for (;;) {
        for (const key of working.splice(0)) queue.done(key);
        if (!(await take())) break;
      }
      // A key handed out early by another add, with its delay still to come, is not owed but may come again: never the reverse.
      expect([...owed]).toEqual([]);
      expect(queue.depth).toBe(0);
    }),
    { numRuns: 150 },
  );
});
