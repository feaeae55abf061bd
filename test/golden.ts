import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'vitest';
import { stringify } from 'yaml';

/**
 * Compares a value, written as YAML, with a file that people have read and agreed to. `UPDATE_GOLDEN=1` rewrites the file;
 * without it a file that does not exist is a failure, so that a forgotten golden file cannot pass as one that agrees.
 */
export function expectGolden(path: string, value: unknown): void {
  expectGoldenText(path, stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }));
}

/** The same for a text that is compared as it stands: a daemon's configuration. */
export function expectGoldenText(path: string, text: string): void {
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  expect(existsSync(path), `${path} does not exist: run again with UPDATE_GOLDEN=1 and read what it writes`).toBe(true);
  expect(text).toBe(readFileSync(path, 'utf8'));
}
