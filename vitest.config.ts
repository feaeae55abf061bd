import { defineConfig } from 'vitest/config';

/**
 * Three kinds of tests, one run. `unit` needs nothing but Node; `real` needs the daemons of tools/ and root for network namespaces;
 * `lab` brings up a whole data centre and therefore runs alone, one file after the other.
 */
export default defineConfig({
  test: {
    reporters: ['default', './test/closing-line.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts'],
          exclude: ['**/*.real.test.ts', '**/*.lab.test.ts'],
          testTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'real',
          include: ['**/*.real.test.ts'],
          exclude: ['node_modules/**'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'lab',
          include: ['test/lab/**/*.lab.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
