import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { ensureDerived } from '../../src/lab/images/derived.ts';
import { OPERATOR_IMAGE, operatorImage } from '../../src/lab/images/operator.ts';

interface ImageConfig {
  readonly config: { readonly User: string; readonly Entrypoint: readonly string[]; readonly Labels: Readonly<Record<string, string>> };
}

/** The build itself runs the program once (`--help`), so an image that cannot start is none. */
test('the image of the operator is built from the shipped file: one program, no root, labelled', async () => {
  const { archive } = await ensureDerived(operatorImage, new AbortController().signal);
  const read = (file: string): string =>
    execFileSync('tar', ['--extract', '--to-stdout', '--file', archive, file], { encoding: 'utf8', maxBuffer: 64 << 20 });
  const [manifest] = JSON.parse(read('manifest.json')) as [{ Config: string; RepoTags: string[] }];
  const { config } = JSON.parse(read(manifest.Config)) as ImageConfig;
  expect({
    tags: manifest.RepoTags,
    user: config.User,
    entrypoint: config.Entrypoint,
    version: config.Labels['org.opencontainers.image.version'],
  }).toEqual({
    tags: [OPERATOR_IMAGE],
    user: '65532:65532',
    entrypoint: [
      '/usr/bin/node',
      '--max-semi-space-size=1',
      '--optimize-for-size',
      '--no-opt',
      '--no-maglev',
      '--expose-gc',
      '/opt/hcpio/operator.cjs',
    ],
    version: '0.1.0',
  });
});
