import type { BigIntStats } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
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
    for (const { file, info } of await listFiles(path, recursive)) {
      if (info.size > LARGEST) throw new Failure(`cannot read ${file}: it is larger than ${LARGEST >> 20n} MiB`);
      // A file that is named twice, or named and in a named directory, is still one file. Not realpath: a pipe has none.
      const identity = `${info.dev}:${info.ino}`;
      if (!seen.has(identity)) sources.push({ file, text: await attemptTo(`read ${file}`, () => readFile(file)) });
      seen.add(identity);
    }
  }
  return sources;
}

/** Far beyond the objects of any hub: what is larger was named by mistake. */
const LARGEST = 256n << 20n;

interface Found {
  readonly file: string;
  readonly info: BigIntStats;
}

const look = async (file: string): Promise<Found> => ({ file, info: await attemptTo(`read ${file}`, () => stat(file, { bigint: true })) });

async function listFiles(path: string, recursive: boolean): Promise<Found[]> {
  const found = await look(path);
  if (found.info.isDirectory()) return walk(path, recursive);
  // A shell hands over <(command) as a pipe. A device may have no end.
  if (!found.info.isFile() && !found.info.isFIFO()) throw new Failure(`cannot read ${path}: it is neither a file nor a pipe`);
  return [found];
}

async function walk(directory: string, recursive: boolean): Promise<Found[]> {
  const entries = await attemptTo(`read ${directory}`, () => readdir(directory, { withFileTypes: true }));
  const files: Found[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(directory, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) {
      if (recursive) files.push(...(await walk(path, recursive)));
    } else if (WANTED.test(entry.name) && !KUSTOMIZATION.test(entry.name)) {
      const found = await look(path);
      // Nobody means a pipe or a device that lies in a directory, and reading it could wait forever.
      if (found.info.isFile()) files.push(found);
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
