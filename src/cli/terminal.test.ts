import { expect, test } from 'vitest';
import { commandName, wantsColour } from './terminal.ts';

test('the usage text says what the user typed', () => {
  expect(['hcpio', 'kubectl-hcpio', 'oc-hcpio', 'something'].map(commandName)).toEqual(['hcpio', 'kubectl hcpio', 'oc hcpio', 'hcpio']);
});

test('colour is for terminals, and not for those who decline it', () => {
  expect([
    wantsColour(true, {}),
    wantsColour(true, { NO_COLOR: '' }),
    wantsColour(true, { NO_COLOR: '1' }),
    wantsColour(true, { TERM: 'dumb' }),
    wantsColour(undefined, { FORCE_COLOR: '1' }),
  ]).toEqual([true, true, false, false, false]);
});
