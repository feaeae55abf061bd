import { parseArgs } from 'node:util';
import { BuildFailed, cacheDir, ensure, isCached } from './cache.ts';
import { CATALOGUE, GROUPS } from './catalogue.ts';
import { installPackages, missingPackages } from './packages.ts';
import { Progress, tail } from './progress.ts';
import type { DebianPackage, Tool } from './tool.ts';

const USAGE = `usage: tools/build.ts [--list] NAME...
  NAME is a tool (--list shows them) or a group: ${Object.keys(GROUPS).join(', ')}`;

interface Selection {
  readonly tools: readonly Tool[];
  readonly packages: readonly DebianPackage[];
}

/** Tools in the order of the catalogue, each once, with the Debian packages they and their groups need. */
function select(names: readonly string[]): Selection {
  const wanted = new Set(names.flatMap((name) => GROUPS[name]?.tools ?? [name]));
  const tools = CATALOGUE.filter((tool) => wanted.delete(tool.name));
  const [unknown] = wanted;
  if (unknown !== undefined) throw new Error(`no tool or group called ${unknown}\n${USAGE}`);
  const ofGroups = names.flatMap((name) => GROUPS[name]?.packages ?? []);
  const ofBuilds = tools.filter((tool) => !isCached(tool)).flatMap((tool) => tool.recipe.packages);
  return { tools, packages: [...ofGroups, ...ofBuilds] };
}

function list(): string {
  const rows = CATALOGUE.map((tool) => {
    const groups = Object.entries(GROUPS).filter(([, group]) => group.tools.includes(tool.name));
    const state = isCached(tool) ? cacheDir(tool) : 'not built';
    return `${tool.name.padEnd(24)} ${tool.version.padEnd(18)} ${groups
      .map(([name]) => name)
      .join(',')
      .padEnd(9)} ${state}`;
  });
  return rows.join('\n');
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { list: { type: 'boolean', default: false } },
  });
  if (values.list) return console.log(list());
  if (positionals.length === 0) throw new Error(USAGE);
  const { tools, packages } = select(positionals);
  const cancel = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => cancel.abort(new Error(`stopped by ${signal}`)));
  const progress = new Progress(process.stdout);
  try {
    install(packages, progress);
    await buildAll(tools, progress, cancel);
  } finally {
    progress.close();
  }
}

function install(packages: readonly DebianPackage[], progress: Progress): void {
  const missing = missingPackages(packages);
  if (missing.length === 0) return;
  progress.start('Debian packages');
  installPackages(missing);
  progress.end('Debian packages', 'installed');
}

/**
 * Two lanes: compilers one after the other, because two at once compile the packages they share twice, and downloads beside them.
 * The first failure stops both.
 */
async function buildAll(tools: readonly Tool[], progress: Progress, cancel: AbortController): Promise<void> {
  const lane = async (compiles: boolean) => {
    for (const tool of tools.filter((one) => (one.compiles ?? false) === compiles)) {
      if (cancel.signal.aborted) return;
      const title = `${tool.name} ${tool.version}`;
      progress.start(title);
      try {
        progress.end(title, (await ensure(tool, cancel.signal)).how);
      } catch (failure) {
        progress.end(title, cancel.signal.aborted ? 'stopped' : 'FAILED');
        cancel.abort(failure);
      }
    }
  };
  await Promise.all([lane(true), lane(false)]);
  cancel.signal.throwIfAborted();
}

try {
  await main();
} catch (failure) {
  console.error(failure instanceof Error ? failure.message : failure);
  if (failure instanceof BuildFailed) console.error(`${tail(failure.log)}\n  whole log: ${failure.log}`);
  process.exitCode = 1;
}
