/** Before anything that needs a package: whoever has an old tree of packages, or none, learns what to do and not where we failed. */
import { dirname } from 'node:path';

const ROOT = dirname(dirname(import.meta.dirname));

/** A package that is not there, or of a version that does not have what we import. Files of our own are named by path, packages by name. */
const isAboutPackages = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
    ? error.message.startsWith('Cannot find package')
    : error instanceof SyntaxError && /The requested module '[^./]/.test(error.message));

try {
  await import('./main.ts');
} catch (error) {
  if (!isAboutPackages(error)) throw error;
  process.stderr.write(`hcpio: run 'make install' in ${ROOT} first: ${(error as Error).message.split('\n')[0]}\n`);
  process.exitCode = 1;
}
