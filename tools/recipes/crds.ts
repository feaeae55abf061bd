import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { kubevirtCrds } from '../crds/kubevirt.ts';
import { CRD_MODULES, type CrdModule, KUBEVIRT } from '../crds/modules.ts';
import type { BuildContext, Recipe } from '../tool.ts';

/** The CRDs a hub has, one file each, as its operators would install them. */
export function hubCrds(): Recipe {
  return {
    inputs: ['recipes/crds.ts', 'crds/kubevirt.ts'],
    settings: { CRD_MODULES, KUBEVIRT },
    packages: [],
    async build(context) {
      for (const source of CRD_MODULES) {
        const dir = await download(context, source);
        for (const file of source.files) await copyFile(join(dir, file), join(context.out, basename(file)));
      }
      const dir = await download(context, KUBEVIRT);
      for (const file of KUBEVIRT.files) {
        const crds = kubevirtCrds(await readFile(join(dir, file), 'utf8'));
        for (const [name, yaml] of crds) await writeFile(join(context.out, name), yaml);
      }
    },
  };
}

async function download({ run, scratch }: BuildContext, { module, version, sum }: CrdModule): Promise<string> {
  const answer = await run(['go', 'mod', 'download', '-json', `${module}@${version}`], {
    cwd: scratch,
    env: { GOFLAGS: '', GOWORK: 'off' },
  });
  const { Dir, Sum } = JSON.parse(answer) as { readonly Dir: string; readonly Sum: string };
  if (Sum !== sum) throw new Error(`${module}@${version} is ${Sum}, expected ${sum}`);
  return Dir;
}
