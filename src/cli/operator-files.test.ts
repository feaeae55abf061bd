import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { expect, test } from 'vitest';
import { ALERTS, runbookOf } from '../operator/alerts.ts';
import { servedMetrics } from './metrics-page.ts';
import { operatorFiles } from './operator-files.ts';

const root = join(import.meta.dirname, '..', '..');

test('the generated manifests and pages of the operator are as the code says; `make generate` renews them', async () => {
  const stale = [...(await operatorFiles())].filter(
    ([path, text]) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text,
  );
  expect(stale.map(([path]) => path)).toEqual([]);
});

test('every alert has a runbook, and every runbook an alert', () => {
  const pages = readdirSync(join(root, 'docs/runbooks')).filter((file) => file !== 'README.md');
  expect(pages.sort()).toEqual(
    Object.keys(ALERTS)
      .map((name) => `${name}.md`)
      .sort(),
  );
});

test.each(Object.keys(ALERTS))('the runbook of %s says what it means, what suffers, how to find out and what to do', (name) => {
  const text = readFileSync(join(root, runbookOf(name)), 'utf8');
  expect(text.match(/^#+ .*/gm)).toEqual([`# ${name}`, '## What it means', '## What suffers', '## Find out', '## Do']);
});

/** By Prometheus' own grammar: where it is no PromQL, and the metrics that it selects. */
function promQl(expr: string) {
  const wrong: number[] = [];
  const metrics: string[] = [];
  parser.parse(expr).iterate({
    enter: ({ type, name, from, to, node }) => {
      if (type.isError) wrong.push(from);
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector') metrics.push(expr.slice(from, to));
    },
  });
  return { wrong, metrics };
}

const FOREIGN = new Set(['up', 'apiserver_admission_webhook_fail_open_count']);

test.each(Object.entries(ALERTS))('the expression of %s is PromQL, about metrics that are served', async (_, { expr }) => {
  const served = new Set((await servedMetrics()).map(({ name }) => name));
  const { wrong, metrics } = promQl(expr);
  expect({ wrong, unknown: metrics.filter((name) => !served.has(name) && !FOREIGN.has(name)) }).toEqual({ wrong: [], unknown: [] });
  expect(metrics).not.toEqual([]);
});

test('alerts select by labels that their metric has', async () => {
  const labels = new Map(
    (await servedMetrics()).map(({ name, labels: own }) => [name, new Set<string>([...own, 'job', 'namespace', 'pod'])]),
  );
  const wrong = Object.entries(ALERTS).flatMap(([alert, { expr }]) =>
    [...expr.matchAll(/([a-z_]+)\{([^}]*)\}/g)].flatMap(([, metric = '', selector = '']) =>
      [...selector.matchAll(/(\w+)(?:=~?|!=|!~)"/g)]
        .filter(([, label = '']) => labels.get(metric)?.has(label) === false)
        .map(([, label]) => `${alert}: ${metric} has no label ${label}`),
    ),
  );
  expect(wrong).toEqual([]);
});
