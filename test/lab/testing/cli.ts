/** The command as a user runs it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const HCPIO = join(import.meta.dirname, '..', '..', '..', 'bin', 'hcpio');

const LAST_WORDS_MS = 2000;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

export function startHcpioLab(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  before: readonly string[] = [],
): Running {
  const [file = '', ...rest] = [...before, HCPIO, 'lab', ...args];
  const child = spawn(file, rest, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  const closed = once(child, 'close');
  const ended = once(child, 'exit').then(async ([code]) => {
    // What it said last may still be on its way. But a killed command's own children may hold its output open.
    await Promise.race([closed, pause(LAST_WORDS_MS)]);
    return { code: code as number | null, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
  });
  return { child, ended };
}

export const hcpioLab = (...args: readonly string[]): Promise<Ended> => startHcpioLab(args).ended;

/** As `hcpioLab`, for commands that must do well. */
export async function hcpioLabWell(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await hcpioLab(...args);
  if (code !== 0) throw new Error(`hcpio lab ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}
