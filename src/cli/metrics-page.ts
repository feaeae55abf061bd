/** docs/reference/metrics.md, from what the operator would really serve, and from the table of what its webhooks count. */
import { METRICS, type MetricDefinition } from '../kube/telemetry.ts';
import { meters } from '../operator/metrics.ts';
import { WEBHOOK_METRICS } from '../operator/webhook/metrics.ts';

export interface ServedMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
}

export async function servedMetrics(): Promise<readonly ServedMetric[]> {
  const served = meters();
  // Labels show only where there is a figure.
  served.applied('created', 'Service');
  served.tenant('clusters/blue', 'True', []);
  const text = await served.text();
  const tables: Readonly<Record<string, MetricDefinition>> = { ...METRICS, ...WEBHOOK_METRICS };
  const registered = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)/gm)].map(([, name = '', help = '', type = '']) => ({
    name,
    type,
    help,
    labels: tables[name]?.labels ?? labelsOf(text, name),
  }));
  const webhooks = Object.entries(WEBHOOK_METRICS).map(([name, definition]) => ({ name, ...definition }));
  const all = new Map<string, ServedMetric>([...webhooks, ...registered].map((metric) => [metric.name, metric]));
  return [...all.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

const labelsOf = (text: string, name: string): string[] => {
  const [, sample = ''] = new RegExp(`^${name}{([^}]*)}`, 'm').exec(text) ?? [];
  return [...sample.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
};

export async function metricsPage(notice: string): Promise<string> {
  const rows = (await servedMetrics()).map(
    ({ name, type, help, labels }) => `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
  );
  return `${[
    '# Metrics',
    `<!-- ${notice} -->`,
    'Served at `/metrics` on port 8080. Names and labels of `controller_runtime_*`, `workqueue_*` and `rest_client_*` are those of other operators, so that their dashboards work here.',
    ['| metric | type | labels | is |', '|---|---|---|---|', ...rows].join('\n'),
  ].join('\n\n')}\n`;
}
