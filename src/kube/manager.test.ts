import { expect, test } from 'vitest';
import { onAbort } from './clock.ts';
import { Controller } from './controller.ts';
import { LeadershipLost } from './errors.ts';
import type { Lease } from './lease.ts';
import { Manager, type Runnable, type Watched } from './manager.ts';
import { ManualClock, settle } from './testing/manual-clock.ts';
import { RecordedLog, RecordedMetrics } from './testing/telemetry-recorder.ts';

/** Everything that happens, in its order. */
function setUp() {
  const story: string[] = [];
  const aborted = (signal: AbortSignal) => new Promise<void>((resolve) => onAbort(signal, resolve));
  const runnable = (name: string): Runnable => ({
    name,
    async run(signal) {
      story.push(`${name} starts`);
      await aborted(signal);
      story.push(`${name} ends`);
    },
  });
  const sync = Promise.withResolvers<void>();
  const state = { synced: false };
  const informer: Watched = {
    ...runnable('informer'),
    state: { phase: 'synced', message: '' },
    store: {
      get hasSynced() {
        return state.synced;
      },
      size: 3,
      synced: (signal) =>
        Promise.race([
          sync.promise,
          aborted(signal).then(() => {
            throw signal.reason;
          }),
        ]),
    },
  };
  const work = Promise.withResolvers<void>();
  const metrics = new RecordedMetrics();
  const controller = new Controller({
    name: 'things',
    clock: new ManualClock(),
    random: () => 0,
    metrics,
    async reconcile() {
      story.push('work starts');
      await work.promise;
      story.push('work ends');
      return undefined;
    },
  });
  controller.queue.add('a');
  const leadership = new AbortController();
  const lease = {
    isLeading: true,
    async run(lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) {
      story.push('leads');
      await lead(AbortSignal.any([signal, leadership.signal]));
      story.push('hands back');
      if (leadership.signal.aborted) throw leadership.signal.reason;
    },
  } as unknown as Lease;
  const sets = { informers: [informer], controllers: [controller], always: [runnable('server')], leading: [runnable('recorder')] };
  const markSynced = () => {
    state.synced = true;
    sync.resolve();
  };
  return { story, runnable, sets, lease, work, markSynced, leadership, metrics };
}

test('caches are warm before anybody leads, and everything ends in the reverse order', async () => {
  const { story, sets, lease, work, markSynced } = setUp();
  const stop = new AbortController();
  const manager = new Manager({ ...sets, lease });
  const running = manager.run(stop.signal);
  await settle();
  expect([story, manager.health().allSynced, manager.health().leading]).toEqual([['informer starts', 'server starts'], false, false]);
  markSynced();
  await settle();
  expect(story.slice(2)).toEqual(['leads', 'recorder starts', 'work starts']);
  expect(manager.health()).toEqual({
    informers: { informer: { phase: 'synced', message: '', synced: true, objects: 3 } },
    allSynced: true,
    leading: true,
  });
  stop.abort();
  await settle();
  expect(story.slice(5)).toEqual([]);
  work.resolve();
  await running;
  expect(story.slice(5)).toEqual(['work ends', 'recorder ends', 'hands back', 'informer ends', 'server ends']);
  expect(manager.health().leading).toBe(false);
});

test('without a lease the controllers run when the caches are warm', async () => {
  const { story, sets, work, markSynced } = setUp();
  const stop = new AbortController();
  const manager = new Manager(sets);
  const running = manager.run(stop.signal);
  markSynced();
  await settle();
  expect([story.at(-1), manager.health().leading]).toEqual(['work starts', true]);
  work.resolve();
  stop.abort();
  await running;
});

test('a stop before the caches are warm, or before the start, ends it', async () => {
  const { story, sets, lease } = setUp();
  const stop = new AbortController();
  const running = new Manager({ ...sets, lease }).run(stop.signal);
  await settle();
  stop.abort();
  await running;
  expect(story).toEqual(['informer starts', 'server starts', 'informer ends', 'server ends']);
  await new Manager({ ...setUp().sets, lease }).run(stop.signal);
});

test('the loss of leadership is thrown when all is down', async () => {
  const { story, sets, lease, work, markSynced, leadership } = setUp();
  const running = new Manager({ ...sets, lease }).run(new AbortController().signal);
  markSynced();
  await settle();
  leadership.abort(new LeadershipLost('gone'));
  work.resolve();
  await expect(running).rejects.toThrow(LeadershipLost);
  expect(story.slice(-2)).toEqual(['informer ends', 'server ends']);
});

test('a part that fails takes the others down in order, and its failure is thrown', async () => {
  const { story, sets, lease, work, markSynced } = setUp();
  const broken = Promise.withResolvers<void>();
  const log = new RecordedLog();
  const always = [...sets.always, { name: 'broken', run: () => broken.promise }];
  const running = new Manager({ ...sets, always, lease, log }).run(new AbortController().signal);
  markSynced();
  await settle();
  broken.reject(new Error('port in use'));
  work.resolve();
  await expect(running).rejects.toThrow('port in use');
  expect(story.slice(5)).toEqual(['work ends', 'recorder ends', 'hands back', 'informer ends', 'server ends']);
  expect(log.messages('error')).toEqual(['a part of the program failed']);
});

test('gauges are sampled for all controllers', () => {
  const { sets, metrics } = setUp();
  new Manager(sets).sample();
  expect(metrics.value('workqueue_unfinished_work_seconds', { name: 'things' })).toBe(0);
});
