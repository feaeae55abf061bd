/** An image of the lab with some files in place of its own: for images that are no good, which nobody ships. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Derived, ensureDerived } from '../../../src/lab/images/derived.ts';
import type { RunningLab } from '../../../src/lab/running-lab.ts';
import { toolPath } from '../../../tools/paths.ts';

interface ImageConfig {
  readonly rootfs: { readonly diff_ids: readonly string[] };
  readonly history?: readonly object[];
}

/** Puts it on every node under that name. The files become programs. */
export async function spoil(
  lab: RunningLab,
  image: Derived & { readonly outputs: { readonly archive: string } },
  reference: string,
  files: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'hcpio-variant-'));
  try {
    const { archive } = await ensureDerived(image, signal);
    const spoiled = withLayer(dir, archive as string, reference, files);
    for (const { containerd } of lab.nodes)
      await lab.run([toolPath('ctr'), `--address=${containerd.socket}`, '--namespace=k8s.io', 'images', 'import', spoiled]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function withLayer(dir: string, archive: string, reference: string, files: Readonly<Record<string, string>>): string {
  const [tree, layer] = [join(dir, 'image'), join(dir, 'layer')];
  mkdirSync(tree);
  execFileSync('tar', ['--extract', '--file', archive, '--directory', tree]);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(layer, path)), { recursive: true });
    writeFileSync(join(layer, path), content, { mode: 0o755 });
  }
  execFileSync('tar', ['--create', '--file', join(tree, 'spoiled.tar'), '--owner=0', '--group=0', '--directory', layer, '.']);
  const [manifest] = JSON.parse(readFileSync(join(tree, 'manifest.json'), 'utf8')) as [{ Config: string; Layers: readonly string[] }];
  const config = JSON.parse(readFileSync(join(tree, manifest.Config), 'utf8')) as ImageConfig;
  const digest = createHash('sha256')
    .update(readFileSync(join(tree, 'spoiled.tar')))
    .digest('hex');
  const rootfs = { ...config.rootfs, diff_ids: [...config.rootfs.diff_ids, `sha256:${digest}`] };
  writeFileSync(join(tree, 'spoiled.json'), JSON.stringify({ ...config, rootfs, history: [...(config.history ?? []), {}] }));
  const parts = { Config: 'spoiled.json', RepoTags: [reference], Layers: [...manifest.Layers, 'spoiled.tar'] };
  writeFileSync(join(tree, 'manifest.json'), JSON.stringify([parts]));
  execFileSync('tar', ['--create', '--file', join(dir, 'image.tar'), '--directory', tree, '.']);
  return join(dir, 'image.tar');
}
