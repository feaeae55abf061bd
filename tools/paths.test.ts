import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cacheDir } from './cache.ts';
import { CATALOGUE } from './catalogue.ts';
import { crdFiles, debianRoot, toolPath } from './paths.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hcpio-paths-'));
  vi.stubEnv('HCPIO_CACHE', root);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

test('what is not built is an error that says what to run', () => {
  expect(() => toolPath('kube-apiserver')).toThrow('kube-apiserver 1.36.3 is not built: run `make tools`');
  expect(() => crdFiles()).toThrow('crds hypershift-0.1.82 is not built: run `make tools`');
  expect(() => debianRoot()).toThrow('debian-edge 13 is not built: run `make tools`');
  expect(() => toolPath('multus')).toThrow('multus 4.2.3 is not built: run `make lab`');
  expect(() => toolPath('sledgehammer')).toThrow('sledgehammer: no tool of that name in tools/catalogue.ts');
});

test('what is built is found by the name of the output, not of the tool', () => {
  for (const tool of CATALOGUE) mkdirSync(cacheDir(tool));
  const plugins = CATALOGUE.find((tool) => tool.name === 'cni-plugins');
  if (plugins === undefined) throw new Error('no cni-plugins in the catalogue');
  expect(toolPath('sbr')).toBe(join(cacheDir(plugins), 'bin', 'sbr'));
  expect(debianRoot('worker')).toMatch(/\/debian-worker-12-[0-9a-f]{12}\/root$/);
});

test('no two tools promise an output of the same name', () => {
  const outputs = CATALOGUE.flatMap((tool) => Object.keys(tool.outputs));
  expect(new Set(outputs).size).toBe(outputs.length);
});
