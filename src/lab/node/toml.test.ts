import { expect, test } from 'vitest';
import { toToml } from './toml.ts';

test('values of a table come before the tables below it', () => {
  const text = toToml({ version: 3, below: { list: ['a', 'b'], 'io.containerd.cri': { on: true } }, root: '/x' });
  expect(text).toBe('version = 3\nroot = "/x"\n[below]\nlist = ["a","b"]\n[below."io.containerd.cri"]\non = true');
});

test('text cannot leave its string', () => {
  expect(toToml({ a: 'x"\n[evil]' })).toBe('a = "x\\"\\n[evil]"');
});
