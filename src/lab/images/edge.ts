/** The image that hcpio ships for its edges, built from the very file that is shipped, on local bases. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { toolPath } from '../../../tools/paths.ts';
import type { BuildContext } from '../../../tools/tool.ts';
import { buildImage } from './buildah.ts';
import type { Derived } from './derived.ts';

export const EDGE_IMAGE = 'localhost/hcpio/edge:lab';
const EDGE = join(import.meta.dirname, '../../../deploy/edge');

export const edgeImage = {
  name: 'edge-image',
  outputs: { archive: 'image.tar' },
  sources: [EDGE, import.meta.filename, join(import.meta.dirname, 'buildah.ts')],
  tools: ['debian-edge.tar', 'coredns', 'envoy'],
  packages: [{ package: 'buildah', brings: 'buildah' }],
  build,
} satisfies Derived;

async function build(context: BuildContext): Promise<void> {
  await buildImage(context, {
    reference: EDGE_IMAGE,
    containerfile: join(EDGE, 'Containerfile'),
    context: EDGE,
    buildArgs: { BASE: 'localhost/debian:13', COREDNS: 'localhost/coredns:lab', ENVOY: 'localhost/envoy:lab' },
    bases: {
      'localhost/debian:13': toolPath('debian-edge.tar'),
      'localhost/coredns:lab': await treeWith(context, 'coredns', 'coredns'),
      'localhost/envoy:lab': await treeWith(context, 'envoy', 'usr/local/bin/envoy'),
    },
    archive: join(context.out, 'image.tar'),
  });
}

/** A root with one binary where the project's own image has it. */
async function treeWith({ scratch }: BuildContext, tool: string, path: string): Promise<string> {
  const tree = join(scratch, `${tool}-root`);
  await mkdir(join(tree, path, '..'), { recursive: true });
  await copyFile(toolPath(tool), join(tree, path));
  return tree;
}
