import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildContext, Recipe } from '../tool.ts';

export interface DebianSystem {
  readonly suite: 'bookworm' | 'trixie';
  readonly include: readonly string[];
  /** Upstream versions the rest of the project counts on; Debian may fix a package, but a new series is our decision. */
  readonly expect: Readonly<Record<string, RegExp>>;
}

/**
 * `root.tar` (for images and disks), `root/` (for chroot) and `packages.txt` (what is in it).
 *
 * The archive's signature pins the content; the versions move only with the suite's fixes, and only when this is built anew.
 */
export function debianSystem({ suite, include, expect }: DebianSystem): Recipe {
  return {
    inputs: ['recipes/debian.ts'],
    settings: { suite, include, expect: Object.entries(expect).map(([name, version]) => [name, version.source]) },
    packages: [
      { package: 'mmdebstrap', brings: 'mmdebstrap' },
      { package: 'debian-archive-keyring', brings: '/usr/share/keyrings/debian-archive-keyring.gpg' },
    ],
    async build(context) {
      const { out, run } = context;
      const tar = join(out, 'root.tar');
      const root = join(out, 'root');
      const sources = await debianSources(context, suite);
      await run(['mmdebstrap', '--variant=minbase', `--include=${include.join(',')}`, suite, tar, ...sources]);
      await mkdir(root);
      await run(['tar', '--extract', '--file', tar, '--directory', root, '--numeric-owner', '--xattrs', '--xattrs-include=*']);
      const versions = await run(['dpkg-query', `--admindir=${join(root, 'var/lib/dpkg')}`, '--show']);
      expectVersions(versions, expect);
      await writeFile(join(out, 'packages.txt'), versions);
    },
  };
}

function expectVersions(listing: string, expect: DebianSystem['expect']): void {
  const versions = new Map(listing.split('\n').map((line) => line.split('\t') as [string, string]));
  for (const [name, version] of Object.entries(expect)) {
    const found = versions.get(name);
    if (found === undefined || !version.test(found))
      throw new Error(`${name} is ${found ?? 'absent'} in Debian, expected ${version.source}`);
  }
}

/** Where this machine gets Debian from, for another suite: the mirror is the machine's business, the suite is ours. */
async function debianSources({ run }: BuildContext, suite: string): Promise<readonly string[]> {
  const targets = await run(['apt-get', 'indextargets', '--format', '$(LABEL)|$(REPO_URI)', 'Created-By: Packages']);
  const mirrors = new Map(targets.split('\n').map((line) => line.split('|', 2) as [string, string]));
  const main = process.env['HCPIO_DEBIAN_MIRROR'] ?? mirrors.get('Debian');
  if (main === undefined) throw new Error('the apt sources of this machine name no Debian mirror: set HCPIO_DEBIAN_MIRROR to one');
  const security = mirrors.get('Debian-Security');
  return [
    `deb ${main} ${suite} main`,
    `deb ${main} ${suite}-updates main`,
    ...(security === undefined ? [] : [`deb ${security} ${suite}-security main`]),
  ];
}
