import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from './failure.ts';

/** One input text and the name under which problems in it are told. */
export interface Source {
  readonly file: string;
  readonly text: Uint8Array;
}

const WANTED = /\.(ya?ml|json)$/i;
/** Instructions to kustomize, not objects; they lie in the same directories as objects. */
const KUSTOMIZATION = /^kustomization(\.ya?ml)?$/i;

export interface ReadOptions {
  readonly recursive: boolean;
  readonly stdin: () => Promise<Uint8Array>;
}

/** The texts behind `-f PATH...`: files, directories (as kubectl reads them: not their subdirectories, unless asked) and `-` for standard input. */
export async function readSources(paths: readonly string[], { recursive, stdin }: ReadOptions): Promise<Source[]> {
  const sources: Source[] = [];
  const seen = new Set<string>();
  for (const path of paths) {
    if (path === '-') {
      if (!seen.has('-')) sources.push({ file: 'stdin', text: await stdin() });
      seen.add('-');
      continue;
    }
    for (const file of await listFiles(path, recursive)) {
      // A file that is named twice, or named and in a named directory, is still one file.
      const real = await attemptTo(`read ${file}`, () => realpath(file));
      if (!seen.has(real)) sources.push({ file, text: await attemptTo(`read ${file}`, () => readFile(file)) });
      seen.add(real);
    }
  }
  return sources;
}

async function listFiles(path: string, recursive: boolean): Promise<string[]> {
  const info = await attemptTo(`read ${path}`, () => stat(path));
  return info.isDirectory() ? walk(path, recursive) : [path];
}

async function walk(directory: string, recursive: boolean): Promise<string[]> {
  const entries = await attemptTo(`read ${directory}`, () => readdir(directory, { withFileTypes: true }));
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(directory, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) {
      if (recursive) files.push(...(await walk(path, recursive)));
    } else if (WANTED.test(entry.name) && !KUSTOMIZATION.test(entry.name)) {
      files.push(path);
    }
  }
  return files;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  ELOOP: 'too many symbolic links',
};

async function attemptTo<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    throw new Failure(`cannot ${what}: ${REASONS[code] ?? (error as Error).message}`, { cause: error });
  }
}
