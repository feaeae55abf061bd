import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

/**
 * Which folder of src/ may import which. Data flows one way, so the arrows do too:
 * api, net <- hosted-cluster <- modes <- checks <- tenant <- operator, cli. `kube` stands beside them and knows none of them.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  net: ['api'],
  api: [],
  'hosted-cluster': ['api', 'net'],
  probes: [],
  gateway: ['api', 'net', 'hosted-cluster', 'probes'],
  prober: ['net', 'probes'],
  checks: ['api', 'net', 'hosted-cluster', 'gateway'],
  tenant: ['api', 'net', 'hosted-cluster', 'gateway', 'checks'],
  kube: [],
  operator: ['api', 'net', 'hosted-cluster', 'gateway', 'checks', 'tenant', 'kube', 'probes'],
  lab: ['api', 'net', 'hosted-cluster', 'gateway', 'tenant', 'kube', 'tools', 'deploy'],
  cli: ['api', 'net', 'hosted-cluster', 'gateway', 'checks', 'tenant', 'kube', 'operator', 'lab', 'probes', 'prober'],
};

const PURE = ['api', 'net', 'hosted-cluster', 'probes', 'gateway', 'checks', 'tenant'];
/** A hash is a function of its input; everything else that Node offers is the world. */
const PURE_NODE_MODULES = new Set(['node:crypto']);
const IMPURE_GLOBALS = [
  /\bDate\b/,
  /\bMath\.random\b/,
  /\bprocess\./,
  /\bfetch\(/,
  /\bsetTimeout\b/,
  /\bperformance\b/,
  /\brandomUUID\b/,
  /\brandomBytes\b/,
];

const root = join(import.meta.dirname, '..', 'src');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('/testing/'))
  .map((file) => ({ file, folder: file.split('/')[0] ?? '', text: readFileSync(join(root, file), 'utf8') }));

const importsOf = (text: string): string[] => [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
/** Of a path: its folder below src/, or beside it. */
const folderOf = (path: string): string =>
  relative(root, path)
    .replace(/^\.\.\//, '')
    .split('/')[0] ?? '';
const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');

test('every folder of src/ is on the map', () => {
  expect(sources.map((s) => s.folder).filter((folder) => !(folder in MAY_IMPORT))).toEqual([]);
});

test('imports between folders follow the arrows', () => {
  const wrong = sources.flatMap(({ file, folder, text }) =>
    importsOf(text)
      .filter((target) => target.startsWith('.'))
      .map((target) => folderOf(join(root, file, '..', target)))
      .filter((target) => target !== folder && !(MAY_IMPORT[folder] ?? []).includes(target))
      .map((target) => `${file} imports ${target}/`),
  );
  expect(wrong).toEqual([]);
});

test('the core does no I/O and knows no clock, no chance and no environment', () => {
  const wrong = sources
    .filter((s) => PURE.includes(s.folder))
    .flatMap(({ file, text }) => [
      ...importsOf(text)
        .filter((name) => name.startsWith('node:') && !PURE_NODE_MODULES.has(name))
        .map((name) => `${file} imports ${name}`),
      ...IMPURE_GLOBALS.filter((pattern) => pattern.test(withoutComments(text))).map((pattern) => `${file} uses ${pattern.source}`),
    ]);
  expect(wrong).toEqual([]);
});
