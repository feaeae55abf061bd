/** Which process: the pid alone is reused by the kernel, the pid with its start time never is (until the next boot). */
import { readFile } from 'node:fs/promises';

export interface ProcessIdentity {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat, in clock ticks since boot. It survives exec(2), so a launcher can record it for what it becomes. */
  readonly startTime: string;
}

/** What /proc/PID/stat says. The command name is cut off first: it is in parentheses and may hold spaces and parentheses itself. */
export function parseStat(stat: string): { readonly state: string; readonly startTime: string } | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTime] = [fields[0], fields[19]];
  return state && startTime ? { state, startTime } : undefined;
}

export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const stat = parseStat(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''));
  // A zombie has ended: it runs nothing and holds nothing, only its parent has not looked yet.
  return stat === undefined || stat.state === 'Z' ? undefined : { pid, startTime: stat.startTime };
}

export async function isAlive(process: ProcessIdentity): Promise<boolean> {
  return (await identify(process.pid))?.startTime === process.startTime;
}

/** `PID START`, as the launcher writes it. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  const [pid, startTime] = text.trim().split(' ');
  return pid && startTime && /^\d+$/.test(pid) ? { pid: Number(pid), startTime } : undefined;
}

export function formatIdentity(process: ProcessIdentity): string {
  return `${process.pid} ${process.startTime}\n`;
}
