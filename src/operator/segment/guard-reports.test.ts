import { expect, test } from 'vitest';
import { onAbort } from '../../kube/clock.ts';
import { ManualClock, settle } from '../../kube/testing/manual-clock.ts';
import { GuardReports } from './guard-reports.ts';

const QUIET = { claiming_edge: [], claiming_vip: [], asking: [], passing: [], knocking: [], crowding: [] };
const EDGES = [{ edge: 'edge-a', address: '10.128.0.2' }];

function asked(answer: (signal: AbortSignal) => Promise<string>) {
  const clock = new ManualClock();
  const news: string[] = [];
  let questions = 0;
  const reports = new GuardReports({
    ask: (_, signal) => {
      questions += 1;
      return answer(signal);
    },
    clock,
    random: () => 0.5,
    onNews: (tenant) => news.push(tenant),
  });
  const minute = () => clock.advance(60_000);
  return { clock, reports, news, minute, questions: () => questions };
}

test('a guard that has noticed somebody is news once, and once more when it has forgotten', async () => {
  const MAC = '02:66:66:66:66:66';
  let said: object = QUIET;
  const { reports, news, minute } = asked(async () => JSON.stringify(said));
  const now = () => reports.of('clusters/blue', EDGES);
  expect(now()).toEqual([]);
  await minute();
  expect([now(), news]).toEqual([[], []]);
  said = { ...QUIET, passing: [MAC] };
  await minute();
  await minute();
  const noticed = [{ edge: 'edge-a', sightings: said }];
  expect([now(), news]).toEqual([noticed, ['clusters/blue']]);
  said = QUIET;
  await minute();
  expect([now(), news]).toEqual([[], ['clusters/blue', 'clusters/blue']]);
});

test('what an edge said stands until it says something else, and nothing but MAC addresses is believed', async () => {
  let said = JSON.stringify({ ...QUIET, knocking: ['02:66:66:66:66:66'] });
  const { reports, news, minute } = asked(async () => said);
  reports.of('clusters/blue', EDGES);
  await minute();
  const before = reports.of('clusters/blue', EDGES);
  for (const bad of ['', 'oops', '{}', JSON.stringify({ ...QUIET, knocking: ['rm -rf'] })]) {
    said = bad;
    await minute();
  }
  expect([reports.of('clusters/blue', EDGES), news.length]).toEqual([before, 1]);
});

test('a tenant that is gone, or has no edges, is not asked any more', async () => {
  const { reports, minute, questions } = asked(async () => JSON.stringify(QUIET));
  reports.of('clusters/blue', EDGES);
  await minute();
  expect(questions()).toBe(1);
  reports.of('clusters/blue', []);
  await minute();
  reports.of('clusters/blue', EDGES);
  reports.forget('clusters/blue');
  await minute();
  expect(questions()).toBe(1);
});

test('after the end nobody is asked, nobody is waited for, and nothing keeps the process alive', async () => {
  const stop = new AbortController();
  let waitedFor = 0;
  const { clock, reports, minute, questions } = asked(
    (signal) =>
      new Promise((_, reject) => {
        waitedFor++;
        onAbort(signal, () => {
          waitedFor--;
          reject(new Error('aborted'));
        });
      }),
  );
  const running = reports.run(stop.signal);
  reports.of('clusters/blue', EDGES);
  await minute();
  reports.of('clusters/green', EDGES);
  expect([questions(), waitedFor, clock.waits.length]).toEqual([1, 1, 2]);
  stop.abort();
  await running;
  await settle();
  reports.of('clusters/red', EDGES);
  expect([questions(), waitedFor, clock.waits]).toEqual([1, 0, []]);
});
