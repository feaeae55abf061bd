import { join } from 'node:path';
import { type Recipe, TOOLS_DIR } from '../tool.ts';

export interface GoBuild {
  /** Folder under tools/go with a go.mod that pins the packages and a go.sum that pins everything they use. */
  readonly module: string;
  /** Name of the binary -> package. */
  readonly binaries: Readonly<Record<string, string>>;
  /** Variables set at link time; upstream release builds fill in their version this way. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Static, stripped binaries at `bin/<name>`. */
export function goBinaries({ module, binaries, variables = {} }: GoBuild): Recipe {
  const flags = ['-s', '-w', ...Object.entries(variables).map(([name, value]) => `-X=${name}=${value}`)].join(' ');
  const cwd = join(TOOLS_DIR, 'go', module);
  return {
    inputs: ['recipes/go.ts', `go/${module}/go.mod`, `go/${module}/go.sum`],
    settings: { binaries, flags },
    packages: [],
    async build({ out, run }) {
      // GOFLAGS and GOWORK of the user must not change what is built; proxies and caches stay theirs.
      const env = { CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' };
      await run(['go', 'version'], { env });
      for (const [name, pkg] of Object.entries(binaries)) {
        const target = join(out, 'bin', name);
        await run(['go', 'build', '-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags', flags, '-o', target, pkg], { cwd, env });
      }
    },
  };
}
