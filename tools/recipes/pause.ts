import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Recipe, TOOLS_DIR } from '../tool.ts';

/** A static `bin/pause`, all that an image FROM scratch needs. */
export function pauseProgram(): Recipe {
  const flags = ['-Os', '-Wall', '-Wextra', '-Werror', '-static', '-s'];
  return {
    inputs: ['recipes/pause.ts', 'pause/pause.c'],
    settings: { flags },
    packages: [
      { package: 'gcc', brings: 'gcc' },
      { package: 'libc6-dev', brings: '/usr/include/stdio.h' },
    ],
    async build({ out, run }) {
      await mkdir(join(out, 'bin'));
      await run(['gcc', ...flags, '-o', join(out, 'bin', 'pause'), join(TOOLS_DIR, 'pause', 'pause.c')]);
    },
  };
}
