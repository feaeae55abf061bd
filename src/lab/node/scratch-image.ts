/** Images of one static binary and nothing else: written as an archive in a moment, without a builder. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface ScratchImage {
  /** localhost/...:tag */
  readonly reference: string;
  /** A static binary of the machine; in the image it lies in the root and is the entrypoint. */
  readonly binary: string;
}

type Run = (argv: readonly string[]) => Promise<string>;

/** Writes a docker-archive below `dir` and returns its path. */
export async function writeScratchImage({ reference, binary }: ScratchImage, dir: string, run: Run): Promise<string> {
  const name = basename(binary);
  const [root, layer, archive] = [join(dir, name, 'root'), join(dir, name, 'layer.tar'), join(dir, `${name}.tar`)];
  await mkdir(root, { recursive: true });
  await copyFile(binary, join(root, name));
  await chmod(join(root, name), 0o755);
  // Two labs from the same binaries have the same layers.
  await run(['tar', '--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '-C', root, '-cf', layer, '.']);
  const config = {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: { Entrypoint: [`/${name}`] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${await sha256(layer)}`] },
  };
  await writeFile(join(dir, name, 'config.json'), JSON.stringify(config));
  const manifest = [{ Config: 'config.json', RepoTags: [reference], Layers: ['layer.tar'] }];
  await writeFile(join(dir, name, 'manifest.json'), JSON.stringify(manifest));
  await run(['tar', '-C', join(dir, name), '-cf', archive, 'manifest.json', 'config.json', 'layer.tar']);
  return archive;
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
