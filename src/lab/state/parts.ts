/** The lab's processes: started through the launcher, which records them; found again by pid and start time. */
import { spawn as spawnChild } from 'node:child_process';
import { once } from 'node:events';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runCommand } from '../command.ts';
import type { LabProcess, RunOptions } from '../contract.ts';
import type { LabCgroups } from './cgroups.ts';
import { isAlive, parseIdentity } from './process-identity.ts';

const LAUNCHER = ['/bin/sh', join(import.meta.dirname, 'launch.sh')] as const;
/** Every short command of the lab runs in this cgroup, so that it does not outlive a killed `lab up` unnoticed. */
const COMMANDS = 'commands';
const PART = /^[a-z0-9][a-z0-9.-]*$/;

export interface PartCommand {
  /** Complete: the namespaces are entered by its first words. */
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const PASSED_ON = ['SIGTERM', 'SIGHUP'] as const;

export class Parts {
  readonly #dir: string;
  readonly #logs: string;
  readonly #cgroups: LabCgroups;

  constructor(dir: string, logs: string, cgroups: LabCgroups) {
    this.#dir = dir;
    this.#logs = logs;
    this.#cgroups = cgroups;
  }

  logOf(part: string): string {
    return join(this.#logs, `${part}.log`);
  }

  async start(part: string, command: PartCommand): Promise<LabProcess> {
    if (!PART.test(part)) throw new Error(`"${part}" cannot name a part of the lab`);
    if (await this.find(part)) throw new Error(`${part} runs already in this lab`);
    await rm(this.#recordOf(part), { force: true });
    const cgroup = await this.#cgroups.addPart(part);
    const log = await open(this.logOf(part), 'a');
    try {
      const child = spawnChild(LAUNCHER[0], [LAUNCHER[1], this.#dir, cgroup, part, ...command.argv], {
        // A session of its own: the part outlives the terminal and the command that started it.
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
        env: environment(command.env),
        ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
      });
      await once(child, 'spawn');
      child.unref();
      while (child.exitCode === null && child.signalCode === null) {
        const recorded = await this.#read(part);
        if (recorded && recorded.pid === child.pid) return recorded;
        await pause(2);
      }
      throw new Error(`${part} ended at once with ${child.exitCode ?? child.signalCode}`);
    } finally {
      await log.close();
    }
  }

  async find(part: string): Promise<LabProcess | undefined> {
    const recorded = await this.#read(part);
    return recorded && (await isAlive(recorded)) ? recorded : undefined;
  }

  /** Every part that was ever started and not stopped, living or not. */
  async recorded(): Promise<readonly LabProcess[]> {
    const names = (await readdir(join(this.#dir, 'parts')).catch(() => [])).filter((name) => PART.test(name)).sort();
    const parts = await Promise.all(names.map((name) => this.#read(name)));
    return parts.filter((part) => part !== undefined);
  }

  async stop(part: string, patienceMs = 3000): Promise<void> {
    const process_ = await this.find(part);
    if (process_) {
      process.kill(process_.pid, 'SIGTERM');
      const giveUpAt = performance.now() + patienceMs;
      while ((await isAlive(process_)) && performance.now() < giveUpAt) await pause(20);
    }
    await this.#cgroups.endPart(part);
    await rm(this.#recordOf(part), { force: true });
  }

  async run(argv: readonly string[], options: RunOptions, place: readonly string[]): Promise<string> {
    const cgroup = await this.#cgroups.addPart(COMMANDS);
    const launcher = [...LAUNCHER, this.#dir, cgroup, '-', ...place];
    return runCommand(argv, { ...options, env: environment(options.env) }, launcher);
  }

  async visit(argv: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
    const cgroup = await this.#cgroups.addPart(COMMANDS);
    const child = spawnChild(LAUNCHER[0], [LAUNCHER[1], this.#dir, cgroup, '-', ...argv], { stdio: 'inherit', env: environment(env) });
    // Ctrl-C is meant for the visitor, who is in the same process group and gets it too.
    const ignore = () => {};
    process.on('SIGINT', ignore);
    // These are meant for us alone when a script or a supervisor sends them; the visitor must not stay behind.
    const pass = (signal: NodeJS.Signals) => void child.kill(signal);
    for (const signal of PASSED_ON) process.on(signal, pass);
    try {
      const [code, killedBy] = await once(child, 'exit');
      return typeof code === 'number' ? code : 128 + (constants.signals[killedBy as NodeJS.Signals] ?? 0);
    } finally {
      process.off('SIGINT', ignore);
      for (const signal of PASSED_ON) process.off(signal, pass);
    }
  }

  async #read(part: string): Promise<LabProcess | undefined> {
    const identity = parseIdentity(await readFile(this.#recordOf(part), 'utf8').catch(() => ''));
    return identity && { part, ...identity, log: this.logOf(part) };
  }

  #recordOf(part: string): string {
    return join(this.#dir, 'parts', part);
  }
}

/** The caller's environment, with sbin on the PATH for daemons and network tools, and without the way out of a machine behind a proxy. */
export function environment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name, value]) => value !== undefined && !/_proxy$/i.test(name));
  const path = [process.env['PATH'], '/usr/local/sbin', '/usr/sbin', '/sbin'].filter(Boolean).join(delimiter);
  return { ...(Object.fromEntries(inherited) as Record<string, string>), PATH: path, ...extra };
}
