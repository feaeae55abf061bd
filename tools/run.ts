import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { WriteStream } from 'node:fs';
import type { RunOptions } from './tool.ts';

/** A command that failed; the reader finds what it said in the log, not in the message. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** Runs one command with everything it says going to `log`, and returns its standard output. */
export async function run(log: WriteStream, signal: AbortSignal, command: readonly string[], options: RunOptions = {}): Promise<string> {
  const [file = '', ...args] = command;
  log.write(`$ ${command.join(' ')}\n`);
  const child = spawn(file, args, {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const stdout: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout.push(chunk);
    log.write(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => log.write(chunk));
  const [code, killedBy] = await once(child, 'close').catch((cause: unknown) => {
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw new CommandFailed(missing ? `${file} is not installed` : `${file}: ${(cause as Error).message}`, { cause });
  });
  if (code !== 0) throw new CommandFailed(`${file} ended with ${code ?? killedBy}`);
  return Buffer.concat(stdout).toString();
}
