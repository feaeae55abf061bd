import { expect, test, vi } from 'vitest';
import { Controller, type ControllerOptions, type Reconcile } from './controller.ts';
import { ApiError, LeadershipLost, TerminalError } from './errors.ts';
import type { WireObject } from './object.ts';
import { Store, type Stored } from './store.ts';
import { ManualClock, settle } from './testing/manual-clock.ts';
import { RecordedLog, RecordedMetrics } from './testing/telemetry-recorder.ts';

function setUp(reconcile: Reconcile, options: Partial<ControllerOptions> = {}) {
  const clock = new ManualClock();
  const log = new RecordedLog();
  const metrics = new RecordedMetrics();
  let drawn = 0;
  const random = () => {
    drawn += 1;
    return drawn / 2 ** 48;
  };
  const controller = new Controller({ name: 'things', reconcile, clock, random, log, metrics, ...options });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  const total = (result: string) => metrics.value('controller_runtime_reconcile_total', { controller: 'things', result });
  const value = (name: Parameters<RecordedMetrics['value']>[0]) => metrics.value(name, { controller: 'things' });
  return { clock, log, controller, stop, running, total, value, metrics };
}

test('each key is reconciled once, by as many workers as there are', async () => {
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const { controller, value, total, stop, running } = setUp(
    async (key) => {
      gates.set(key, Promise.withResolvers());
      await gates.get(key)?.promise;
      return undefined;
    },
    { workers: 2 },
  );
  for (const key of ['a', 'b', 'c']) controller.queue.add(key);
  await settle();
  expect([[...gates.keys()], value('controller_runtime_active_workers'), value('controller_runtime_max_concurrent_reconciles')]).toEqual([
    ['a', 'b'],
    2,
    2,
  ]);
  gates.get('a')?.resolve();
  await settle();
  expect([...gates.keys()]).toEqual(['a', 'b', 'c']);
  for (const gate of gates.values()) gate.resolve();
  await settle();
  expect([total('success'), value('controller_runtime_active_workers')]).toEqual([3, 0]);
  stop.abort();
  await running;
});

test('a reconciliation that wants to look again is called again then, without backoff', async () => {
  const times: number[] = [];
  const { controller, clock, total } = setUp(async () => {
    times.push(clock.monotonic());
    return { requeueAfterMs: 60_000 };
  });
  controller.queue.add('a');
  await clock.advance(180_000);
  expect([times, total('requeue_after')]).toEqual([[0, 60_000, 120_000, 180_000], 4]);
});

test('a failure is told and tried again, later each time, until it goes well', async () => {
  const attempts: number[] = [];
  const { controller, clock, log, total, value } = setUp(async (_, { failures }) => {
    attempts.push(failures);
    if (failures < 3) throw new Error('not yet');
    return undefined;
  });
  controller.queue.add('a');
  await clock.advance(5 + 10 + 20);
  expect([attempts, total('error'), total('success'), value('controller_runtime_reconcile_errors_total')]).toEqual([[0, 1, 2, 3], 3, 1, 3]);
  expect(controller.queue.failuresOf('a')).toBe(0);
  expect(log.lines.map(({ level, message, fields }) => [level, message, fields['key'], fields['reconcileId']])).toEqual(
    ['000000000001', '000000000002', '000000000003'].map((id) => ['error', 'reconciliation failed; trying again', 'a', id]),
  );
});

test('a failure is logged under the name of what the key is a key of', async () => {
  const { controller, log } = setUp(() => Promise.reject(new Error('not yet')), { keyIs: 'tenant' });
  controller.queue.add('clusters/blue');
  await settle();
  expect(log.lines.map(({ fields }) => ({ ...fields, err: String(fields['err']) }))).toEqual([
    { controller: 'things', tenant: 'clusters/blue', reconcileId: '000000000001', err: 'Error: not yet' },
  ]);
});

test('a thing thrown that is no error, and a throw before the first await, are failures like any other', async () => {
  const { controller, clock, total } = setUp((key) => {
    throw key === 'a' ? 'text' : new TypeError('a mistake');
  });
  controller.queue.add('a');
  controller.queue.add('b');
  await clock.advance(0);
  expect(total('error')).toBe(2);
});

test('a terminal failure is told and not tried again, until something changes', async () => {
  let calls = 0;
  const { controller, clock, log, value } = setUp(async () => {
    calls += 1;
    throw calls === 1 ? new Error('not yet') : new TerminalError('the spec makes no sense');
  });
  controller.queue.add('a');
  await clock.advance(10_000_000);
  expect([calls, value('controller_runtime_terminal_reconcile_errors_total'), clock.waits]).toEqual([2, 1, []]);
  expect(log.messages('error').at(-1)).toBe('reconciliation failed and is not tried again before something changes');
  // What comes next is a new beginning.
  expect(controller.queue.failuresOf('a')).toBe(0);
  controller.queue.add('a');
  await settle();
  expect(calls).toBe(3);
});

test('a conflict is everyday life, and a busy server is given the time it asks for', async () => {
  const failures = [new ApiError('PUT /x', 409, { reason: 'Conflict' }), new ApiError('PUT /x', 429, {}, 7_000)];
  const { controller, clock, log } = setUp(async () => {
    const failure = failures.shift();
    if (failure) throw failure;
    return undefined;
  });
  controller.queue.add('a');
  await settle();
  expect([log.messages('error'), log.messages('debug')]).toEqual([[], ['reconciliation met a newer object; trying again']]);
  await clock.advance(5);
  expect(clock.waits).toEqual([7_000]);
});

test('a reconciliation that takes too long is told to stop, and tried again', async () => {
  const reasons: string[] = [];
  const { controller, clock, value, total } = setUp(
    (_, { signal }) =>
      new Promise((__, reject) =>
        signal.addEventListener('abort', () => {
          reasons.push(String(signal.reason));
          reject(signal.reason);
        }),
      ),
    { deadlineMs: 1_000 },
  );
  controller.queue.add('a');
  await clock.advance(1_000);
  expect([reasons, value('controller_runtime_reconcile_timeouts_total'), total('error')]).toEqual([
    ['ReconcileTimeout: not finished after 1000 ms'],
    1,
    1,
  ]);
  await clock.advance(1_005);
  expect(reasons).toHaveLength(2);
});

test('after the stop running reconciliations finish, and waiting keys are left', async () => {
  const gate = Promise.withResolvers<void>();
  const done: string[] = [];
  const { controller, stop, running } = setUp(async (key, { signal }) => {
    await gate.promise;
    done.push(`${key} ${signal.aborted}`);
    return { requeueAfterMs: 1 };
  });
  controller.queue.add('a');
  controller.queue.add('b');
  await settle();
  stop.abort();
  await settle();
  gate.resolve();
  await running;
  expect(done).toEqual(['a false']);
});

const untilAborted: Reconcile = (_, { signal }) =>
  new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('after the time to drain they are aborted', async () => {
  const { controller, clock, stop, running, log } = setUp(untilAborted, { drainMs: 3_000 });
  controller.queue.add('a');
  await settle();
  stop.abort(new Error('stop'));
  await clock.advance(3_000);
  await running;
  expect([log.messages('info'), log.messages('error')]).toEqual([['reconciliation was cut short by the stop'], []]);
});

test('when leadership is lost they are aborted at once', async () => {
  const { controller, stop, running } = setUp(untilAborted);
  controller.queue.add('a');
  await settle();
  stop.abort(new LeadershipLost('gone'));
  await running;
});

test('one that does not heed its signal is abandoned, so that the process can end', async () => {
  const { controller, clock, stop, running, log } = setUp(() => new Promise(() => {}));
  controller.queue.add('a');
  await settle();
  stop.abort(new LeadershipLost('gone'));
  await clock.advance(5_000);
  await running;
  expect(log.messages('error')).toEqual(['reconciliations that do not stop were abandoned']);
});

test('changes in a store become keys: of the new and of the old owner, what was there already last', async () => {
  interface Child extends Stored {
    readonly owner: string;
  }
  const wire = (name: string, resourceVersion: string, owner: string): WireObject => ({
    apiVersion: 'v1',
    kind: 'C',
    metadata: { name, uid: name, resourceVersion },
    owner,
  });
  const store = new Store<Child>({ project: (object) => ({ metadata: object.metadata, owner: String(object['owner']) }) });
  const replacement = store.replace();
  replacement.add(wire('x', '1', 'old-1'));
  replacement.add(wire('y', '2', 'old-2'));
  replacement.commit();
  const seen: string[] = [];
  const clock = new ManualClock();
  const reconcile = vi.fn(async (key: string) => {
    seen.push(key);
    return undefined;
  });
  const controller = new Controller({ name: 'owners', clock, random: () => 0, reconcile });
  const unwatch = controller.watch(store, ({ owner }) => [owner]);
  store.upsert(wire('z', '3', 'first'));
  store.remove(wire('x', '4', 'old-1'));
  void controller.run(new AbortController().signal);
  await settle();
  expect(seen.splice(0)).toEqual(['first', 'old-1', 'old-2']);
  store.upsert(wire('z', '5', 'second'));
  await settle();
  expect(seen.splice(0)).toEqual(['second', 'first']);
  unwatch();
  store.upsert(wire('z', '6', 'third'));
  await settle();
  expect(seen).toEqual([]);
});
