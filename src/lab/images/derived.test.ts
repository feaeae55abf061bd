import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Derived, ensureDerived } from './derived.ts';

const { signal } = new AbortController();
const cacheBefore = process.env['HCPIO_CACHE'];
let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hcpio-derived-'));
  process.env['HCPIO_CACHE'] = join(dir, 'cache');
  await mkdir(join(dir, 'sources', 'deep'), { recursive: true });
  await writeFile(join(dir, 'sources', 'deep', 'text'), 'one');
});

afterEach(async () => {
  if (cacheBefore === undefined) delete process.env['HCPIO_CACHE'];
  else process.env['HCPIO_CACHE'] = cacheBefore;
  await rm(dir, { recursive: true });
});

test('what is made of sources is made again when one of them changed, and only then', async () => {
  let builds = 0;
  const derived = {
    name: 'copy',
    outputs: { copy: 'copy' },
    sources: [join(dir, 'sources')],
    tools: ['pause'],
    packages: [],
    async build({ out }) {
      builds += 1;
      await writeFile(join(out, 'copy'), await readFile(join(dir, 'sources', 'deep', 'text')));
    },
  } satisfies Derived;
  const made = async () => readFile((await ensureDerived(derived, signal)).copy, 'utf8');
  expect([await made(), await made(), builds]).toEqual(['one', 'one', 1]);
  await writeFile(join(dir, 'sources', 'deep', 'text'), 'two');
  expect([await made(), builds]).toEqual(['two', 2]);
  // The first one is still there: going back costs nothing.
  await writeFile(join(dir, 'sources', 'deep', 'text'), 'one');
  expect([await made(), builds]).toEqual(['one', 2]);
});
