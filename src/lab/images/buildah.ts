/** Builds an image from a Containerfile into an archive. buildah keeps its store in the scratch directory, so nothing stays behind. */
import { join } from 'node:path';
import type { BuildContext } from '../../../tools/tool.ts';

export interface ImageBuild {
  readonly reference: string;
  readonly containerfile: string;
  /** The directory that COPY sees. */
  readonly context: string;
  readonly buildArgs?: Readonly<Record<string, string>>;
  /** Images made before the build out of a tar or a directory that holds their root file system, by reference. */
  readonly bases?: Readonly<Record<string, string>>;
  /** docker-archive to write. */
  readonly archive: string;
}

/** Nobody's clock: what is made of the same inputs is the same image, bit by bit, whenever and wherever it is made. */
const TIMELESS = ['--timestamp', '0'];

export async function buildImage({ scratch, run }: BuildContext, image: ImageBuild): Promise<void> {
  const store = ['--root', join(scratch, 'containers'), '--runroot', join(scratch, 'containers-run')];
  // Mounts of its own: the storage driver leaves its directory mounted, and the scratch directory could not be removed.
  const alone = ['unshare', '--mount', '--propagation', 'private', '--'];
  // chroot: no runtime, no network set-up, no user namespaces; it works in a container too.
  const buildah = (...args: readonly string[]) => run([...alone, 'buildah', ...store, ...args], { env: { BUILDAH_ISOLATION: 'chroot' } });
  for (const [reference, tar] of Object.entries(image.bases ?? {})) {
    const container = (await buildah('from', '--pull-never', 'scratch')).trim();
    await buildah('add', '--quiet', container, tar, '/');
    await buildah('commit', '--quiet', '--rm', ...TIMELESS, container, reference);
  }
  const args = Object.entries(image.buildArgs ?? {}).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
  const flags = ['--pull-never', '--layers=false', ...TIMELESS, '--tag', image.reference];
  await buildah('build', ...flags, ...args, '--file', image.containerfile, image.context);
  await buildah('push', '--quiet', '--format', 'docker', image.reference, `docker-archive:${image.archive}:${image.reference}`);
}
