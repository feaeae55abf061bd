/** Takes a lab away, whatever state it is in: also one whose `up` was killed at any moment, and also one whose `down` was. */
import { access, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from '../../tools/lock.ts';
import { LOG_ROOT, layoutOf } from './layout.ts';
import type { Reporter } from './progress.ts';
import { cgroupHost, LabCgroups } from './state/cgroups.ts';
import { forget, markClosing, phaseOf, sweep } from './state/claim.ts';
import { dropAllNetns } from './state/netns.ts';

const KEPT_RUNS = 5;

export interface DownOptions {
  readonly name: string;
  readonly reporter: Reporter;
  /** The logs of all runs of this name too. */
  readonly purge: boolean;
  readonly signal: AbortSignal;
}

/** False when there was nothing of that name. */
export async function down({ name, reporter, purge, signal }: DownOptions): Promise<boolean> {
  const { dir } = layoutOf({ name, nodes: 0 });
  const found = await phaseOf(name);
  if (found.phase === 'starting' && found.by.pid !== process.pid)
    throw new Error(`lab ${name} is being started by process ${found.by.pid}: end that first`);
  if (found.phase !== 'absent') {
    // The directory is its own lock file: a second `down` waits here and then finds nothing.
    await withLock(dir, signal, async () => {
      if (await exists(dir)) await clear(name, dir, reporter);
    });
  }
  await sweep();
  await tidyLogs(name, purge ? 0 : KEPT_RUNS);
  return found.phase !== 'absent';
}

async function clear(name: string, dir: string, reporter: Reporter): Promise<void> {
  const step = async (title: string, work: () => Promise<void>) => {
    reporter.start(title);
    await work();
    reporter.end(title, 'done');
  };
  await markClosing(dir);
  const cgroups = new LabCgroups(cgroupHost(await readFile('/proc/self/mountinfo', 'utf8')), name);
  // With a node's last process go its mounts, with a namespace go its interfaces, so there is nothing else to undo.
  await step('processes and cgroups', () => cgroups.endAll());
  await step('network namespaces', () => dropAllNetns(dir));
  await step('files', () => forget(dir));
}

async function tidyLogs(name: string, keep: number): Promise<void> {
  const runs = (await readdir(join(LOG_ROOT, name)).catch((): string[] => [])).sort();
  for (const run of runs.slice(0, Math.max(0, runs.length - keep))) await rm(join(LOG_ROOT, name, run), { recursive: true, force: true });
  await rmdir(join(LOG_ROOT, name)).catch(() => {});
  await rmdir(LOG_ROOT).catch(() => {});
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
