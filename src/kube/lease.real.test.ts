import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { LeadershipLost } from './errors.ts';
import { LEASE, Lease, type LeaseTiming } from './lease.ts';
import { never, type RealClient, type RealServer, startRealServer, through } from './testing/real-server.ts';
import { TcpGate } from './testing/tcp-gate.ts';

// The proportions of the quick timing, shorter.
const TIMING: LeaseTiming = { durationMs: 6_000, renewDeadlineMs: 4_000, retryMs: 400 };

let real: RealServer;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  real = await startRealServer();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => real.stop());

const until = (condition: () => void | Promise<void>) => vi.waitFor(condition, { timeout: 60_000, interval: 20 });

/** One that wants to lead, and writes into the common story when it does and when it stops. */
function candidate(name: string, identity: string, story: string[], client: RealClient = real.client(), timing = TIMING) {
  const lease = new Lease({ transport: client.transport, namespace: 'default', name, identity, timing });
  const stop = new AbortController();
  const work = async (signal: AbortSignal) => {
    story.push(`${identity} leads`);
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    story.push(`${identity} stops`);
  };
  const ended = lease.run(work, stop.signal).catch((error: unknown) => {
    if (!(error instanceof LeadershipLost)) throw error;
    story.push(`${identity} lost`);
  });
  closing.push(() => {
    stop.abort();
    return ended;
  });
  return { lease, stop, ended };
}

test('the lease goes from hand to hand, one leader at a time, and each knows who leads', async () => {
  const story: string[] = [];
  const a = candidate('hand-over', 'a', story);
  await until(() => expect(story).toEqual(['a leads']));
  const b = candidate('hand-over', 'b', story);
  await until(() => expect(b.lease.holder).toBe('a'));
  a.stop.abort();
  await until(() => expect(story).toEqual(['a leads', 'a stops', 'b leads']));
  const { spec } = await real.client().client.get<{ spec: object }>(LEASE, { namespace: 'default', name: 'hand-over' }, never);
  expect(spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1, leaseDurationSeconds: 6 });
});

test('a leader that is cut off stops before the other begins', async () => {
  const gate = await TcpGate.to(Number(real.connection.server.port));
  closing.push(() => gate.close());
  const story: string[] = [];
  const a = candidate('cut-off', 'a', story, real.client({ connection: through(real.connection, gate.port) }));
  await until(() => expect(story).toEqual(['a leads']));
  const b = candidate('cut-off', 'b', story);
  await until(() => expect(b.lease.holder).toBe('a'));
  gate.shut();
  await until(() => expect(story).toEqual(['a leads', 'a stops', 'a lost', 'b leads']));
  expect(a.lease.isLeading).toBe(false);
});

test('a leader outlives kill -9 of the API server and of etcd', async () => {
  const story: string[] = [];
  const patient: LeaseTiming = { durationMs: 60_000, renewDeadlineMs: 45_000, retryMs: 400 };
  const a = candidate('outage', 'a', story, real.client(), patient);
  await until(() => expect(story).toEqual(['a leads']));
  const renewTime = async () =>
    (await real.client().client.get<{ spec: { renewTime: string } }>(LEASE, { namespace: 'default', name: 'outage' }, never)).spec
      .renewTime;
  for (const daemon of ['apiserver', 'etcd'] as const) {
    await real.hub.restart(daemon);
    const before = await renewTime();
    await until(async () => expect(await renewTime()).not.toBe(before));
  }
  expect([story, a.lease.isLeading]).toEqual([['a leads'], true]);
});
