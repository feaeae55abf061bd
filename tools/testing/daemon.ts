import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** A daemon that a test may kill and start again with the same arguments. */
export class Daemon {
  readonly name: string;
  readonly log: string;
  readonly #command: readonly string[];
  #child: ChildProcess | undefined;

  constructor(name: string, command: readonly string[], log: string) {
    this.name = name;
    this.log = log;
    this.#command = command;
  }

  get pid(): number {
    if (this.#child?.pid === undefined || !this.running) throw new Error(`${this.name} is not running`);
    return this.#child.pid;
  }

  get running(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  start(): void {
    if (this.running) throw new Error(`${this.name} is running already`);
    const log = openSync(this.log, 'a');
    // The kernel ends the daemon when we end, kill -9 of the test runner included.
    this.#child = spawn('setpriv', ['--pdeathsig', 'KILL', ...this.#command], { stdio: ['ignore', log, log] });
    this.#child.on('error', () => {}); // shows as a daemon that does not run, with its log
    closeSync(log);
  }

  /** Ends it, by default as rudely as a crash would, and waits until it is gone. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.running) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  /** Waits until `ready` holds; throws with the end of the log when the daemon ends before. */
  async until(ready: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
    while (!(await ready())) {
      signal.throwIfAborted();
      if (!this.running) throw new Error(`${this.name} ended:\n${readFileSync(this.log, 'utf8').slice(-4000)}`);
      await setTimeout(50);
    }
  }
}
