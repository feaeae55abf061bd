import { createWriteStream, existsSync } from 'node:fs';
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { withLock } from './lock.ts';
import { run } from './run.ts';
import { type BuildContext, cacheKey, type Tool } from './tool.ts';

export interface Cached {
  readonly dir: string;
  readonly how: 'built' | 'cached';
}

/** A build that failed, and where its whole story is. */
export class BuildFailed extends Error {
  override readonly name = 'BuildFailed';
  readonly log: string;
  constructor(message: string, log: string, cause: unknown) {
    super(message, { cause });
    this.log = log;
  }
}

/** One for all clones of the project on a machine, so that a second clone starts warm. */
export function cacheRoot(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return env['HCPIO_CACHE'] ?? join(homedir(), '.cache', 'hcpio');
}

/** Where the tool is, or will be. A directory under this name is complete by construction: see `ensure`. */
export function cacheDir(tool: Tool, root: string = cacheRoot()): string {
  return join(root, cacheKey(tool));
}

export function isCached(tool: Tool, root: string = cacheRoot()): boolean {
  return existsSync(cacheDir(tool, root));
}

/**
 * Builds the tool unless the cache has it.
 *
 * Everything is made under `.work` and renamed into place as the last step, so a directory under the tool's key is always whole:
 * a killed build leaves scratch, which the next build of the same key removes. Concurrent builds of one key wait for the first.
 */
export async function ensure(tool: Tool, signal: AbortSignal, root: string = cacheRoot()): Promise<Cached> {
  const dir = cacheDir(tool, root);
  if (existsSync(dir)) return { dir, how: 'cached' };
  const work = join(root, '.work');
  await mkdir(work, { recursive: true });
  return withLock(join(work, `${cacheKey(tool)}.lock`), signal, async () => {
    if (existsSync(dir)) return { dir, how: 'cached' };
    await build(tool, dir, work, signal);
    return { dir, how: 'built' };
  });
}

async function build(tool: Tool, dir: string, work: string, signal: AbortSignal): Promise<void> {
  const key = cacheKey(tool);
  const attempts = (await readdir(work)).filter((entry) => entry.startsWith(`${key}.attempt-`));
  for (const abandoned of attempts) await rm(join(work, abandoned), { recursive: true, force: true });

  const attempt = join(work, `${key}.attempt-${process.pid}-${Date.now()}`);
  const logPath = join(work, `${key}.log`);
  const log = createWriteStream(logPath);
  const context: BuildContext = {
    out: join(attempt, 'out'),
    scratch: join(attempt, 'scratch'),
    signal,
    run: (command, options) => run(log, signal, command, options),
  };
  try {
    await mkdir(context.out, { recursive: true });
    await mkdir(context.scratch, { recursive: true });
    await tool.recipe.build(context);
    for (const output of Object.values(tool.outputs)) await access(join(context.out, output));
    await rename(context.out, dir);
  } catch (cause) {
    throw new BuildFailed(`${tool.name} ${tool.version}: ${cause instanceof Error ? cause.message : String(cause)}`, logPath, cause);
  } finally {
    log.end();
    await finished(log);
    await rm(attempt, { recursive: true, force: true });
  }
}
