import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isCached } from './cache.ts';
import { CATALOGUE, GROUPS } from './catalogue.ts';
import { toolPath } from './paths.ts';

/** How each binary is asked for its version, where it is not `--version`. Those with [] are CNI plugins: they tell when called bare. */
const ASK: Readonly<Record<string, readonly string[]>> = {
  kubectl: ['version', '--client'],
  coredns: ['-version'],
  'containerd-shim-runc-v2': ['-v'],
  bridge: [],
  'host-local': [],
  loopback: [],
  macvlan: [],
  portmap: [],
  sbr: [],
  static: [],
};

/** Programs that cannot tell their version; that they are there is all that can be said. */
const SILENT = ['konnectivity-server', 'konnectivity-agent', 'pause'];

const binaries = CATALOGUE.flatMap((tool) =>
  Object.entries(tool.outputs)
    .filter(([name, path]) => path.startsWith('bin/') && !SILENT.includes(name))
    .map(([name]) => ({ name, tool })),
);

for (const { name, tool } of binaries) {
  // Who only runs the tests has no need to build the lab.
  const isOptional = !GROUPS['test']?.tools.includes(tool.name);
  test.skipIf(isOptional && !isCached(tool))(`${name} says that it is ${tool.version}`, async () => {
    const { stdout, stderr } = await promisify(execFile)(toolPath(name), ASK[name] ?? ['--version'], { env: {} });
    expect(stdout + stderr).toContain(tool.version);
  });
}
