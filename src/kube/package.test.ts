import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { METRICS } from './telemetry.ts';

const sources = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => ({ name, text: readFileSync(join(import.meta.dirname, name), 'utf8') }));

test('the folder stands alone: it uses Node, one YAML parser, one WebSocket client and itself', () => {
  const foreign = sources.flatMap(({ name, text }) =>
    [...text.matchAll(/(?:from|import\()\s*'([^']+)'/g)]
      .map(([, module = '']) => module)
      .filter((module) => !/^(node:[a-z_/]+|\.\/[a-z-]+\.ts|yaml|ws)$/.test(module))
      .map((module) => `${name} imports ${module}`),
  );
  expect(foreign).toEqual([]);
});

test('every declared metric is reported somewhere', () => {
  const code = sources
    .filter(({ name }) => name !== 'telemetry.ts')
    .map(({ text }) => text)
    .join('\n');
  expect(Object.keys(METRICS).filter((name) => !code.includes(`'${name}'`))).toEqual([]);
});

test('every source has its place in the README', () => {
  const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
  expect(sources.map(({ name }) => name).filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});
