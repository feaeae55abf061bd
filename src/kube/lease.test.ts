import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LeadershipLost } from './errors.ts';
import { Lease, type LeaseTiming, PATIENT_LEASE, QUICK_LEASE } from './lease.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { answer, fail, ProtocolServer, type Seen } from './testing/protocol-server.ts';
import { RecordedLog, RecordedMetrics } from './testing/telemetry-recorder.ts';

let server: ProtocolServer;
let clock: ManualClock;
beforeEach(async () => {
  server = await ProtocolServer.start();
  clock = new ManualClock();
});
afterEach(() => server.close());

const until = (condition: () => void) => vi.waitFor(condition, { timeout: 20_000, interval: 2 });
const spec = () => server.get('leases', 'n/the-lease')?.['spec'];
const isWrite = ({ method }: Seen) => method !== 'GET';

/** A candidate whose work lasts until its signal, or longer when it has something to finish. */
function candidate(identity: string, timing: LeaseTiming = QUICK_LEASE, finish: Promise<void> = Promise.resolve()) {
  const metrics = new RecordedMetrics();
  const log = new RecordedLog();
  const transport = server.transport({ clock, random: () => 0 });
  const lease = new Lease({ transport, namespace: 'n', name: 'the-lease', identity, timing, metrics, log });
  const stop = new AbortController();
  const story: string[] = [];
  const times = { lost: Number.NaN };
  const work = async (signal: AbortSignal) => {
    story.push('works');
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    times.lost = clock.monotonic();
    story.push(signal.reason instanceof LeadershipLost ? `stops: ${signal.reason.message}` : 'stops');
    await finish;
  };
  const ended = lease.run(work, stop.signal).then(
    () => story.push('ended'),
    (error: unknown) => story.push(`failed: ${(error as Error).name}`),
  );
  return { lease, stop, story, times, ended, metrics, log };
}

test('a free lease is taken and renewed, and time is written as the API wants it', async () => {
  const a = candidate('a');
  await until(() => expect(a.story).toEqual(['works']));
  const taken = { holderIdentity: 'a', leaseDurationSeconds: 15, acquireTime: '2026-01-02T03:04:05.000000Z', leaseTransitions: 0 };
  expect(spec()).toEqual({ ...taken, renewTime: '2026-01-02T03:04:05.000000Z' });
  await clock.advance(2_000);
  await until(() => expect(spec()).toEqual({ ...taken, renewTime: '2026-01-02T03:04:07.000000Z' }));
  expect([a.lease.isLeading, a.lease.holder, a.metrics.value('leader_election_master_status', { name: 'the-lease' })]).toEqual([
    true,
    'a',
    1,
  ]);
  // One request to look, one to take, one to renew.
  expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'PUT']);
  a.stop.abort();
  await a.ended;
});

test('who stops finishes its work, hands the lease back, and the next one need not wait for it to run out', async () => {
  const work = Promise.withResolvers<void>();
  const a = candidate('a', QUICK_LEASE, work.promise);
  await until(() => expect(a.story).toEqual(['works']));
  const b = candidate('b');
  await until(() => expect(b.lease.holder).toBe('a'));
  a.stop.abort();
  await until(() => expect(a.story).toEqual(['works', 'stops']));
  // Still working: still renewing.
  await clock.advance(2_000);
  await until(() => expect(spec()).toMatchObject({ holderIdentity: 'a', renewTime: '2026-01-02T03:04:07.000000Z' }));
  work.resolve();
  await a.ended;
  expect(spec()).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  await clock.advance(2_000);
  await until(() => expect(b.story).toEqual(['works']));
  expect(spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  expect([a.story.at(-1), a.lease.isLeading, a.metrics.value('leader_election_master_status', { name: 'the-lease' })]).toEqual([
    'ended',
    false,
    0,
  ]);
  b.stop.abort();
  await b.ended;
});

test('what is handed back does not wait until a patient holder would have renewed it', async () => {
  const a = candidate('a', PATIENT_LEASE);
  await until(() => expect(a.story).toEqual(['works']));
  const b = candidate('b', PATIENT_LEASE);
  await until(() => expect(b.lease.holder).toBe('a'));
  a.stop.abort();
  await a.ended;
  await clock.advance(3_000);
  await until(() => expect(b.story).toEqual(['works']));
  b.stop.abort();
  await b.ended;
});

test('a silent holder is succeeded after its duration by our clock, whatever times it wrote', async () => {
  const dead = { holderIdentity: 'dead', leaseDurationSeconds: 15, renewTime: '2099-01-01T00:00:00.000000Z', leaseTransitions: 4 };
  server.put('leases', { metadata: { namespace: 'n', name: 'the-lease' }, spec: dead });
  const b = candidate('b');
  await until(() => expect(b.lease.holder).toBe('dead'));
  for (let second = 0; second < 14; second += 2) {
    await clock.advance(2_000);
    await until(() => expect(clock.waits).toEqual([2_000]));
  }
  expect(b.story).toEqual([]);
  await clock.advance(2_000);
  await until(() => expect(b.story).toEqual(['works']));
  expect(spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 5 });
  b.stop.abort();
  await b.ended;
});

test('a holder that renews is never succeeded, even if its clock is years behind', async () => {
  const beat = (renewTime: string) =>
    server.put('leases', {
      metadata: { namespace: 'n', name: 'the-lease' },
      spec: { holderIdentity: 'slow', leaseDurationSeconds: 15, renewTime },
    });
  beat('1999-01-01T00:00:00.000000Z');
  const b = candidate('b');
  await until(() => expect(b.lease.holder).toBe('slow'));
  for (let second = 0; second < 60; second += 10) {
    await clock.advance(10_000);
    beat(`1999-01-01T00:00:${second || '01'}.000000Z`);
    await clock.advance(2_000);
    await until(() => expect(clock.waits).toEqual([2_000]));
  }
  expect(b.story).toEqual([]);
  b.stop.abort();
  await b.ended;
  expect(b.story).toEqual(['ended']);
});

test('of two who want a free lease one gets it', async () => {
  const both = [candidate('a'), candidate('b')];
  await until(() => expect(both.flatMap(({ story }) => story)).toEqual(['works']));
  await clock.advance(2_000);
  await until(() => expect(both.map(({ lease }) => lease.holder)).toEqual([both[0]?.lease.holder, both[0]?.lease.holder]));
  for (const { stop, ended } of both) {
    stop.abort();
    await ended;
  }
});

test('a holder that cannot renew stops before anybody else may begin', async () => {
  const a = candidate('a');
  await until(() => expect(a.story).toEqual(['works']));
  const refuse = () => server.failNext(isWrite, (response) => fail(response, 500, 'InternalError', 'etcd is away'));
  for (let renewal = 0; renewal < 5; renewal += 1) refuse();
  for (let second = 0; second < 8; second += 2) {
    await clock.advance(2_000);
    await until(() => expect(clock.waits).toEqual([2_000]));
    expect(a.lease.isLeading).toBe(true);
  }
  await clock.advance(2_000);
  await a.ended;
  expect(a.story).toEqual(['works', 'stops: the lease could not be renewed for 10000 ms', 'failed: LeadershipLost']);
  expect(clock.monotonic()).toBeLessThan(QUICK_LEASE.durationMs);
  // What it could not renew it does not hand back either: the others know their time.
  expect(spec()).toMatchObject({ holderIdentity: 'a' });
});

test('a request that hangs does not carry the holder past its deadline', async () => {
  const a = candidate('a', PATIENT_LEASE);
  await until(() => expect(a.story).toEqual(['works']));
  for (let renewal = 0; renewal < 20; renewal += 1) server.failNext(isWrite, () => {});
  for (let second = 0; second < 107 && a.story.length < 3; second += 1) {
    await clock.advance(1_000);
    await until(() => expect(clock.waits.length === 0 || server.requests.length > 1).toBe(true));
  }
  await a.ended;
  expect(a.story.at(-1)).toBe('failed: LeadershipLost');
  expect(clock.monotonic()).toBeLessThanOrEqual(PATIENT_LEASE.renewDeadlineMs);
});

test('a renewal counts from when it was sent, not from when it was answered', async () => {
  const a = candidate('a');
  await until(() => expect(a.story).toEqual(['works']));
  server.failNext(isWrite, (response, { body }) => {
    // Seen by the others now, answered to the holder a second later.
    const written = server.put('leases', body as never);
    clock.after(1_000, () => answer(response, 200, written));
  });
  await clock.advance(2_000);
  await until(() => expect(spec()).toMatchObject({ renewTime: '2026-01-02T03:04:07.000000Z' }));
  await clock.advance(1_000);
  await until(() => expect(clock.waits).toEqual([2_000]));
  for (let renewal = 0; renewal < 9; renewal += 1)
    server.failNext(isWrite, (response) => fail(response, 500, 'InternalError', 'etcd is away'));
  for (let moment = 0; moment < 9_000 && a.story.length < 3; moment += 500) await clock.advance(500);
  await a.ended;
  // Sent at 2 s, answered at 3 s: over at 12 s and not at 13 s.
  expect(a.times.lost).toBeLessThan(13_000);
});

test('a holder that was overruled stops at once', async () => {
  const a = candidate('a');
  await until(() => expect(a.story).toEqual(['works']));
  server.put('leases', { metadata: { namespace: 'n', name: 'the-lease' }, spec: { holderIdentity: 'usurper', leaseDurationSeconds: 15 } });
  await clock.advance(2_000);
  await a.ended;
  expect(a.story).toEqual(['works', 'stops: usurper holds the lease', 'failed: LeadershipLost']);
});

test('an edit by somebody else, or a deletion, does not cost the leadership', async () => {
  const a = candidate('a');
  await until(() => expect(a.story).toEqual(['works']));
  server.put('leases', { ...server.get('leases', 'n/the-lease'), metadata: { namespace: 'n', name: 'the-lease', labels: { by: 'hand' } } });
  await clock.advance(2_000);
  await until(() => expect(spec()).toMatchObject({ holderIdentity: 'a', renewTime: '2026-01-02T03:04:07.000000Z' }));
  expect(server.get('leases', 'n/the-lease')?.metadata.labels).toEqual({ by: 'hand' });
  server.remove('leases', 'n/the-lease');
  await clock.advance(2_000);
  await until(() => expect(spec()).toMatchObject({ holderIdentity: 'a', renewTime: '2026-01-02T03:04:09.000000Z' }));
  expect(a.story).toEqual(['works']);
  a.stop.abort();
  await a.ended;
});

test('who has no right to the lease says so and goes on trying', async () => {
  server.failNext(
    () => true,
    (response) => fail(response, 403, 'Forbidden', 'leases is forbidden'),
  );
  const a = candidate('a');
  await until(() => expect(a.log.messages('warn')).toEqual(['the lease could not be read or written']));
  await clock.advance(2_000);
  await until(() => expect(a.story).toEqual(['works']));
  a.stop.abort();
  await a.ended;
});

test('a failure of the work is the failure of the run, and the lease is handed back', async () => {
  const transport = server.transport({ clock });
  const lease = new Lease({ transport, namespace: 'n', name: 'the-lease', identity: 'a', timing: QUICK_LEASE });
  const run = lease.run(async () => {
    throw new Error('broken');
  }, new AbortController().signal);
  await expect(run).rejects.toThrow('broken');
  expect(spec()).toMatchObject({ holderIdentity: '' });
});

test('numbers that would let two lead at once are refused', () => {
  const lease = (timing: LeaseTiming) => () =>
    new Lease({ transport: server.transport(), namespace: 'n', name: 'l', identity: 'a', timing });
  expect(lease({ durationMs: 10, renewDeadlineMs: 10, retryMs: 2 })).toThrow(RangeError);
  expect(lease({ durationMs: 15, renewDeadlineMs: 10, retryMs: 10 })).toThrow(RangeError);
});
