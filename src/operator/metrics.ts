/** Everything that is measured, in the form Prometheus reads. Names of the runtime are those of controller-runtime and client-go. */
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Histogram from 'prom-client/lib/histogram.js';
import Registry from 'prom-client/lib/registry.js';
import type { Finding } from '../api/finding.ts';
import type { Severity } from '../api/finding-catalogue.ts';
import type { ApplyResult } from '../kube/apply.ts';
import type { Key } from '../kube/object.ts';
import { type Labels, METRICS, type MetricName, type Metrics } from '../kube/telemetry.ts';
import { WEBHOOK_METRICS, type WebhookMetricName, type WebhookMetricSink } from './webhook/metrics.ts';

type Readiness = 'True' | 'False' | 'Unknown';

/** repaired: it was as we wanted it, and somebody else changed that. changed: we want something else. */
export type AppliedOutcome = ApplyResult['outcome'] | 'repaired';

export interface OperatorMetrics {
  /** An object was sent, and this came of it. */
  applied(outcome: AppliedOutcome, kind: string): void;
  /** How a tenant fares, as it was just reported. */
  tenant(key: Key, ready: Readiness, findings: readonly Finding[]): void;
  gone(key: Key): void;
}

export interface Meters extends Metrics, OperatorMetrics {
  /** Called before every scrape. */
  beforeScrape(sample: () => void): void;
  text(): Promise<string>;
  readonly webhooks: WebhookMetricSink;
  readonly contentType: string;
}

type Name = MetricName | WebhookMetricName;

/** Of reconciliations and requests: from what a cache answers to what a timeout takes. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];

export function meters(): Meters {
  const registry = new Registry();
  const samplers: (() => void)[] = [];
  const counters = new Map<string, Counter>();
  const gauges = new Map<string, Gauge>();
  const histograms = new Map<string, Histogram>();
  for (const [name, { type, help, labels }] of Object.entries({ ...METRICS, ...WEBHOOK_METRICS })) {
    const common = { name, help, labelNames: [...labels], registers: [registry] };
    if (type === 'counter') counters.set(name, new Counter(common));
    else if (type === 'gauge') gauges.set(name, new Gauge(common));
    else histograms.set(name, new Histogram({ ...common, buckets: SECONDS }));
  }
  process_(registry);
  const sink = {
    count: (name: Name, labels: Labels, by = 1) => counters.get(name)?.inc(labels, by),
    gauge: (name: Name, labels: Labels, value: number) => gauges.get(name)?.set(labels, value),
    observe: (name: Name, labels: Labels, value: number) => histograms.get(name)?.observe(labels, value),
  };
  return {
    ...sink,
    webhooks: sink,
    ...tenantMeters(registry),
    beforeScrape: (sample) => samplers.push(sample),
    async text() {
      for (const sample of samplers) sample();
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

interface TenantState {
  readonly ready: Readiness;
  readonly findings: Readonly<Record<Severity, number>>;
}

function tenantMeters(registry: Registry): OperatorMetrics {
  const tenants = new Map<Key, TenantState>();
  const registers = [registry];
  const applied = new Counter({
    name: 'hcpio_applied_objects_total',
    help: 'Objects sent to the API server, by kind and by what came of it: created, changed (we want something else), repaired (somebody else had changed it), unchanged, refused',
    labelNames: ['outcome', 'kind'],
    registers,
  });
  new Gauge({
    name: 'hcpio_tenants',
    help: 'TenantNetworks, by the status of their Ready condition',
    labelNames: ['ready'],
    registers,
    collect() {
      for (const ready of ['True', 'False', 'Unknown'])
        this.set({ ready }, [...tenants.values()].filter((one) => one.ready === ready).length);
    },
  });
  new Gauge({
    name: 'hcpio_tenant_ready',
    help: '1 when the TenantNetwork is Ready, else 0',
    labelNames: ['namespace', 'name'],
    registers,
    collect() {
      this.reset();
      for (const [key, { ready }] of tenants) {
        const [namespace = '', name = ''] = key.split('/');
        this.set({ namespace, name }, ready === 'True' ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: 'hcpio_findings',
    help: 'What the checks have to say of all tenants, by severity',
    labelNames: ['severity'],
    registers,
    collect() {
      for (const severity of SEVERITIES)
        this.set(
          { severity },
          [...tenants.values()].reduce((sum, { findings }) => sum + findings[severity], 0),
        );
    },
  });
  return {
    applied: (outcome, kind) => applied.inc({ outcome, kind }),
    tenant(key, ready, findings) {
      const of = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length;
      tenants.set(key, { ready, findings: { error: of('error'), warning: of('warning'), info: of('info') } });
    },
    gone: (key) => void tenants.delete(key),
  };
}

/**
 * Of the process, asked for at the scrape and not before. Not prom-client's default set: its event-loop monitor wakes the
 * process a hundred times a second, and an operator at rest should be asleep.
 */
function process_(registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: 'nodejs_heap_size_used_bytes',
    help: 'Heap in use',
    registers,
    collect() {
      this.set(process.memoryUsage().heapUsed);
    },
  });
  new Gauge({ name: 'process_start_time_seconds', help: 'Start of the process', registers }).set(
    Math.round(Date.now() / 1000 - process.uptime()),
  );
  const cpu = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'User and system CPU time',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  cpu.reset();
}
