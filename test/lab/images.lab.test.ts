import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureDerived } from '../../src/lab/images/derived.ts';
import { EDGE_IMAGE, edgeImage } from '../../src/lab/images/edge.ts';
import { OPERATOR_IMAGE, operatorImage } from '../../src/lab/images/operator.ts';

/** The images that are shipped, as they are built from the shipped files. */
const { signal } = new AbortController();
const scratch = mkdtempSync(join(tmpdir(), 'hcpio-images-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface ImageConfig {
  readonly created: string;
  readonly config: { readonly User: string; readonly Entrypoint?: readonly string[]; readonly Labels: Readonly<Record<string, string>> };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

const read = (archive: string, file: string): string =>
  execFileSync('tar', ['--extract', '--to-stdout', '--file', archive, file], { encoding: 'utf8', maxBuffer: 64 << 20 });

function imageIn(archive: string) {
  const [manifest] = JSON.parse(read(archive, 'manifest.json')) as [{ Config: string; RepoTags: string[]; Layers: string[] }];
  return { ...manifest, ...(JSON.parse(read(archive, manifest.Config)) as ImageConfig) };
}

/** The build itself runs the program once (`--help`), so an image that cannot start is none. */
test('the image of the operator is built from the shipped file: one program, no root, labelled', async () => {
  const { archive } = await ensureDerived(operatorImage, signal);
  const { RepoTags: tags, config } = imageIn(archive);
  expect({ tags, user: config.User, entrypoint: config.Entrypoint, version: config.Labels['org.opencontainers.image.version'] }).toEqual({
    tags: [OPERATOR_IMAGE],
    user: '65532:65532',
    entrypoint: [
      '/usr/bin/node',
      '--max-semi-space-size=1',
      '--optimize-for-size',
      '--no-opt',
      '--no-maglev',
      '--expose-gc',
      '--flush-baseline-code',
      '--bytecode-old-age=1',
      '/opt/hcpio/operator.cjs',
    ],
    version: '0.1.0',
  });
});

describe('the image of the edges', () => {
  let archive: string;
  beforeAll(async () => {
    archive = (await ensureDerived(edgeImage, signal)).archive;
  });

  test('is the same, bit by bit, when it is made again of the same inputs', async () => {
    const again = await ensureDerived(edgeImage, signal, join(scratch, 'cache'));
    const [first, second] = [imageIn(archive), imageIn(again.archive)];
    expect(second.rootfs.diff_ids).toEqual(first.rootfs.diff_ids);
    // Its name is the digest of the configuration, which names the layers.
    expect(second.Config).toBe(first.Config);
    expect(second.created).toBe('1970-01-01T00:00:00Z');
  });

  test('has nobody as its user, and labels that say which versions are inside, as the programs themselves do', () => {
    const { RepoTags: tags, config, Layers: layers } = imageIn(archive);
    expect([tags, config.User]).toEqual([[EDGE_IMAGE], '65532:65532']);
    const root = join(scratch, 'root');
    execFileSync('mkdir', ['-p', root, join(scratch, 'layers')]);
    execFileSync('tar', ['--extract', '--file', archive, '--directory', join(scratch, 'layers')]);
    for (const layer of layers) execFileSync('tar', ['--extract', '--file', join(scratch, 'layers', layer), '--directory', root]);
    const said = (command: string, version: RegExp): string | undefined =>
      version.exec(execFileSync('chroot', [root, 'sh', '-c', `${command} 2>&1`], { encoding: 'utf8' }))?.[1];
    expect(Object.fromEntries(Object.entries(config.Labels).filter(([name]) => name.startsWith('io.hcpio.')))).toEqual({
      'io.hcpio.coredns.version': said('coredns -version', /CoreDNS-(\S+)/),
      'io.hcpio.envoy.version': said('envoy --version', /\/(\d+\.\d+\.\d+)\//),
      'io.hcpio.kea.version': said('kea-dhcp4 -v', /^(\S+)/),
      'io.hcpio.keepalived.version': said('keepalived --version', /Keepalived v(\S+)/),
      'io.hcpio.nftables.version': said('nft --version', /v(\S+)/),
    });
  });
});
