import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize, relative, resolve } from 'node:path';
import { Failure } from './failure.ts';

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
    await stageAndMove(target, files);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`cannot write to ${directory}: ${(error as Error).message}`, { cause: error });
  }
}

const refusal = (directory: string, foreign: readonly string[]): string => {
  const some = foreign.slice(0, 3).join(', ') + (foreign.length > 3 ? ` and ${foreign.length - 3} more` : '');
  return `${directory} holds files that hcpio did not write (${some}): choose another directory, or replace files of the same names with --force`;
};

async function stageAndMove(target: Target, files: FileTree): Promise<void> {
  const staged = target.stays
    ? join(target.path, `.hcpio-${randomUUID()}`)
    : join(dirname(target.path), `.${basename(target.path)}-${randomUUID()}`);
  try {
    await mkdir(dirname(staged), { recursive: true });
    await writeTree(staged, files);
    if (target.stays) await replaceFiles(target, staged, files);
    else await replaceDirectory(target.path, staged);
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}

interface Target {
  readonly path: string;
  readonly ours: ReadonlyMap<string, string>;
  /** Files that we did not write, or that were changed since. */
  readonly foreign: readonly string[];
  /** The directory itself cannot give way: it is a person's, a mount point, or empty and perhaps somebody's working directory. */
  readonly stays: boolean;
}

async function lookAt(directory: string): Promise<Target> {
  const path = await realTarget(directory);
  const files = await listFiles(path);
  if (files === undefined) return { path, ours: new Map(), foreign: [], stays: false };
  const ours = await readMarker(path);
  const foreign: string[] = [];
  for (const file of files) {
    if (file === MARKER && ours.size > 0) continue;
    const hash = ours.get(file);
    if (hash === undefined || hash !== sha256(await readFile(join(path, file)))) foreign.push(file);
  }
  const mounted = (await stat(path)).dev !== (await stat(dirname(path))).dev;
  return { path, ours, foreign, stays: files.length === 0 || foreign.length > 0 || mounted };
}

async function realTarget(directory: string): Promise<string> {
  try {
    const real = await realpath(directory);
    if (!(await stat(real)).isDirectory()) throw new Failure(`${directory} is not a directory`);
    return real;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return resolve(directory);
    throw error;
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

/** Undefined when there is no such directory. */
async function listFiles(directory: string): Promise<string[] | undefined> {
  try {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => !entry.isDirectory()).map((entry) => relative(directory, join(entry.parentPath, entry.name)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeTree(root: string, files: FileTree): Promise<void> {
  await mkdir(root);
  const hashes: Record<string, string> = {};
  for (const [path, content] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
    hashes[path] = sha256(content);
  }
  await writeFile(join(root, MARKER), `${JSON.stringify({ writtenBy: 'hcpio render', files: hashes }, null, 2)}\n`);
}

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Nothing foreign is in the old directory, so the whole of it gives way. */
async function replaceDirectory(target: string, staged: string): Promise<void> {
  const aside = `${staged}.old`;
  const existed = await moveIfThere(target, aside);
  try {
    await rename(staged, target);
  } catch (error) {
    if (existed) await rename(aside, target);
    throw error;
  }
  await rm(aside, { recursive: true, force: true });
}

/** File by file, each in one move; what an earlier run wrote and this one does not is taken away. Everything else stays. */
async function replaceFiles(target: Target, staged: string, files: FileTree): Promise<void> {
  for (const path of [...files.keys(), MARKER]) {
    await mkdir(dirname(join(target.path, path)), { recursive: true });
    await rename(join(staged, path), join(target.path, path));
  }
  for (const path of target.ours.keys())
    if (!files.has(path) && !target.foreign.includes(path)) await rm(join(target.path, path), { force: true });
}

async function moveIfThere(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
