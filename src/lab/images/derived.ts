/**
 * What the lab makes out of the tools: images and disks. They are kept in the tools' cache under a key of everything they are made of,
 * so that a changed input makes a new one and an unchanged one costs nothing.
 */
import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { cacheRoot, ensure } from '../../../tools/cache.ts';
import { CATALOGUE } from '../../../tools/catalogue.ts';
import { type BuildContext, cacheKey, type DebianPackage, TOOLS_DIR, type Tool } from '../../../tools/tool.ts';

export interface Derived {
  readonly name: string;
  /** Output name -> file inside the cache directory. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Sources of ours: files, or whole folders. Absolute paths. */
  readonly sources: readonly string[];
  /** Outputs of tools that go in, by name. */
  readonly tools: readonly string[];
  readonly packages: readonly DebianPackage[];
  build(context: BuildContext): Promise<void>;
}

/** Builds it unless the cache has it, and says where each output is. */
export async function ensureDerived<const D extends Derived>(
  derived: D,
  signal: AbortSignal,
  root: string = cacheRoot(),
): Promise<Readonly<Record<keyof D['outputs'], string>>> {
  const { dir } = await ensure(toolOf(derived), signal, root);
  const paths = Object.entries(derived.outputs).map(([output, file]) => [output, join(dir, file)]);
  return Object.fromEntries(paths) as Readonly<Record<keyof D['outputs'], string>>;
}

function toolOf(derived: Derived): Tool {
  const { name, outputs, sources, tools, packages } = derived;
  const inputs = sources.flatMap(filesOf).map((file) => relative(TOOLS_DIR, file));
  return {
    name,
    version: 'lab',
    outputs,
    recipe: { inputs, settings: { tools: tools.map(keyOf) }, packages, build: (context) => derived.build(context) },
  };
}

/** A tool's key is a hash of all that it is made of, so it stands for its content. */
function keyOf(output: string): string {
  const tool = CATALOGUE.find((candidate) => output in candidate.outputs);
  if (tool === undefined) throw new Error(`${output}: no tool of that name in tools/catalogue.ts`);
  return cacheKey(tool);
}

function filesOf(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { withFileTypes: true, recursive: true, encoding: 'utf8' });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** A static binary out of a Go module of ours that uses nothing but the standard library. */
export async function buildGo({ run }: BuildContext, module: string, target: string): Promise<void> {
  const env = { CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' };
  await run(['go', 'build', '-buildvcs=false', '-trimpath', '-ldflags', '-s -w', '-o', target, '.'], { cwd: module, env });
}
