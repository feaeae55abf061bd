import { createHash } from 'node:crypto';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toolPath } from '../../../tools/paths.ts';
import type { Lab, LabNode } from '../contract.ts';

/** Loads an archive into a node's containerd, unless this very file was loaded before. */
export async function importImageInto(lab: Lab, node: LabNode, archive: string): Promise<void> {
  const { size, mtimeMs } = await stat(archive);
  const key = createHash('sha256')
    .update(JSON.stringify([archive, size, mtimeMs]))
    .digest('hex')
    .slice(0, 16);
  const [dir, marker] = [join(node.dir, 'images'), join(node.dir, 'images', key)];
  if (await stat(marker).catch(() => undefined)) return;
  const { socket, namespace } = node.containerd;
  await lab.run([toolPath('ctr'), `--address=${socket}`, `--namespace=${namespace}`, 'images', 'import', archive]);
  await mkdir(dir, { recursive: true });
  await writeFile(marker, archive);
}
