/** What a standing lab costs, by programme: read from /proc for every process in the lab's cgroups. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

export interface Cost {
  readonly programme: string;
  readonly processes: number;
  /** Shared pages are divided among those who share them, so that the rows add up. */
  readonly megabytes: number;
  readonly cpuPercent: number;
}

/** As the kernel reports them to user space, on every architecture. */
const TICKS_PER_SECOND = 100;

interface Sample {
  readonly programme: string;
  readonly kilobytes: number;
  readonly ticks: number;
}

/** Between two looks `rest` passes; a process that came or went meanwhile counts with what was seen of it. */
export async function costOf(pids: () => Promise<readonly number[]>, rest: () => Promise<void>): Promise<readonly Cost[]> {
  const since = performance.now();
  const before = await sample(await pids());
  await rest();
  const after = await sample(await pids());
  const seconds = (performance.now() - since) / 1000;
  const groups = Map.groupBy(after, ([, { programme }]) => programme);
  return [...groups]
    .map(([programme, processes]) => {
      const ticks = processes.reduce((sum, [pid, one]) => sum + one.ticks - (before.get(pid)?.ticks ?? 0), 0);
      return {
        programme,
        processes: processes.length,
        megabytes: processes.reduce((sum, [, one]) => sum + one.kilobytes, 0) / 1024,
        cpuPercent: (100 * ticks) / TICKS_PER_SECOND / seconds,
      };
    })
    .sort((a, b) => b.megabytes - a.megabytes);
}

async function sample(pids: readonly number[]): Promise<ReadonlyMap<number, Sample>> {
  const samples = await Promise.all(pids.map(async (pid) => [pid, await sampleOf(pid).catch(() => undefined)] as const));
  return new Map(samples.flatMap(([pid, one]) => (one === undefined ? [] : [[pid, one] as const])));
}

async function sampleOf(pid: number): Promise<Sample> {
  const [stat, rollup, command] = await Promise.all(
    ['stat', 'smaps_rollup', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8')),
  );
  // The name in parentheses may hold spaces; utime and stime are the 12th and 13th field after it.
  const fields = (stat ?? '').slice((stat ?? '').lastIndexOf(')') + 2).split(' ');
  return {
    programme: programmeOf(command ?? ''),
    kilobytes: Number(/^Pss:\s+(\d+)/m.exec(rollup ?? '')?.[1] ?? 0),
    ticks: Number(fields[11]) + Number(fields[12]),
  };
}

/** Scripts by their own name, not by their interpreter's. */
function programmeOf(command: string): string {
  const [first = '', ...others] = command.split('\0');
  const name = basename(first);
  const interpreted = ['node', 'sh', 'perl', 'busybox'].includes(name) ? others.find((word) => word.includes('/')) : undefined;
  return interpreted === undefined ? name : `${name} ${interpreted.split('/').slice(-2).join('/')}`;
}
