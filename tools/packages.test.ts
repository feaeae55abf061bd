import { expect, test } from 'vitest';
import { missingPackages } from './packages.ts';

test('a package is missing when its command or file is not there, and is named once', () => {
  const missing = missingPackages([
    { package: 'coreutils', brings: 'sh' },
    { package: 'base-files', brings: '/etc' },
    { package: 'zebra', brings: 'no-such-command' },
    { package: 'zebra', brings: '/no/such/file' },
    { package: 'anvil', brings: 'no-such-command-either' },
  ]);
  expect(missing).toEqual(['anvil', 'zebra']);
});
