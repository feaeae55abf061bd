import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from './cache.ts';
import { CATALOGUE, GROUPS } from './catalogue.ts';

/**
 * Where a tool is, by the name of one of its outputs: `toolPath('kube-apiserver')`, `toolPath('bridge')`, `toolPath('debian-edge.tar')`.
 * Throws one line that says what to run when it has not been built.
 */
export function toolPath(output: string): string {
  const tool = CATALOGUE.find((candidate) => output in candidate.outputs);
  const inside = tool?.outputs[output];
  if (tool === undefined || inside === undefined) throw new Error(`${output}: no tool of that name in tools/catalogue.ts`);
  const dir = cacheDir(tool);
  if (existsSync(dir)) return join(dir, inside);
  const command = GROUPS['test']?.tools.includes(tool.name) ? 'make tools' : 'make lab';
  throw new Error(`${tool.name} ${tool.version} is not built: run \`${command}\``);
}

/**
 * A Debian tree that a test can chroot into: `edge` is what the edge image is made of, `worker` what a worker's disk is.
 * It is shared by everyone on the machine: mount over it (`debianCommand`), never write into it.
 */
export function debianRoot(name: 'edge' | 'worker' = 'edge'): string {
  return toolPath(`debian-${name}`);
}

/** The CRDs of a hub: HyperShift, Cluster API, KubeVirt, Multus, and OpenShift's Route and cluster configuration. */
export function crdFiles(): readonly string[] {
  const dir = toolPath('crds');
  return readdirSync(dir)
    .sort()
    .map((file) => join(dir, file));
}
