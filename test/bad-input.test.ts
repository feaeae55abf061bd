import { describe, expect, test } from 'vitest';
import type { PlacedFinding } from '../src/cli/load.ts';
import { Scratch } from '../src/cli/testing/directory.ts';
import { hcpio } from '../src/cli/testing/hcpio.ts';
import { type BadInput, EXAMPLE, original } from './bad-input/bad-input.ts';
import { inputCases } from './bad-input/input-cases.ts';
import { planCases } from './bad-input/plan-cases.ts';

interface Shown {
  readonly findings: readonly PlacedFinding[];
}

/**
 * Every way of getting the input wrong: `plan` tells the code at the file and line where a person has to change something, `render` writes
 * nothing, and both end with status 2. To add a case, add a line to one of the tables.
 */
function writeFiles(scratch: Scratch, files: BadInput['files']): void {
  for (const name of new Set([...Object.keys(original), ...Object.keys(files)])) {
    const text = original[name] ?? '';
    const change = files[name];
    if (change !== null) scratch.write(`in/${name}`, typeof change === 'function' ? change(text) : (change ?? text));
  }
}

describe.each([
  ['input', inputCases],
  ['plan', planCases],
])('bad %s', (_, cases) => {
  test.each(cases)('$name: $code', async ({ files, code, at, says }) => {
    using scratch = new Scratch();
    writeFiles(scratch, files);
    const plan = await hcpio(['plan', '-f', scratch.at('in'), '-o', 'json']);
    const shown = [JSON.parse(plan.out) as Shown | Shown[]].flat();
    const told = shown
      .flatMap(({ findings }) => findings)
      .map((finding) => ({ code: finding.code, at: finding.at?.replace(`${scratch.at('in')}/`, ''), message: finding.message }));
    expect(told).toContainEqual({ code, at, message: expect.stringContaining(says) });
    const render = await hcpio(['render', '-f', scratch.at('in'), '--out', scratch.at('out')]);
    const wrote = Object.keys(scratch.files()).filter((file) => file.startsWith('out'));
    expect({ plan: plan.status, render: render.status, wrote, toldByRender: render.err.includes(code) }).toEqual({
      plan: 2,
      render: 2,
      wrote: [],
      toldByRender: true,
    });
  });
});

test('the example that they all start from has nothing wrong with it', async () => {
  const { status, out } = await hcpio(['plan', '-f', EXAMPLE, '-o', 'json']);
  expect({ status, findings: (JSON.parse(out) as { findings: unknown }).findings }).toEqual({ status: 0, findings: [] });
});
