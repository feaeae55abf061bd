import { expect, test } from 'vitest';
import { silentLogger } from '../../kube/telemetry.ts';
import { ManualClock, settle } from '../../kube/testing/manual-clock.ts';
import type { GuestAddress } from './router-reader.ts';
import { GuestRouters, type Seen } from './routers.ts';

const router = { httpsPort: 31_443, httpPort: 31_080, machines: ['a'] };
const { signal } = new AbortController();

function setup(known?: (stop: AbortSignal) => Promise<unknown>) {
  const guests = new Map<string, GuestAddress>([['clusters/blue', { namespace: 'clusters-blue', address: '172.30.0.7', port: 6443 }]]);
  const changed: string[] = [];
  const clock = new ManualClock();
  let answer: () => Seen = () => 'absent';
  const routers = new GuestRouters({
    read: async () => answer(),
    guests: () => guests,
    clock,
    random: () => 0.5,
    log: silentLogger,
    ...(known ? { known } : {}),
  });
  routers.onChange((tenant) => changed.push(tenant));
  return { routers, guests, clock, changed, answers: (next: () => Seen) => (answer = next) };
}

test('a tenant is looked at again when its router comes, moves or goes, and not otherwise', async () => {
  const { routers, changed, answers } = setup();
  expect(routers.of('clusters/blue')).toBeUndefined();
  for (const next of ['absent', router, { ...router }, { ...router, machines: ['b'] }, 'absent'] as const) {
    answers(() => next);
    await routers.round(signal);
  }
  expect([changed.length, routers.of('clusters/blue')]).toEqual([4, 'absent']);
});

test('a guest that does not answer keeps what was seen last', async () => {
  const { routers, changed, answers } = setup();
  answers(() => router);
  await routers.round(signal);
  answers(() => {
    throw new Error('connection refused');
  });
  await routers.round(signal);
  expect([changed, routers.of('clusters/blue')]).toEqual([['clusters/blue'], router]);
});

test('a tenant that is gone is forgotten', async () => {
  const { routers, guests } = setup();
  await routers.round(signal);
  guests.clear();
  await routers.round(signal);
  expect(routers.of('clusters/blue')).toBeUndefined();
});

test('the first round waits until the guests are known, and no longer', async () => {
  const synced = Promise.withResolvers<void>();
  const { routers, changed } = setup(() => synced.promise);
  const stop = new AbortController();
  const running = routers.run(stop.signal);
  await settle();
  expect(changed).toEqual([]);
  synced.resolve();
  await settle();
  expect(changed).toEqual(['clusters/blue']);
  stop.abort();
  await running;
});

test.each([
  [1, 20_000],
  [1000, 60_000],
])('%i guests are asked again after %i ms: some sixteen a second at most, however many there are', async (count, pauseMs) => {
  const { routers, guests, clock } = setup();
  const guest = { namespace: 'clusters-blue', address: '172.30.0.7', port: 6443 };
  for (let n = 1; n < count; n += 1) guests.set(`clusters/${n}`, guest);
  const stop = new AbortController();
  const running = routers.run(stop.signal);
  await expect.poll(() => clock.waits).toEqual([pauseMs]);
  stop.abort();
  await running;
});
