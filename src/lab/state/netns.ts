/** Network namespaces, where `ip netns` keeps them; each is recorded before it is made. */
import { access, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailed, runCommand } from '../command.ts';

const NETNS_DIR = '/run/netns';

export const netnsPath = (full: string): string => join(NETNS_DIR, full);

type Run = (argv: readonly string[]) => Promise<string>;

export async function makeNetns(labDir: string, full: string, run: Run): Promise<void> {
  // Looked at first: what exists before it is recorded is not ours and must not be removed by `down`.
  if (await exists(netnsPath(full)))
    throw new Error(`network namespace ${full} exists already: if nothing uses it, remove it with \`ip netns del ${full}\``);
  await writeFile(join(labDir, 'netns', full), '');
  await run(['ip', 'netns', 'add', full]);
  await run(['ip', '-n', full, 'link', 'set', 'lo', 'up']);
}

export async function dropNetns(labDir: string, full: string): Promise<void> {
  try {
    await runCommand(['ip', 'netns', 'del', full]);
  } catch (failure) {
    // Killed between the record and the deed, or between the two steps of an earlier `del`: then there is nothing to unmount.
    if (!(failure instanceof CommandFailed)) throw failure;
    await rm(netnsPath(full), { force: true });
  }
  await rm(join(labDir, 'netns', full), { force: true });
}

/** Every recorded namespace of the lab. */
export async function dropAllNetns(labDir: string): Promise<void> {
  for (const full of await recordedNetns(labDir)) await dropNetns(labDir, full);
  await tidyNetnsDir();
}

export async function recordedNetns(labDir: string): Promise<readonly string[]> {
  return readdir(join(labDir, 'netns')).catch(() => []);
}

/** The first `ip netns add` on a machine mounts /run/netns on itself. Nobody needs that once the last namespace is gone. */
async function tidyNetnsDir(): Promise<void> {
  const left = await readdir(NETNS_DIR).catch(() => undefined);
  if (left?.length !== 0) return;
  await runCommand(['umount', NETNS_DIR]).catch(() => {});
  await rmdir(NETNS_DIR).catch(() => {});
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
