/** The command as a user runs it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const HCPIO = join(import.meta.dirname, '..', '..', '..', 'bin', 'hcpio');

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
  // 'exit' and not 'close': a killed command's own children may hold its output open.
  const ended = once(child, 'exit').then(([code]) => ({
    code: code as number | null,
    stdout: Buffer.concat(stdout).toString(),
    stderr: Buffer.concat(stderr).toString(),
  }));
  return { child, ended };
}

export async function hcpioLab(...args: readonly string[]): Promise<Ended> {
  const { child, ended } = startHcpioLab(args);
  await once(child, 'close');
  return ended;
}

/** As `hcpioLab`, for commands that must do well. */
export async function hcpioLabWell(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await hcpioLab(...args);
  if (code !== 0) throw new Error(`hcpio lab ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}
