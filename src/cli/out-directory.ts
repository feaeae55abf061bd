import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { Failure } from './failure.ts';
import { interruptible } from './interruptible.ts';

/** Files to write, by path below the directory. */
export type FileTree = ReadonlyMap<string, string>;

/** Lists what we wrote with its hashes, so that a later run knows its own work from a person's. */
export const MARKER = '.hcpio-rendered.json';

/**
 * Puts the files into a directory, all or nothing: they are written to a temporary place and moved at the end. A directory that
 * holds anything but our own unchanged files is refused; with `force` our part of it is replaced, and the rest is left alone.
 */
export async function writeDirectory(directory: string, files: FileTree, force: boolean): Promise<void> {
  try {
    const target = await lookAt(directory);
    if (target.foreign.length > 0 && !force) throw new Failure(refusal(directory, target.foreign));
    await interruptible((signal) => stageAndMove(target, files, signal));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`cannot write to ${directory}: ${(error as Error).message}`, { cause: error });
  }
}

const refusal = (directory: string, foreign: readonly string[]): string => {
  const some = foreign.slice(0, 3).join(', ') + (foreign.length > 3 ? ` and ${foreign.length - 3} more` : '');
  return `${directory} holds files that hcpio did not write (${some}): choose another directory, or replace files of the same names with --force`;
};

async function stageAndMove(target: Target, files: FileTree, signal: AbortSignal): Promise<void> {
  const staged = target.stays
    ? join(target.path, `.hcpio-${randomUUID()}`)
    : join(dirname(target.path), `.${basename(target.path)}-${randomUUID()}`);
  try {
    await mkdir(dirname(staged), { recursive: true });
    await writeTree(staged, files, signal);
    // From here on there is no stopping half-way: a signal waits for the end.
    if (target.stays) await replaceFiles(target, staged, files);
    else if (target.exists) await replaceDirectory(target, staged);
    else await rename(staged, target.path);
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}

interface Target {
  readonly path: string;
  readonly exists: boolean;
  /** Files that we wrote and nobody changed since: all that we may ever take away. */
  readonly ours: readonly string[];
  /** Files that we did not write, or that were changed since. */
  readonly foreign: readonly string[];
  /** The directory itself cannot give way: it is a person's, a mount point, or empty and perhaps somebody's working directory. */
  readonly stays: boolean;
}

async function lookAt(directory: string): Promise<Target> {
  const path = await realTarget(directory);
  if (path === undefined) return { path: resolve(directory), exists: false, ours: [], foreign: [], stays: false };
  if (isAtOrAbove(path, await realpath(process.cwd())))
    throw new Failure(`${directory} is the current directory or one above it: choose a directory of its own`);
  const { ours, foreign } = await tellApart(path);
  const mounted = (await stat(path)).dev !== (await stat(dirname(path))).dev;
  return { path, exists: true, ours, foreign, stays: ours.length === 0 || foreign.length > 0 || mounted };
}

export const isAtOrAbove = (directory: string, here: string): boolean =>
  here === directory || here.startsWith(directory.endsWith(sep) ? directory : directory + sep);

async function tellApart(directory: string): Promise<Pick<Target, 'ours' | 'foreign'>> {
  const marker = await readMarker(directory);
  const ours: string[] = [];
  const foreign: string[] = [];
  for (const { path, regular } of await listEntries(directory)) {
    const hash = marker.get(path);
    const known =
      path === MARKER ? marker.size > 0 : hash !== undefined && regular && hash === sha256(await readFile(join(directory, path)));
    (known ? ours : foreign).push(path);
  }
  return { ours, foreign };
}

/** Undefined when there is no such directory. */
async function realTarget(directory: string): Promise<string | undefined> {
  try {
    const real = await realpath(directory);
    if (!(await stat(real)).isDirectory()) throw new Failure(`${directory} is not a directory`);
    return real;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    if (await lstat(directory).catch(() => undefined)) throw new Failure(`${directory} is a link to nothing`);
    return undefined;
  }
}

async function readMarker(target: string): Promise<ReadonlyMap<string, string>> {
  try {
    const marker: unknown = JSON.parse(await readFile(join(target, MARKER), 'utf8'));
    const files = typeof marker === 'object' && marker !== null && 'files' in marker ? marker.files : {};
    // A marker that names a file outside is none of ours.
    return new Map(
      Object.entries(files as Record<string, string>).filter(([path]) => !isAbsolute(path) && !normalize(path).startsWith('..')),
    );
  } catch {
    // No marker, or one that a person spoiled: then nothing here is known to be ours.
    return new Map();
  }
}

interface Entry {
  readonly path: string;
  readonly regular: boolean;
}

/**
 * Everything below that is no directory, links not followed. A subdirectory that cannot be looked into is an entry, too, and so none of
 * ours: one whose name is not UTF-8 even answers ENOENT, although it is there.
 */
async function listEntries(root: string, directory = root): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    const itself: Entry = { path: relative(root, path), regular: entry.isFile() };
    if (entry.isDirectory()) entries.push(...(await listEntries(root, path).catch(() => [{ ...itself, path: `${itself.path}/` }])));
    else entries.push(itself);
  }
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function writeTree(root: string, files: FileTree, signal: AbortSignal): Promise<void> {
  await mkdir(root);
  const hashes: Record<string, string> = {};
  for (const [path, content] of files) {
    signal.throwIfAborted();
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
    hashes[path] = sha256(content);
  }
  await writeFile(join(root, MARKER), `${JSON.stringify({ writtenBy: 'hcpio render', files: hashes }, null, 2)}\n`);
}

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Nothing foreign was in the old directory, so the whole of it gives way; file by file, for something may have come in since. */
async function replaceDirectory({ path, ours }: Target, staged: string): Promise<void> {
  const aside = `${staged}.old`;
  await rename(path, aside);
  try {
    await rename(staged, path);
  } catch (error) {
    await rename(aside, path);
    throw error;
  }
  for (const file of ours) await rm(join(aside, file), { force: true });
  await removeEmpty(aside);
}

/** rmdir takes nothing but empty directories, whatever happens meanwhile. */
async function removeEmpty(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true }))
    if (entry.isDirectory()) await removeEmpty(join(directory, entry.name));
  await rmdir(directory);
}

/** File by file, each in one move; what an earlier run wrote and this one does not is taken away. Everything else stays. */
async function replaceFiles(target: Target, staged: string, files: FileTree): Promise<void> {
  for (const path of [...files.keys(), MARKER]) {
    await mkdir(dirname(join(target.path, path)), { recursive: true });
    await rename(join(staged, path), join(target.path, path));
  }
  for (const path of target.ours) if (path !== MARKER && !files.has(path)) await rm(join(target.path, path), { force: true });
}
