import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with one line that people and scripts can read: `N passed, N failed`, and what was skipped. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed' || state === 'failed' || state === 'skipped') count[state] += 1;
      }
      // A file that does not even load holds no tests, and must not look like a pass.
      if (module.state() === 'failed' && module.errors().length > 0) count.failed += 1;
    }
    const skipped = count.skipped === 0 ? '' : `, ${count.skipped} skipped`;
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed${skipped}\n`);
  }
}
