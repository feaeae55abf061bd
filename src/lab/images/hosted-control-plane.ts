import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { toolPath } from '../../../tools/paths.ts';
import type { BuildContext } from '../../../tools/tool.ts';
import { CONTROL_PLANE_IMAGE } from '../player/workloads/pod.ts';
import { buildImage } from './buildah.ts';
import { buildGo, type Derived } from './derived.ts';

const STAND_INS = join(import.meta.dirname, '../player/stand-ins');
const CONTAINERFILE = join(import.meta.dirname, 'hosted-control-plane/Containerfile');
const BINARIES = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'konnectivity-server'];

export const hostedControlPlaneImage = {
  name: 'hosted-control-plane-image',
  outputs: { archive: 'image.tar' },
  sources: [STAND_INS, CONTAINERFILE, import.meta.filename, join(import.meta.dirname, 'buildah.ts')],
  tools: BINARIES,
  packages: [{ package: 'buildah', brings: 'buildah' }],
  build,
} satisfies Derived;

async function build(context: BuildContext): Promise<void> {
  const tree = join(context.scratch, 'context');
  await mkdir(join(tree, 'bin'), { recursive: true });
  for (const binary of BINARIES) await copyFile(toolPath(binary), join(tree, 'bin', binary));
  await buildGo(context, STAND_INS, join(tree, 'bin', 'stand-ins'));
  await buildImage(context, {
    reference: CONTROL_PLANE_IMAGE,
    containerfile: CONTAINERFILE,
    context: tree,
    archive: join(context.out, 'image.tar'),
  });
}
