/**
 * Every alert: one per failure that a person has to do something about. deploy/monitoring/prometheus-rule.yaml and
 * docs/reference/alerts.md are generated from this table, and each has a page of its name in docs/runbooks.
 *
 * None is critical: a tenant's network goes on while the operator is away, so nothing here has to wake anybody up.
 */
import { GROUP } from '../api/tenant-network.ts';
import type { WEBHOOK_METRICS } from './webhook/metrics.ts';

export interface Alert {
  /** PromQL. */
  readonly expr: string;
  /** How long it has to hold: as long as the operator needs to mend it by itself, and then some. */
  readonly for: string;
  readonly severity: 'warning' | 'info';
  readonly summary: string;
  /** Prometheus fills in what the expression keeps. */
  readonly description: string;
}

/** The scrape job: Prometheus takes the name of the Service. */
const JOB = '{job="hcpio-metrics"}';
const of = (...labels: readonly string[]): string => `{${['job="hcpio-metrics"', ...labels].join(',')}}`;
const WEEK = 7 * 24 * 3600;
/** 90 % of the 256 MiB that deploy/base/deployment.yaml grants. */
const MEMORY = Math.floor(0.9 * (256 << 20));
const EXPIRY = 'hcpio_webhook_certificate_expiry_timestamp_seconds' satisfies keyof typeof WEBHOOK_METRICS;

export const ALERTS = {
  HcpioOperatorDown: {
    expr: `absent(up${JOB} == 1)`,
    for: '10m',
    severity: 'warning',
    summary: 'No replica of the hcpio operator answers.',
    description:
      'Prometheus has not reached a replica of the operator for ten minutes. Running tenants go on; nothing new is served or repaired.',
  },
  HcpioNoLeader: {
    expr: `sum(leader_election_master_status${JOB}) != 1`,
    for: '10m',
    severity: 'warning',
    summary: 'The operator runs, but not exactly one replica leads.',
    description:
      '{{ $value }} replicas lead. With none of them nothing is written; more than one cannot be, so then the figures are wrong or the Lease is.',
  },
  HcpioTenantNotReady: {
    expr: `max by (exported_namespace, name) (hcpio_tenant_ready${JOB}) == 0`,
    for: '30m',
    severity: 'warning',
    summary: 'A tenant network has not been ready for half an hour.',
    description:
      'TenantNetwork {{ $labels.exported_namespace }}/{{ $labels.name }} is not Ready. Its conditions say what is waited for: kubectl describe tenantnetwork -n {{ $labels.exported_namespace }} {{ $labels.name }}',
  },
  HcpioReconcileErrors: {
    expr: `sum by (controller) (rate(controller_runtime_reconcile_errors_total${JOB}[10m])) > 0`,
    for: '30m',
    severity: 'warning',
    summary: 'Reconciliations keep failing.',
    description: 'Controller {{ $labels.controller }} fails {{ $value | humanize }} times a second, for half an hour by now.',
  },
  HcpioReconcileStuck: {
    expr: `max by (name) (workqueue_longest_running_processor_seconds${JOB}) > 300`,
    for: '5m',
    severity: 'warning',
    summary: 'A reconciliation does not end.',
    description:
      'Queue {{ $labels.name }} has been working on one key for {{ $value | humanizeDuration }}. The liveness probe restarts the operator after ten minutes of it.',
  },
  HcpioObjectsRefused: {
    expr: `sum by (kind) (increase(hcpio_applied_objects_total${of('outcome="refused"')}[30m])) > 0`,
    for: '15m',
    severity: 'warning',
    summary: 'The API server refuses objects of the operator.',
    description:
      'Objects of kind {{ $labels.kind }} are refused: a quota, a policy of the hub, or an immutable field. The TenantNetworks concerned say which (condition Applied).',
  },
  HcpioForeignChanges: {
    expr: `sum by (kind) (increase(hcpio_applied_objects_total${of('outcome="repaired"')}[1h])) > 5`,
    for: '1h',
    severity: 'warning',
    summary: 'Objects of the operator are changed back and forth.',
    description:
      '{{ $labels.kind }} objects were put back {{ $value | humanize }} times within an hour: somebody else keeps writing to them. Events of the TenantNetworks (reason Repaired) name the field and who it was.',
  },
  HcpioForbidden: {
    expr: `sum by (method) (increase(rest_client_requests_total${of('code="403"')}[15m])) > 0`,
    for: '15m',
    severity: 'warning',
    summary: 'The operator lacks a right.',
    description:
      'The API server forbids {{ $labels.method }} requests of the operator. The installed role is older than the operator, or was changed.',
  },
  HcpioWatchBroken: {
    // Not 404: a kind that this hub does not have is asked for now and then. Not silence: some resources send no bookmarks.
    expr: `sum by (resource) (increase(kube_reflector_failures_total${of('reason!~"404|stalled|deadline"')}[15m])) > 5`,
    for: '15m',
    severity: 'warning',
    summary: 'The operator cannot keep a watch open.',
    description: 'Watching {{ $labels.resource }} breaks again and again, so changes are seen late or not at all.',
  },
  HcpioMemoryHigh: {
    expr: `process_resident_memory_bytes${JOB} > ${MEMORY}`,
    for: '15m',
    severity: 'warning',
    summary: 'The operator is about to reach its memory limit.',
    description: '{{ $labels.pod }} holds {{ $value | humanize1024 }}B of the 256 MiB it may have.',
  },
  HcpioWebhookUnreachable: {
    expr: `sum by (name) (increase(apiserver_admission_webhook_fail_open_count{name=~".+[.]${GROUP.replace('.', '[.]')}"}[15m])) > 0`,
    for: '5m',
    severity: 'warning',
    summary: 'The API server cannot reach a webhook of hcpio.',
    description:
      'Calls of {{ $labels.name }} fail, and objects pass unchecked: mistakes in a TenantNetwork show later in its status, and a new NodePool may start before its segment is proven.',
  },
  HcpioWebhookFailing: {
    expr: `sum by (webhook) (increase(controller_runtime_webhook_requests_total${of('code=~"5.."')}[15m])) > 0`,
    for: '0m',
    severity: 'warning',
    summary: 'A webhook of hcpio fails.',
    description: '{{ $labels.webhook }} answered with an error of its own. The operator\'s log has it (message "the webhook failed").',
  },
  HcpioWebhookCertificateExpiring: {
    expr: `min(${EXPIRY}${JOB}) - time() < ${WEEK}`,
    for: '1h',
    severity: 'warning',
    summary: 'The certificate of the webhooks expires within a week and was not renewed.',
    description: 'It expires in {{ $value | humanizeDuration }}. It should have been renewed weeks ago.',
  },
} as const satisfies Record<string, Alert>;

export type AlertName = keyof typeof ALERTS;

export const runbookOf = (name: string): string => `docs/runbooks/${name}.md`;

/**
 * For the Prometheus operator. The runbook is a path within the project and not `runbook_url`: the project has no address on the web that
 * a link could lead to. deploy/README.md says how to make links of them.
 */
export const prometheusRule = (labels: Readonly<Record<string, string>>, namespace: string) => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata: { name: 'hcpio-operator', namespace, labels },
  spec: {
    groups: [
      {
        name: 'hcpio',
        rules: Object.entries(ALERTS).map(([alert, { expr, for: lasting, severity, summary, description }]) => ({
          alert,
          expr,
          for: lasting,
          labels: { severity },
          annotations: { summary, description, runbook: runbookOf(alert) },
        })),
      },
    ],
  },
});
