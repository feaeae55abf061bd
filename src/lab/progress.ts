/** What a user sees of a long command: one line per step, and when one fails, the end of the right log. */
import { existsSync } from 'node:fs';
import { Progress, tail } from '../../tools/progress.ts';

export interface Reporter {
  start(title: string): void;
  end(title: string, result: string): void;
}

/** On the terminal: what is running, and a line for what has finished. */
export const onTerminal = (): Progress => new Progress(process.stdout);

export const silent: Reporter = { start: () => {}, end: () => {} };

export class StepFailed extends Error {
  override readonly name = 'StepFailed';
  readonly logs: readonly string[];

  constructor(title: string, cause: unknown, logs: readonly string[]) {
    super(`${title}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.logs = logs.filter((log) => existsSync(log));
  }

  /** The message with the last lines of the logs that belong to it. */
  explain(): string {
    return [this.message, ...this.logs.map((log) => `  the end of ${log}:\n${tail(log)}`)].join('\n');
  }
}
