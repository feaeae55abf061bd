import { expect, test } from 'vitest';
import { ManualClock } from '../../kube/testing/manual-clock.ts';
import { GuardReports } from './guard-reports.ts';

const QUIET = { claiming_edge: [], claiming_vip: [], asking: [], passing: [], knocking: [], crowding: [] };
const EDGES = [{ edge: 'edge-a', address: '10.128.0.2' }];

function asked(answer: () => Promise<string>) {
  const clock = new ManualClock();
  const news: string[] = [];
  let questions = 0;
  const reports = new GuardReports({
    ask: () => {
      questions += 1;
      return answer();
    },
    clock,
    random: () => 0.5,
    onNews: (tenant) => news.push(tenant),
  });
  const minute = () => clock.advance(60_000);
  return { reports, news, minute, questions: () => questions };
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
