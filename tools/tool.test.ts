import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cacheKey, type Tool } from './tool.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hcpio-tool-'));
  writeFileSync(join(dir, 'a'), 'one');
  writeFileSync(join(dir, 'b'), 'two');
});
afterEach(() => rmSync(dir, { recursive: true }));

const hammer: Tool = {
  name: 'hammer',
  version: '1.0',
  outputs: { hammer: 'bin/hammer' },
  recipe: { inputs: ['a', 'b'], settings: { flags: ['-O2'] }, packages: [], build: async () => {} },
};

test('the key names the tool and its version, and is the same every time', () => {
  expect(cacheKey(hammer, dir)).toMatch(/^hammer-1\.0-[0-9a-f]{12}$/);
  expect(cacheKey(hammer, dir)).toBe(cacheKey(hammer, dir));
});

test('whatever decides the result changes the key', () => {
  const before = cacheKey(hammer, dir);
  const changed = [
    cacheKey({ ...hammer, version: '1.1' }, dir),
    cacheKey({ ...hammer, outputs: { hammer: 'hammer' } }, dir),
    cacheKey({ ...hammer, recipe: { ...hammer.recipe, settings: { flags: ['-O3'] } } }, dir),
    cacheKey({ ...hammer, recipe: { ...hammer.recipe, inputs: ['a'] } }, dir),
  ];
  writeFileSync(join(dir, 'b'), 'three');
  expect(new Set([before, ...changed, cacheKey(hammer, dir)]).size).toBe(6);
});

test('text that moves from one input to the next is a change', () => {
  const before = cacheKey(hammer, dir);
  writeFileSync(join(dir, 'a'), 'onet');
  writeFileSync(join(dir, 'b'), 'wo');
  expect(cacheKey(hammer, dir)).not.toBe(before);
});

test('the packages that a build needs do not change what it makes', () => {
  const packages = [{ package: 'anvil', brings: 'anvil' }];
  expect(cacheKey({ ...hammer, recipe: { ...hammer.recipe, packages } }, dir)).toBe(cacheKey(hammer, dir));
});
