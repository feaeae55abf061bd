import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { operatorFiles } from './operator-files.ts';
import { generatedFiles } from './reference.ts';

/** `make generate`: renews the CRD, the operator's generated manifests and the reference pages. */
const root = join(import.meta.dirname, '..', '..');
for (const [path, content] of [...generatedFiles(), ...(await operatorFiles())]) {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
  console.log(path);
}
