import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle, bundleOperator, CONTEXT, OPERATOR_ENTRY, packagesIn } from '../../deploy/operator/bundle.ts';
import { VERSION } from '../../src/cli/version.ts';

const root = join(import.meta.dirname, '..', '..');
const containerfile = readFileSync(join(root, 'deploy', 'operator', 'Containerfile'), 'utf8');
/** Far from any node_modules. */
const dir = mkdtempSync(join(tmpdir(), 'hcpio-bundle-'));
beforeAll(() => bundleOperator(dir));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('one file runs by itself, wherever it is', () => {
  const said = execFileSync(process.execPath, [join(dir, CONTEXT.program), '--help'], { cwd: dir, encoding: 'utf8', env: {} });
  expect(said).toMatch(/^hcpio-operator: /);
});

test('the library that makes certificates is in the file, and loaded only when one is made', async () => {
  const file = join(dir, 'issue.cjs');
  const program = `
    const { makeAuthority } = await import(${JSON.stringify(file)});
    const before = typeof Reflect.getMetadata;
    const { cert } = await makeAuthority('test', { notBefore: new Date(0), notAfter: new Date(1) });
    console.log(before, typeof Reflect.getMetadata, cert.split('\\n')[0]);`;
  await bundle(join(root, 'src/operator/webhook/self-made/issue.ts'), file);
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: dir, encoding: 'utf8', env: {} });
  rmSync(file);
  expect(said).toBe('undefined function -----BEGIN CERTIFICATE-----\n');
});

test('of zod only what is used comes along, and not forty languages: they would cost 6 MB of memory', async () => {
  const file = join(dir, 'whole.cjs');
  const { outputs } = await bundle(OPERATOR_ENTRY, file);
  rmSync(file);
  const inputs = Object.values(outputs).flatMap(({ inputs: parts }) => Object.entries(parts));
  const languages = inputs.filter(([path, { bytesInOutput }]) => path.includes('/zod/v4/locales/') && bytesInOutput > 0);
  expect(languages.map(([path]) => path.split('/').at(-1))).toEqual(['en.js']);
});

test('the image takes all that is made for it, and nothing else', () => {
  const copied = [...containerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, files = '']) => files.split(' '));
  expect(copied.sort()).toEqual(readdirSync(dir).sort());
  expect(Object.values(CONTEXT).sort()).toEqual(copied);
});

test('the image says the version that the program has', () => {
  expect(containerfile).toContain(`ARG VERSION=${VERSION}\n`);
});

test('the text of every licence comes along', () => {
  const texts = readFileSync(join(dir, CONTEXT.licences), 'utf8').split(/^={72}$/m);
  const without = texts.filter((text) => !/permission|licensed under|redistribution/i.test(text.split(/^-{72}$/m)[1] ?? ''));
  expect({ without, zod: texts.some((text) => text.trim().startsWith('zod ')) }).toEqual({ without: [], zod: true });
});

test('a package is found under its scope, and inside another package', () => {
  const inputs = Object.fromEntries(
    ['src/a.ts', 'node_modules/zod/v4/index.js', 'node_modules/@scope/a/b/c.js', 'node_modules/a/node_modules/b/i.js'].map((path) => [
      path,
      { bytes: 0, imports: [] },
    ]),
  );
  expect(packagesIn({ inputs, outputs: {} })).toEqual(['node_modules/@scope/a', 'node_modules/a/node_modules/b', 'node_modules/zod']);
});
