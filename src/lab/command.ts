/** Runs a command to its end and keeps what it said. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface CommandOptions {
  /** The whole environment; the caller's own when absent. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string;
  readonly signal?: AbortSignal;
}

export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly argv: readonly string[];
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;

  constructor(argv: readonly string[], exitCode: number | undefined, stdout: string, stderr: string, how: string) {
    super(`${argv.join(' ')}: ${stderr.trim() || stdout.trim() || how}`);
    this.argv = argv;
    this.exitCode = exitCode;
    this.stdout = stdout;
    this.stderr = stderr;
  }
}

/** Rejects with `CommandFailed` unless the command ends with 0. `argv` is what the error names; `launcher` comes before it. */
export async function runCommand(argv: readonly string[], options: CommandOptions = {}, launcher: readonly string[] = []): Promise<string> {
  const [file = '', ...args] = [...launcher, ...argv];
  const child = spawn(file, args, {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.env === undefined ? {} : { env: options.env }),
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A command that does not read its input may end first: that is its exit code's business, not ours.
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin ?? '');
  const [code, killedBy] = await once(child, 'close').catch((cause: unknown) => {
    options.signal?.throwIfAborted();
    throw new CommandFailed(argv, undefined, '', '', cause instanceof Error ? cause.message : String(cause));
  });
  const said = Buffer.concat(stdout).toString();
  if (code !== 0)
    throw new CommandFailed(argv, code ?? undefined, said, Buffer.concat(stderr).toString(), `ended with ${code ?? killedBy}`);
  return said;
}
