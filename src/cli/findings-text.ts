import type { Severity } from '../api/finding-catalogue.ts';
import { paragraph, plural, printable } from './layout.ts';
import type { PlacedFinding } from './load.ts';
import type { Theme } from './terminal.ts';

/** Findings as a person reads them: what, where, and what to do; the place as file:line, so that editors can jump to it. */
export function findingsText(findings: readonly PlacedFinding[], theme: Theme): string[] {
  return findings.flatMap((finding, index) => [...(index === 0 ? [] : ['']), ...findingText(finding, theme)]);
}

function findingText(finding: PlacedFinding, theme: Theme): string[] {
  const paint = { error: theme.bad, warning: theme.doubtful, info: theme.accent }[finding.severity];
  const place = finding.at === undefined ? '' : `  ${printable(finding.at)}`;
  const field = finding.path === undefined ? '' : `  ${printable(finding.path)}`;
  return [
    `  ${paint(finding.severity.padEnd(7))}  ${theme.strong(finding.code)}${place}`,
    // Where a file as a whole is the object, its name stands in the line above.
    ...(finding.object.endsWith(' file') && place !== '' ? [] : [`    ${theme.faint(`${printable(finding.object)}${field}`)}`]),
    ...paragraph(printable(finding.message), 4),
    ...fixText(printable(finding.fix), theme),
  ];
}

const COMMAND = /\b(kubectl|oc) [a-z]/;

/** Prose is wrapped; a fix with a command in it stays on one line, so that it can be pasted. */
function fixText(fix: string, theme: Theme): string[] {
  const label = theme.good('fix:');
  if (COMMAND.test(fix)) return [`    ${label} ${fix}`];
  return paragraph(`fix: ${fix}`, 4).map((line, index) => (index === 0 ? line.replace('fix:', label) : line));
}

/** `2 errors, 1 warning`; `no findings` when there is nothing to say. */
export function tally(findings: readonly PlacedFinding[]): string {
  const count = (severity: Severity): number => findings.filter((finding) => finding.severity === severity).length;
  const said = [
    ...(count('error') > 0 ? [plural(count('error'), 'error')] : []),
    ...(count('warning') > 0 ? [plural(count('warning'), 'warning')] : []),
    ...(count('info') > 0 ? [`${count('info')} info`] : []),
  ];
  return said.length === 0 ? 'no findings' : said.join(', ');
}
