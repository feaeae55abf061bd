/** Remembers what was logged and measured. */
import { canonicalJson } from '../canonical.ts';
import type { Labels, Logger, MetricName, Metrics } from '../telemetry.ts';
import { METRICS } from '../telemetry.ts';

export class RecordedMetrics implements Metrics {
  readonly #values = new Map<string, number>();
  readonly observed: { readonly name: MetricName; readonly labels: Labels; readonly value: number }[] = [];

  count(name: MetricName, labels: Labels, by = 1): void {
    this.#set(name, labels, (this.value(name, labels) ?? 0) + by, 'counter');
  }

  gauge(name: MetricName, labels: Labels, value: number): void {
    this.#set(name, labels, value, 'gauge');
  }

  observe(name: MetricName, labels: Labels, value: number): void {
    check(name, labels, 'histogram');
    this.observed.push({ name, labels, value });
  }

  value(name: MetricName, labels: Labels): number | undefined {
    return this.#values.get(series(name, labels));
  }

  #set(name: MetricName, labels: Labels, value: number, type: string): void {
    check(name, labels, type);
    this.#values.set(series(name, labels), value);
  }
}

/** A metric must be used as it is declared: whoever registers it relies on that. */
function check(name: MetricName, labels: Labels, type: string): void {
  const declared = METRICS[name];
  const asDeclared = declared.type === type && Object.keys(labels).sort().join() === [...declared.labels].sort().join();
  if (!asDeclared)
    throw new TypeError(
      `${name} is declared as ${declared.type} of ${declared.labels.join()}, not ${type} of ${Object.keys(labels).join()}`,
    );
}

const series = (name: string, labels: Labels) => `${name} ${canonicalJson(labels)}`;

export class RecordedLog implements Logger {
  readonly lines: { readonly level: string; readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];

  debug = (fields: object, message: string) => this.#add('debug', fields, message);
  info = (fields: object, message: string) => this.#add('info', fields, message);
  warn = (fields: object, message: string) => this.#add('warn', fields, message);
  error = (fields: object, message: string) => this.#add('error', fields, message);

  messages(level: string): readonly string[] {
    return this.lines.filter((line) => line.level === level).map((line) => line.message);
  }

  #add(level: string, fields: object, message: string): void {
    this.lines.push({ level, message, fields: fields as Record<string, unknown> });
  }
}
