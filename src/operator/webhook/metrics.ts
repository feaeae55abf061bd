/** The webhooks' own metrics. Names and labels of controller-runtime where it has them. */
import type { MetricDefinition } from '../../kube/telemetry.ts';

export const WEBHOOK_METRICS = {
  controller_runtime_webhook_requests_total: {
    type: 'counter',
    help: 'Admission requests answered, by webhook (its path) and HTTP status',
    labels: ['webhook', 'code'],
  },
  controller_runtime_webhook_latency_seconds: {
    type: 'histogram',
    help: 'How long an admission request took, by webhook (its path)',
    labels: ['webhook'],
  },
  hcpio_webhook_certificate_expiry_timestamp_seconds: {
    type: 'gauge',
    help: 'When the certificate that the webhook server shows expires, in seconds since the epoch',
    labels: [],
  },
} as const satisfies Record<string, MetricDefinition>;

export type WebhookMetricName = keyof typeof WEBHOOK_METRICS;

/** The part of a metrics registry that is needed here. */
export interface WebhookMetricSink {
  count(name: WebhookMetricName, labels: Readonly<Record<string, string>>, by?: number): void;
  gauge(name: WebhookMetricName, labels: Readonly<Record<string, string>>, value: number): void;
  observe(name: WebhookMetricName, labels: Readonly<Record<string, string>>, value: number): void;
}

export interface WebhookMetrics {
  served(webhook: string, status: number, seconds: number): void;
  certificate(expiry: number): void;
}

export const webhookMetrics = (sink: WebhookMetricSink): WebhookMetrics => ({
  served(webhook, status, seconds) {
    sink.count('controller_runtime_webhook_requests_total', { webhook, code: String(status) });
    sink.observe('controller_runtime_webhook_latency_seconds', { webhook }, seconds);
  },
  certificate: (expiry) => sink.gauge('hcpio_webhook_certificate_expiry_timestamp_seconds', {}, expiry),
});
