import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Scratch } from './testing/directory.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** A clone in which the command line needs one package, and `packages` are there. */
function clone(program: string, packages: Readonly<Record<string, string>> = {}): Scratch {
  const files = new Scratch({ 'package.json': '{"type":"module"}', 'src/cli/main.ts': program, ...packages });
  mkdirSync(files.at('bin'));
  copyFileSync(join(ROOT, 'bin/hcpio'), files.at('bin/hcpio'));
  chmodSync(files.at('bin/hcpio'), 0o755);
  copyFileSync(join(import.meta.dirname, 'start.ts'), files.at('src/cli/start.ts'));
  return files;
}

function bringNode(files: Scratch): void {
  mkdirSync(files.at('node_modules'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules/node'), files.at('node_modules/node'));
}

function run(files: Scratch) {
  const { status, stdout, stderr } = spawnSync(files.at('bin/hcpio'), ['status'], { encoding: 'utf8' });
  return { status, stdout, stderr: stderr.replaceAll(files.path, 'CLONE') };
}

test('a clone in which nothing is installed says what to do', () => {
  using files = clone('');
  expect(run(files)).toEqual({
    status: 1,
    stdout: '',
    stderr: "hcpio: run 'make install' in CLONE first: the Node it runs on is not installed\n",
  });
});

test('so does one that was installed before a package was added', () => {
  using files = clone("import 'commander';");
  bringNode(files);
  expect(run(files)).toEqual({
    status: 1,
    stdout: '',
    stderr: "hcpio: run 'make install' in CLONE first: Cannot find package 'commander' imported from CLONE/src/cli/main.ts\n",
  });
});

test('and one whose package is too old', () => {
  using files = clone("import { Command } from 'commander'; new Command();", {
    'node_modules/commander/package.json': '{"type":"module","exports":"./index.js"}',
    'node_modules/commander/index.js': 'export const Old = 1;',
  });
  bringNode(files);
  expect(run(files)).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^hcpio: run 'make install' in CLONE first: The requested module 'commander' does not provide .*\n$/,
    ) as string,
  });
});

test('a file of our own that is missing is a defect, and keeps its stack', () => {
  using files = clone("import './nothing.ts';");
  bringNode(files);
  expect(run(files)).toMatchObject({ status: 1, stderr: expect.stringContaining('at finalizeResolution') as string });
});
