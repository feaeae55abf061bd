/**
 * The operator and the prober, each as one file that needs nothing but Node, and the licences of what is in them: the context of the image.
 *
 *   node deploy/operator/bundle.ts out/operator
 *   buildah build --file deploy/operator/Containerfile out/operator
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';

const ROOT = join(import.meta.dirname, '..', '..');
export const OPERATOR_ENTRY = join(ROOT, 'src', 'operator', 'main.ts');
const PROBER_ENTRY = join(ROOT, 'src', 'prober', 'main.ts');

/** The files of the image, as `Containerfile` copies them. */
export const CONTEXT = { program: 'operator.cjs', prober: 'prober.cjs', licence: 'LICENSE', licences: 'THIRD-PARTY-LICENSES' } as const;

export async function bundleOperator(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const metafiles = [
    await bundle(OPERATOR_ENTRY, join(directory, CONTEXT.program)),
    await bundle(PROBER_ENTRY, join(directory, CONTEXT.prober)),
  ];
  const packages = new Set(metafiles.flatMap(packagesIn));
  await writeFile(join(directory, CONTEXT.licences), await licences([...packages].sort()));
  await copyFile(join(ROOT, 'LICENSE'), join(directory, CONTEXT.licence));
}

/** What is imported lazily is in the file, but not evaluated before it is asked for. */
export async function bundle(entry: string, outfile: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    // Not ESM: an import of node:http asks for all that it exports, WebSocket included, and so loads the whole of fetch.
    format: 'cjs',
    target: 'node24',
    // Names stay as they are: a stack in a log has to be readable by whoever gets it.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}

/** The directories of the packages that something was taken from. */
export function packagesIn({ inputs }: Metafile): readonly string[] {
  const found = Object.keys(inputs).flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(found)].sort();
}

async function licences(packages: readonly string[]): Promise<string> {
  const texts = await Promise.all(
    packages.map(async (directory) => {
      const { name, version, license } = JSON.parse(await readFile(join(ROOT, directory, 'package.json'), 'utf8')) as Record<
        string,
        string
      >;
      const file = (await readdir(join(ROOT, directory))).find((entry) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(entry));
      const text =
        file === undefined
          ? `(no text is shipped with it; the package says ${license})`
          : await readFile(join(ROOT, directory, file), 'utf8');
      return `${name} ${version} (${license})\n${'-'.repeat(72)}\n${text.trim()}\n`;
    }),
  );
  return texts.join(`\n${'='.repeat(72)}\n\n`);
}

if (process.argv[1] === import.meta.filename) {
  const directory = process.argv[2];
  if (directory === undefined) {
    process.stderr.write('usage: node deploy/operator/bundle.ts DIRECTORY\n');
    process.exit(2);
  }
  if (existsSync(directory) && (await readdir(directory)).some((file) => !(Object.values(CONTEXT) as string[]).includes(file))) {
    process.stderr.write(`${directory} holds other files, which would all go into the image: name a new directory\n`);
    process.exit(2);
  }
  await bundleOperator(directory);
}
