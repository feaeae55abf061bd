import type { Reporter, TestModule } from 'vitest/node';

/**
 * Ends a run with what failed, one line each, and one line that people and scripts can read: `N passed, N failed`, and what was skipped.
 * Whoever sees only the end of a long log knows then where to look.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { readonly message?: string }[]): void {
    const count = { passed: 0, skipped: 0 };
    const failed = unhandled.map(({ message }) => `outside of any test: ${firstLine(message)}`);
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        if (state === 'passed' || state === 'skipped') count[state] += 1;
        if (state === 'failed') failed.push(`${module.relativeModuleId} > ${test.fullName}: ${firstLine(errors?.[0]?.message)}`);
      }
      // A file that does not even load holds no tests, and must not look like a pass.
      const [error] = module.errors();
      if (module.state() === 'failed' && error) failed.push(`${module.relativeModuleId}: ${firstLine(error.message)}`);
    }
    const skipped = count.skipped === 0 ? '' : `, ${count.skipped} skipped`;
    const lines = [...failed.map((line) => `failed: ${line}`), `${count.passed} passed, ${failed.length} failed${skipped}`];
    process.stdout.write(`\n${lines.join('\n')}\n`);
  }
}

const firstLine = (message = ''): string => message.split('\n', 1)[0]?.slice(0, 300) ?? '';
