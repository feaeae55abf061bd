import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of this file: every path of the catalogue starts here. */
export const TOOLS_DIR = import.meta.dirname;

/** What a recipe is given: where to put its outputs, room for scratch, and a way to run commands that is logged and can be cancelled. */
export interface BuildContext {
  readonly out: string;
  readonly scratch: string;
  readonly signal: AbortSignal;
  readonly run: (command: readonly string[], options?: RunOptions) => Promise<string>;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A Debian package, and how to see that what it brings is there already: a command on the PATH, or an absolute path. */
export interface DebianPackage {
  readonly package: string;
  readonly brings: string;
}

export interface Recipe {
  /** Files under tools/ whose content decides the result. The recipe's own source belongs here. */
  readonly inputs: readonly string[];
  /** Whatever else decides the result (flags, package lists); hashed as JSON. */
  readonly settings: unknown;
  /** Debian packages that the build itself needs. */
  readonly packages: readonly DebianPackage[];
  build(context: BuildContext): Promise<void>;
}

export interface Tool {
  readonly name: string;
  readonly version: string;
  /** Name by which tests and the lab ask for it -> path inside the tool's cache directory. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly recipe: Recipe;
  /** Its build keeps every core busy by itself; the others mostly wait for the network or the disk. */
  readonly compiles?: true;
}

/** `<name>-<version>-<hash of inputs>`: another input, another directory, so nothing in the cache ever has to be invalidated. */
export function cacheKey(tool: Tool, toolsDir: string = TOOLS_DIR): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([tool.name, tool.version, tool.outputs, tool.recipe.settings, process.arch]));
  for (const input of tool.recipe.inputs) {
    const content = readFileSync(join(toolsDir, input));
    hash.update(JSON.stringify([input, content.length])).update(content);
  }
  return `${tool.name}-${tool.version}-${hash.digest('hex').slice(0, 12)}`;
}
