import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAtOrAbove, MARKER, writeDirectory } from './out-directory.ts';
import { Scratch } from './testing/directory.ts';

const tree = (...names: readonly string[]) => new Map(names.map((name) => [name, `content of ${name}\n`]));
const written = (scratch: Scratch): string[] => Object.keys(scratch.files());

test('a directory that does not exist is made, with its parents, and nothing is left beside it', async () => {
  using scratch = new Scratch();
  await writeDirectory(scratch.at('a/b/out'), tree('kustomization.yaml', 'manifests/x.yaml'), false);
  expect(written(scratch)).toEqual([`a/b/out/${MARKER}`, 'a/b/out/kustomization.yaml', 'a/b/out/manifests/x.yaml']);
  expect(readdirSync(scratch.at('a/b'))).toEqual(['out']);
});

test('an empty directory keeps its identity: somebody may be in it', async () => {
  using scratch = new Scratch();
  mkdirSync(scratch.at('out'));
  const before = statSync(scratch.at('out')).ino;
  await writeDirectory(scratch.at('out'), tree('a'), false);
  expect([statSync(scratch.at('out')).ino, written(scratch)]).toEqual([before, [`out/${MARKER}`, 'out/a']]);
});

test('what we wrote ourselves is replaced as a whole, leftovers included', async () => {
  using scratch = new Scratch();
  await writeDirectory(scratch.at('out'), tree('a', 'old/b'), false);
  await writeDirectory(scratch.at('out'), tree('a', 'new/c'), false);
  expect(written(scratch)).toEqual([`out/${MARKER}`, 'out/a', 'out/new/c']);
  expect(readdirSync(scratch.path)).toEqual(['out']);
});

describe('a directory with anything else in it is refused and left as it is', () => {
  test.each([
    ['files of others', async (s: Scratch) => s.write('out/mine.txt', 'mine'), 'mine.txt'],
    [
      'a file of ours that was edited',
      async (s: Scratch) => {
        await writeDirectory(s.at('out'), tree('a', 'b'), false);
        s.write('out/b', 'edited');
      },
      'b',
    ],
    [
      'a file that was added',
      async (s: Scratch) => {
        await writeDirectory(s.at('out'), tree('a'), false);
        s.write('out/manifests/added.yaml', 'x');
      },
      'manifests/added.yaml',
    ],
    [
      'a link in place of a file of ours',
      async (s: Scratch) => {
        await writeDirectory(s.at('out'), tree('a'), false);
        renameSync(s.at('out/a'), s.at('a'));
        symlinkSync(s.at('a'), s.at('out/a'));
      },
      'a',
    ],
    ['a spoiled marker', async (s: Scratch) => s.write(`out/${MARKER}`, 'not json'), MARKER],
    [
      'a marker that claims files outside',
      async (s: Scratch) => s.write(`out/${MARKER}`, JSON.stringify({ files: { '../x': 'y' } })),
      MARKER,
    ],
  ])('%s', async (_, prepare, named) => {
    using scratch = new Scratch();
    await prepare(scratch);
    const before = scratch.files();
    await expect(writeDirectory(scratch.at('out'), tree('a'), false)).rejects.toThrow(
      `holds files that hcpio did not write (${named}): choose another directory`,
    );
    expect(scratch.files()).toEqual(before);
  });
});

test('a directory whose name is no text cannot be looked into, so it is not ours either', async () => {
  using scratch = new Scratch({ 'out/mine.txt': 'mine' });
  const latin1 = Buffer.concat([Buffer.from(`${scratch.at('out')}/caf`), Buffer.from([0xe9])]);
  mkdirSync(latin1);
  const inside = Buffer.concat([latin1, Buffer.from('/theirs')]);
  writeFileSync(inside, 'theirs');
  await expect(writeDirectory(scratch.at('out'), tree('a'), false)).rejects.toThrow(
    'holds files that hcpio did not write (caf\ufffd/, mine.txt): choose another directory',
  );
  await writeDirectory(scratch.at('out'), tree('a'), true);
  expect([
    readFileSync(inside, 'utf8'),
    readFileSync(scratch.at('out/mine.txt'), 'utf8'),
    readFileSync(scratch.at('out/a'), 'utf8'),
  ]).toEqual(['theirs', 'mine', 'content of a\n']);
});

test('a link to nothing is refused and stays', async () => {
  using scratch = new Scratch();
  symlinkSync(scratch.at('nothing'), scratch.at('link'));
  await expect(writeDirectory(scratch.at('link'), tree('a'), true)).rejects.toThrow(`${scratch.at('link')} is a link to nothing`);
  expect(readdirSync(scratch.path)).toEqual(['link']);
});

test('what lies behind a link that took the place of a directory of ours is never taken away', async () => {
  using scratch = new Scratch();
  await writeDirectory(scratch.at('out'), tree('manifests/a'), false);
  renameSync(scratch.at('out/manifests'), scratch.at('elsewhere'));
  symlinkSync(scratch.at('elsewhere'), scratch.at('out/manifests'));
  await writeDirectory(scratch.at('out'), tree('b'), true);
  expect(written(scratch)).toEqual(['elsewhere/a', `out/${MARKER}`, 'out/b', 'out/manifests/a']);
});

test.each(['.', '..', '../..'])('where we stand and what is above it are refused, even with force: %s', (directory) => {
  using scratch = new Scratch({ 'a/b/mine': 'mine' });
  const script = `
    import { writeDirectory } from ${JSON.stringify(join(import.meta.dirname, 'out-directory.ts'))};
    await writeDirectory('${directory}', new Map([['x', 'y']]), true).catch((error) => process.stdout.write(error.message));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: scratch.at('a/b'), encoding: 'utf8' });
  expect([stdout, scratch.files()]).toEqual([
    `${directory} is the current directory or one above it: choose a directory of its own`,
    { 'a/b/mine': 'mine' },
  ]);
});

// Not by writing: a test that fails must not write to the root of the machine that it runs on.
test('the root is above everything, and a name that only begins alike is not', () => {
  const above: readonly [string, string][] = [
    ['/', '/'],
    ['/', '/a/b'],
    ['/a', '/a/b'],
    ['/a', '/ab'],
    ['/a/b', '/a'],
  ];
  expect(above.map(([directory, here]) => isAtOrAbove(directory, here))).toEqual([true, true, true, false, false]);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s on the way leaves nothing behind, and ends us as it ends others', async (signal) => {
  using scratch = new Scratch();
  // The tree has no end, so that the signal comes in the middle of it.
  const script = `
    import { writeDirectory } from ${JSON.stringify(join(import.meta.dirname, 'out-directory.ts'))};
    const files = new Map();
    files[Symbol.iterator] = function* () {
      for (let i = 0; ; i++) {
        if (i === 3) process.kill(process.pid, '${signal}');
        yield ['f' + i, 'x'];
      }
    };
    await writeDirectory(${JSON.stringify(scratch.at('out'))}, files, false);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
  const ended = await new Promise((resolve) => child.on('close', (status, by) => resolve({ status, by })));
  expect([ended, readdirSync(scratch.path)]).toEqual([{ status: null, by: signal }, []]);
});

test('with force our files are replaced among those of others, which stay', async () => {
  using scratch = new Scratch();
  await writeDirectory(scratch.at('out'), tree('a', 'manifests/gone', 'manifests/edited'), false);
  scratch.write('out/mine.txt', 'mine');
  scratch.write('out/manifests/mine.yaml', 'mine, too');
  scratch.write('out/a', 'edited');
  scratch.write('out/manifests/edited', 'edited, and no longer brought');
  await writeDirectory(scratch.at('out'), tree('a', 'manifests/new'), true);
  const { [`out/${MARKER}`]: _, ...files } = scratch.files();
  expect(files).toEqual({
    'out/a': 'content of a\n',
    'out/manifests/edited': 'edited, and no longer brought',
    'out/manifests/mine.yaml': 'mine, too',
    'out/manifests/new': 'content of manifests/new\n',
    'out/mine.txt': 'mine',
  });
});

test('a link to a directory is followed and stays a link', async () => {
  using scratch = new Scratch({ 'real/.keep': '' });
  symlinkSync(scratch.at('real'), scratch.at('link'));
  await writeDirectory(scratch.at('link'), tree('a'), true);
  expect(written(scratch)).toContain('real/a');
  expect(readdirSync(scratch.path)).toEqual(['link', 'real']);
});

test('a failure on the way leaves the directory as it was, and nothing beside it', async () => {
  using scratch = new Scratch();
  await writeDirectory(scratch.at('out'), tree('a', 'manifests/b'), false);
  const before = scratch.files();
  const tooLong = `manifests/${'x'.repeat(300)}`;
  await expect(writeDirectory(scratch.at('out'), tree('a', 'manifests/new', tooLong), false)).rejects.toThrow('ENAMETOOLONG');
  await expect(writeDirectory(scratch.at('never'), tree('a', tooLong), false)).rejects.toThrow('ENAMETOOLONG');
  expect([scratch.files(), readdirSync(scratch.path)]).toEqual([before, ['out']]);
});

test('what cannot be written is told, and nothing is left behind', async () => {
  using scratch = new Scratch({ file: 'x' });
  await expect(writeDirectory(scratch.at('file'), tree('a'), true)).rejects.toThrow(`${scratch.at('file')} is not a directory`);
  await expect(writeDirectory(scratch.at('file/below'), tree('a'), true)).rejects.toThrow(
    `cannot write to ${scratch.at('file/below')}: ENOTDIR`,
  );
  mkdirSync(scratch.at('out/a'), { recursive: true });
  scratch.write('out/a/theirs', 'x');
  await expect(writeDirectory(scratch.at('out'), tree('a'), true)).rejects.toThrow(`cannot write to ${scratch.at('out')}: EISDIR`);
  expect(written(scratch)).toEqual(['file', 'out/a/theirs']);
});
