/** What `hcpio verify` tells people: one line per probe, and below it what to do. */
import type { ProbeReport, ProbeResult, Verdict } from '../probes/report.ts';
import { type Cell, columns, paragraph, plural, printable } from './layout.ts';
import type { Theme } from './terminal.ts';

const MARKS: Readonly<Record<Verdict, string>> = { passed: '✓', noted: '!', late: '…', failed: '✗' };

export function verifyText({ tenant, results, holder }: ProbeReport, from: string, theme: Theme): string[] {
  return [
    theme.strong(`Tenant network ${tenant}, seen from ${from}`),
    '',
    ...probeLines(results, theme),
    '',
    summary(results, holder, theme),
  ];
}

export function probeLines(results: readonly ProbeResult[], theme: Theme): string[] {
  const paint = { passed: theme.good, noted: theme.doubtful, late: theme.doubtful, failed: theme.bad };
  const rows = columns(results.map((result) => row(result, paint[result.verdict])));
  return results.flatMap((result, i) => [rows[i] ?? '', ...advice(result, theme)]);
}

const row = ({ group, subject, verdict, message, milliseconds }: ProbeResult, paint: (text: string) => string): Cell[] => [
  { text: MARKS[verdict], paint },
  group,
  printable(subject),
  `${milliseconds} ms`,
  verdict === 'passed' ? printable(message) : { text: printable(message), paint },
];

const advice = ({ verdict, fix }: ProbeResult, theme: Theme): string[] =>
  verdict === 'passed' || fix === undefined ? [] : paragraph(`to do: ${printable(fix)}`, 11).map((line) => theme.faint(line));

function summary(results: readonly ProbeResult[], holder: string | undefined, theme: Theme): string {
  const count = (verdict: Verdict): number => results.filter((result) => result.verdict === verdict).length;
  const [noted, late, failed] = [count('noted'), count('late'), count('failed')];
  const parts = [
    `${count('passed')} passed`,
    ...(noted === 0 ? [] : [theme.doubtful(`${noted} noted`)]),
    ...(late === 0 ? [] : [theme.doubtful(`${late} not up to date yet`)]),
    ...(failed === 0 ? [] : [theme.bad(`${failed} failed`)]),
  ];
  const who = holder === undefined ? '' : `; ${holder} holds the VIP`;
  return `${plural(results.length, 'probe')}: ${parts.join(', ')}${who}`;
}
