/** What the runtime tells about itself: a logger and a metrics sink, both given by the program that uses it. */

/** The shape of pino's loggers, so that one can be passed as it is. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export type Labels = Readonly<Record<string, string>>;

export interface Metrics {
  count(name: MetricName, labels: Labels, by?: number): void;
  gauge(name: MetricName, labels: Labels, value: number): void;
  /** Durations are in seconds, as Prometheus wants them. */
  observe(name: MetricName, labels: Labels, value: number): void;
}

export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

const counter = (help: string, ...labels: string[]): MetricDefinition => ({ type: 'counter', help, labels });
const gauge = (help: string, ...labels: string[]): MetricDefinition => ({ type: 'gauge', help, labels });
const histogram = (help: string, ...labels: string[]): MetricDefinition => ({ type: 'histogram', help, labels });

/**
 * Every metric of the runtime, to be registered by the program. Names and labels are those of client-go and
 * controller-runtime, so that dashboards and alerts made for them work here; the `kube_reflector_` ones have no upstream.
 */
export const METRICS = {
  rest_client_requests_total: counter('HTTP requests, by status code, method and host', 'code', 'method', 'host'),
  rest_client_request_duration_seconds: histogram('Request latency, by verb and host', 'verb', 'host'),
  rest_client_rate_limiter_duration_seconds: histogram('Time spent in the client-side rate limit', 'verb', 'host'),
  rest_client_request_retries_total: counter('Request retries, by status code, verb and host', 'code', 'verb', 'host'),
  workqueue_depth: gauge('Keys that are ready and wait for a worker', 'name'),
  workqueue_adds_total: counter('Adds handled by the queue', 'name'),
  workqueue_retries_total: counter('Rate-limited adds handled by the queue', 'name'),
  workqueue_queue_duration_seconds: histogram('How long a key waits in the queue', 'name'),
  workqueue_work_duration_seconds: histogram('How long a key is worked on', 'name'),
  workqueue_unfinished_work_seconds: gauge('Seconds of work in progress that work_duration has not seen yet', 'name'),
  workqueue_longest_running_processor_seconds: gauge('How long the longest running worker has been running', 'name'),
  controller_runtime_reconcile_total: counter('Reconciliations, by result', 'controller', 'result'),
  controller_runtime_reconcile_errors_total: counter('Reconciliations that failed', 'controller'),
  controller_runtime_terminal_reconcile_errors_total: counter('Reconciliations that failed and are not retried', 'controller'),
  controller_runtime_reconcile_timeouts_total: counter('Reconciliations that passed their deadline', 'controller'),
  controller_runtime_reconcile_time_seconds: histogram('Length of a reconciliation', 'controller'),
  controller_runtime_max_concurrent_reconciles: gauge('Workers of the controller', 'controller'),
  controller_runtime_active_workers: gauge('Busy workers of the controller', 'controller'),
  leader_election_master_status: gauge('1 while this process leads, else 0', 'name'),
  kube_reflector_lists_total: counter('Full listings, by resource and way (watch-list or pages)', 'resource', 'way'),
  kube_reflector_watches_total: counter('Watches opened, by resource', 'resource'),
  kube_reflector_failures_total: counter('Listings and watches that broke, by resource and reason', 'resource', 'reason'),
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof METRICS;

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

export const noMetrics: Metrics = { count() {}, gauge() {}, observe() {} };
