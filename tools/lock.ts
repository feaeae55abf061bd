import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs `work` while holding an exclusive lock on the file `path`.
 *
 * Node has no flock(2), so a child holds the lock for as long as our end of its stdin is open. The kernel closes that end however
 * we die, kill -9 and another PID namespace included, so there is no such thing as a stale lock to detect.
 */
export async function withLock<T>(path: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const holder = spawn('flock', ['--exclusive', '--no-fork', path, 'sh', '-c', 'echo held && exec cat >/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(holder, 'close');
  const giveUp = () => holder.kill('SIGKILL');
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const held = await Promise.race([once(holder.stdout, 'data').then(() => true), ended.then(() => false)]);
    signal.throwIfAborted();
    if (!held) throw new Error(`could not lock ${path}: flock ended with ${holder.exitCode ?? holder.signalCode}`);
    return await work();
  } finally {
    signal.removeEventListener('abort', giveUp);
    holder.stdin.end();
    await ended;
  }
}
