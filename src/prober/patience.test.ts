import { expect, test } from 'vitest';
import type { ProbeResult } from '../probes/report.ts';
import { Patience } from './patience.ts';

const result = (verdict: ProbeResult['verdict'], subject = 'DISCOVER'): ProbeResult => ({
  group: 'DHCP',
  subject,
  verdict,
  message: 'as seen',
  milliseconds: 1500,
});

/** What is made of the verdicts of looks at these seconds. */
function borne(...looks: readonly (readonly [second: number, verdict: ProbeResult['verdict']])[]): readonly string[] {
  let now = 0;
  const patience = new Patience(() => now);
  return looks.map(([second, verdict]) => {
    now = second * 1000;
    return patience.bear([result(verdict)])[0]?.verdict ?? 'nothing';
  });
}

test('silence is no failure for as long as a machine would bridge it by asking again', () => {
  expect(borne([0, 'passed'], [40, 'failed'], [45, 'failed'], [51, 'failed'], [52, 'failed'])).toEqual([
    'passed',
    'late',
    'late',
    'late',
    'failed',
  ]);
});

test('an answer ends it, and the next silence is borne anew', () => {
  expect(borne([0, 'passed'], [10, 'failed'], [15, 'passed'], [30, 'failed'])).toEqual(['passed', 'late', 'passed', 'late']);
});

test('what was never answered is failed at once, and what stays so stays failed', () => {
  expect(borne([0, 'failed'], [1, 'failed'])).toEqual(['failed', 'failed']);
  expect(borne([0, 'passed'], [1, 'failed'], [30, 'failed'], [60, 'failed'])).toEqual(['passed', 'late', 'failed', 'failed']);
});

test('each question has its own, and nothing else is borne', () => {
  const patience = new Patience(() => 0);
  const others = [result('passed'), result('passed', 'other servers'), { ...result('passed', 'APIServer'), group: 'TLS' as const }];
  patience.bear(others);
  const failed = [...others, result('failed', 'SOLICIT')].map((one) => ({ ...one, verdict: 'failed' as const }));
  expect(patience.bear(failed).map(({ subject, verdict }) => `${subject} ${verdict}`)).toEqual([
    'DISCOVER late',
    'other servers failed',
    'APIServer failed',
    'SOLICIT failed',
  ]);
});
