import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { toYaml } from './yaml-text.ts';

test('what any version of YAML would take for something else is quoted', () => {
  const words = [
    'yes',
    'no',
    'on',
    'off',
    'y',
    'null',
    '~',
    '1_000',
    '0x1f',
    '0777',
    '1:30',
    '12e3',
    '.inf',
    '2026-01-01',
    '<<',
    '=',
    'a: b',
    '# c',
    '@d',
    '*e',
    '{f}',
    '-',
  ];
  const text = toYaml(words);
  expect([parse(text), parse(text, { version: '1.1' })]).toEqual([words, words]);
});

test('long lines are not folded, and the same object twice is written twice', () => {
  const shared = { line: 'word '.repeat(60) };
  expect(toYaml([shared, shared])).toBe(`- line: "${shared.line}"\n- line: "${shared.line}"\n`);
});
