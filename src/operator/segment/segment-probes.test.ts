import { expect, test } from 'vitest';
import { ManualClock, settle } from '../../kube/testing/manual-clock.ts';
import type { ServedReport } from '../../probes/report.ts';
import { proofOf } from './proof.ts';
import { SegmentProbes } from './segment-probes.ts';

const KEY = 'clusters/blue';
const { signal } = new AbortController();
const target = (list = 'l1', address = '10.128.0.9') => ({ address, list, trouble: address === '' ? 'it is starting' : '' });

function setUp() {
  const clock = new ManualClock();
  const state = { asked: [] as string[], news: 0, body: '' as string | Error };
  const probes = new SegmentProbes({
    clock,
    random: () => 0.5,
    ask: async (address) => {
      state.asked.push(address);
      if (state.body instanceof Error) throw state.body;
      return state.body;
    },
    onNews: () => {
      state.news += 1;
    },
  });
  return { clock, state, probes };
}

const body = (list: string, verdict: 'passed' | 'failed' = 'passed', change: Partial<ServedReport> = {}): string =>
  JSON.stringify({
    tenant: KEY,
    list,
    results: [{ group: 'DNS', subject: 'edge-a', verdict, message: 'x', milliseconds: 1 }],
    answered: [],
    rogueServers: [],
    serials: [],
    ageMilliseconds: 10,
    ...change,
  });

test('it asks every second until the segment is proven, then rarely, and tells only what is new', async () => {
  const { clock, state, probes } = setUp();
  state.body = body('l1', 'failed');
  expect((await probes.probe(KEY, target(), signal)).outcome).toBe('failed');
  await clock.advance(3000);
  expect([state.asked.length, state.news]).toEqual([4, 0]);
  state.body = body('l1');
  await clock.advance(1000);
  expect([state.asked.length, state.news]).toEqual([5, 1]);
  expect((await probes.probe(KEY, target(), signal)).outcome).toBe('proven');
  await clock.advance(44_000);
  expect(state.asked.length).toBe(5);
  await clock.advance(1000);
  expect([state.asked.length, state.news]).toEqual([6, 1]);
});

test('a new list does not make a proven segment blink, but it has to be proven before long', async () => {
  const { clock, state, probes } = setUp();
  state.body = body('l1');
  await probes.probe(KEY, target('l1'), signal);
  expect((await probes.probe(KEY, target('l2'), signal)).outcome).toBe('proven');
  await clock.advance(19_000);
  expect([(await probes.probe(KEY, target('l2'), signal)).outcome, state.news]).toEqual(['proven', 0]);
  await clock.advance(1000);
  expect(await probes.probe(KEY, target('l2'), signal)).toMatchObject({ outcome: 'notProbed', reason: 'Outdated' });
  expect(state.news).toBe(1);
});

test('nor does one that comes long after the last question: a proven segment is asked rarely', async () => {
  const { clock, state, probes } = setUp();
  state.body = body('l1');
  await probes.probe(KEY, target('l1'), signal);
  await clock.advance(40_000);
  expect((await probes.probe(KEY, target('l2'), signal)).outcome).toBe('proven');
  await clock.advance(19_000);
  expect([(await probes.probe(KEY, target('l2'), signal)).outcome, state.news]).toEqual(['proven', 0]);
  await clock.advance(1000);
  expect(await probes.probe(KEY, target('l2'), signal)).toMatchObject({ outcome: 'notProbed', reason: 'Outdated' });
});

test('an operator that starts anew does not make a proven segment blink when its first question is not answered in time', async () => {
  const { clock, state, probes } = setUp();
  const told = proofOf(JSON.parse(body('l1')) as ServedReport, KEY, 'l1');
  state.body = new Error('the prober takes too long');
  expect(await probes.probe(KEY, target(), signal, told)).toEqual(told);
  state.body = body('l1');
  await clock.advance(1000);
  expect([await probes.probe(KEY, target(), signal, told), state.asked.length, state.news]).toEqual([told, 2, 0]);
});

test('but what was told before it started does not stand for ever, and a failure that was told is asked about anew', async () => {
  const { clock, state, probes } = setUp();
  const told = (verdict: 'passed' | 'failed') => proofOf(JSON.parse(body('l1', verdict)) as ServedReport, KEY, 'l1');
  state.body = new Error('ECONNREFUSED');
  await probes.probe(KEY, target(), signal, told('passed'));
  await clock.advance(20_000);
  expect([await probes.probe(KEY, target(), signal), state.news]).toMatchObject([{ reason: 'ProberSilent' }, 1]);
  expect(await probes.probe('clusters/red', target(), signal, told('failed'))).toMatchObject({ reason: 'ProberSilent' });
});

test('what stays unproven is asked less often after two minutes', async () => {
  const { clock, state, probes } = setUp();
  state.body = body('l1', 'failed');
  await probes.probe(KEY, target(), signal);
  await clock.advance(120_000);
  expect([state.asked.length, clock.waits]).toEqual([121, [5000]]);
});

test('a prober that goes away takes its proof along, though not at once', async () => {
  const { clock, state, probes } = setUp();
  state.body = body('l1');
  await probes.probe(KEY, target(), signal);
  expect((await probes.probe(KEY, target('l1', ''), signal)).outcome).toBe('proven');
  await clock.advance(20_000);
  expect([await probes.probe(KEY, target('l1', ''), signal), state.news, clock.waits]).toMatchObject([{ reason: 'ProberNotReady' }, 1, []]);
});

test('a failure is believed at once', async () => {
  const { clock, state, probes } = setUp();
  state.body = body('l1');
  await probes.probe(KEY, target(), signal);
  state.body = body('l1', 'failed');
  await clock.advance(45_000);
  expect([(await probes.probe(KEY, target(), signal)).outcome, state.news]).toEqual(['failed', 1]);
});

test('a prober without an address is not asked, one that is silent is told, and one that has not looked yet as well', async () => {
  const { clock, state, probes } = setUp();
  expect(await probes.probe(KEY, target('l1', ''), signal)).toEqual({
    outcome: 'notProbed',
    reason: 'ProberNotReady',
    message: 'it is starting',
  });
  expect([state.asked, clock.waits]).toEqual([[], []]);
  expect(await probes.probe(KEY, target(), signal)).toMatchObject({ reason: 'NotProbed', message: 'the prober takes its first look' });
  state.body = new Error('ECONNREFUSED');
  expect(await probes.probe(KEY, target('l2'), signal)).toMatchObject({ reason: 'ProberSilent' });
  state.body = '{"results": "none"}';
  expect(await probes.probe(KEY, target('l3'), signal)).toMatchObject({ reason: 'ProberSilent' });
});

test('a prober that takes too long is silent', async () => {
  const { clock } = setUp();
  const slow = new SegmentProbes({
    clock,
    random: () => 0.5,
    ask: (_, stop) => new Promise((__, reject) => stop.addEventListener('abort', () => reject(stop.reason))),
    onNews: () => {},
  });
  const proof = slow.probe(KEY, target(), signal);
  await clock.advance(2000);
  expect(await proof).toMatchObject({ reason: 'ProberSilent' });
});

test('a tenant that is gone is asked no more', async () => {
  const { clock, state, probes } = setUp();
  await probes.probe(KEY, target(), signal);
  probes.forget(KEY);
  await clock.advance(100_000);
  await settle();
  expect([state.asked.length, state.news, clock.waits]).toEqual([1, 0, []]);
});
