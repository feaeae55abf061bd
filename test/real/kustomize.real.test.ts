import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { Scratch } from '../../src/cli/testing/directory.ts';
import { hcpio } from '../../src/cli/testing/hcpio.ts';
import { toolPath } from '../../tools/paths.ts';

/** What `render` writes, read by the real kustomize in kubectl. */
const example = (name: string): string => join(import.meta.dirname, '..', '..', 'examples', name);

interface Built {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const kustomize = (directory: string): Built[] =>
  parseAllDocuments(execFileSync(toolPath('kubectl'), ['kustomize', directory], { encoding: 'utf8', maxBuffer: 64 << 20 })).map(
    (document) => document.toJS() as Built,
  );

const manifests = (scratch: Scratch): string[] => Object.keys(scratch.files()).filter((path) => path.includes('manifests/'));

test.each(['blue', 'nodeport', 'all-routes', 'dual-stack'])('the directory of %s builds, and every manifest is in it', async (name) => {
  using scratch = new Scratch();
  expect((await hcpio(['render', '-f', example(name), '--out', scratch.at('out')])).status).toBe(0);
  const objects = kustomize(scratch.at('out'));
  expect(objects.length).toBe(manifests(scratch).length);
  expect(objects.filter(({ kind }) => kind === 'StatefulSet').map(({ metadata }) => metadata.name)).toEqual(['edge-a', 'edge-b', 'prober']);
});

test('two tenants build together: what both need is there once', async () => {
  using scratch = new Scratch();
  const second = ['tenant-network', 'hosted-cluster', 'control-plane', 'attachment', 'machines'].flatMap((file) => [
    '-f',
    join(example('nodeport'), `${file}.yaml`),
  ]);
  expect((await hcpio(['render', '-f', example('blue'), ...second, '--out', scratch.at('out')])).status).toBe(0);
  const objects = kustomize(scratch.at('out'));
  const named = (kind: string) => objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
  expect({ total: objects.length, scc: named('SecurityContextConstraints'), namespaces: named('Namespace') }).toEqual({
    total: manifests(scratch).length,
    scc: ['hcpio-edge'],
    namespaces: ['clusters-blue-edge', 'clusters-green-edge'],
  });
});
