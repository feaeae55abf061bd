import { execFileSync, spawn } from 'node:child_process';
import { symlinkSync, truncateSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSources } from './sources.ts';
import { Scratch } from './testing/directory.ts';

const noStdin = () => Promise.reject(new Error('standard input was read'));
const read = async (paths: readonly string[], scratch: Scratch, options = {}) =>
  (await readSources(paths, { recursive: false, stdin: noStdin, ...options })).map(({ file, text }) => [
    file.replace(scratch.path, ''),
    Buffer.from(text).toString(),
  ]);

test('a directory is read as kubectl reads it: YAML and JSON, in order, without subdirectories, hidden files and kustomizations', async () => {
  using scratch = new Scratch({
    'b.yml': 'b',
    'a.yaml': 'a',
    'c.JSON': 'c',
    'notes.md': 'x',
    '.hidden.yaml': 'x',
    'kustomization.yaml': 'x',
    'sub/d.yaml': 'd',
  });
  expect(await read([scratch.path], scratch)).toEqual([
    ['/a.yaml', 'a'],
    ['/b.yml', 'b'],
    ['/c.JSON', 'c'],
  ]);
});

test('subdirectories are read when asked for, hidden ones never', async () => {
  using scratch = new Scratch({ 'a.yaml': 'a', 'sub/deep/d.yaml': 'd', '.git/x.yaml': 'x' });
  expect(await read([scratch.path], scratch, { recursive: true })).toEqual([
    ['/a.yaml', 'a'],
    ['/sub/deep/d.yaml', 'd'],
  ]);
});

test('a file that is named is read whatever its name', async () => {
  using scratch = new Scratch({ 'dump.txt': 'd', 'kustomization.yaml': 'k' });
  expect(await read([scratch.at('dump.txt'), scratch.at('kustomization.yaml')], scratch)).toEqual([
    ['/dump.txt', 'd'],
    ['/kustomization.yaml', 'k'],
  ]);
});

test('one file under several names is one file', async () => {
  using scratch = new Scratch({ 'a.yaml': 'a' });
  symlinkSync(scratch.at('a.yaml'), scratch.at('b.yaml'));
  expect(await read([scratch.path, scratch.at('a.yaml'), `${scratch.path}/./a.yaml`], scratch)).toEqual([['/a.yaml', 'a']]);
});

test('pipes and devices in a directory are passed over', async () => {
  using scratch = new Scratch({ 'a.yaml': 'a' });
  execFileSync('mkfifo', [scratch.at('b.yaml')]);
  symlinkSync('/dev/zero', scratch.at('c.yaml'));
  expect(await read([scratch.path], scratch)).toEqual([['/a.yaml', 'a']]);
});

test('a pipe that is named is read, as a shell makes them for <(command)', async () => {
  using scratch = new Scratch();
  execFileSync('mkfifo', [scratch.at('pipe')]);
  const writer = spawn('sh', ['-c', `echo text > "$0"`, scratch.at('pipe')]);
  expect(await read([scratch.at('pipe')], scratch)).toEqual([['/pipe', 'text\n']]);
  await new Promise((resolve) => (writer.exitCode === null ? writer.once('close', resolve) : resolve(undefined)));
});

test('a device and a file beyond all measure are refused', async () => {
  using scratch = new Scratch({ 'large.yaml': '' });
  truncateSync(scratch.at('large.yaml'), 256 * 2 ** 20 + 1);
  await expect(read(['/dev/zero'], scratch)).rejects.toThrow('cannot read /dev/zero: it is neither a file nor a pipe');
  await expect(read([scratch.path], scratch)).rejects.toThrow(`cannot read ${scratch.at('large.yaml')}: it is larger than 256 MiB`);
});

test('- is standard input, once', async () => {
  using scratch = new Scratch();
  let times = 0;
  const stdin = () => Promise.resolve(Buffer.from(`text ${++times}`));
  expect(await read(['-', '-'], scratch, { stdin })).toEqual([['stdin', 'text 1']]);
});

test('what cannot be read is told by name and reason', async () => {
  using scratch = new Scratch({ 'a.yaml': 'a' });
  symlinkSync(scratch.at('loop'), scratch.at('loop'));
  await expect(read([scratch.at('absent.yaml')], scratch)).rejects.toThrow(
    `cannot read ${scratch.at('absent.yaml')}: no such file or directory`,
  );
  await expect(read([scratch.at('a.yaml/b')], scratch)).rejects.toThrow('a part of the path is not a directory');
  await expect(read([scratch.at('loop')], scratch)).rejects.toThrow('too many symbolic links');
});
