import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { catalogue, type FindingCode, findingDocs } from '../api/finding-catalogue.ts';
import { generatedFiles } from './reference.ts';

const root = join(import.meta.dirname, '..', '..');
const files = generatedFiles();

test.each([...files.keys()])('%s is up to date (make generate)', (path) => {
  expect(readFileSync(join(root, path), 'utf8')).toBe(files.get(path));
});

test('every finding has the anchor that it links to', () => {
  const page = files.get('docs/reference/findings.md') ?? '';
  const anchors = new Set([...page.matchAll(/^### (.*)$/gm)].map((match) => `docs/reference/findings.md#${match[1]?.toLowerCase()}`));
  expect((Object.keys(catalogue) as FindingCode[]).filter((code) => !anchors.has(findingDocs(code)))).toEqual([]);
});

test('no family of findings is shown by its abbreviation only', () => {
  expect((files.get('docs/reference/findings.md') ?? '').match(/^## [A-Z]+$/gm)).toBeNull();
});
