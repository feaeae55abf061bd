/** The image that hcpio ships for its operator, built from the very file that is shipped, on local bases. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleOperator } from '../../../deploy/operator/bundle.ts';
import { toolPath } from '../../../tools/paths.ts';
import type { BuildContext } from '../../../tools/tool.ts';
import { buildImage } from './buildah.ts';
import type { Derived } from './derived.ts';

export const OPERATOR_IMAGE = 'localhost/hcpio/operator:lab';
const ROOT = join(import.meta.dirname, '../../..');
const OPERATOR = join(ROOT, 'deploy/operator');
const NODE = join(ROOT, 'node_modules/node/bin/node');

/** What goes into the bundle. A package that changes comes with another lock file. */
const PROGRAM = ['api', 'net', 'hosted-cluster', 'gateway', 'checks', 'tenant', 'kube', 'operator', 'probes', 'prober'].map((folder) =>
  join(ROOT, 'src', folder),
);

export const operatorImage = {
  name: 'operator-image',
  outputs: { archive: 'image.tar' },
  sources: [...PROGRAM, OPERATOR, join(ROOT, 'package-lock.json'), import.meta.filename, join(import.meta.dirname, 'buildah.ts')],
  tools: ['debian-edge.tar'],
  packages: [{ package: 'buildah', brings: 'buildah' }],
  build,
} satisfies Derived;

async function build(context: BuildContext): Promise<void> {
  const program = join(context.scratch, 'program');
  await bundleOperator(program);
  // Where the project's own image has it.
  const node = join(context.scratch, 'node-root');
  await mkdir(join(node, 'usr/local/bin'), { recursive: true });
  await copyFile(NODE, join(node, 'usr/local/bin/node'));
  await buildImage(context, {
    reference: OPERATOR_IMAGE,
    containerfile: join(OPERATOR, 'Containerfile'),
    context: program,
    buildArgs: { BASE: 'localhost/debian:13', NODE: 'localhost/node:lab' },
    bases: { 'localhost/debian:13': toolPath('debian-edge.tar'), 'localhost/node:lab': node },
    archive: join(context.out, 'image.tar'),
  });
}
