import { expect, test } from 'vitest';
import { cropped, Screen } from './screen.ts';

/** A terminal that understands what is written to it: moves, clears, text. Gives the rows that a person sees. */
function terminal(columns: number, rows: number) {
  const lines: string[] = [''];
  let row = 0;
  const write = (text: string): void => {
    for (const character of text) {
      if (character === '\n') {
        row += 1;
        lines[row] ??= '';
      } else if (character === '\r') lines[row] = '';
      else lines[row] += character;
    }
  };
  const out = (text: string): void => {
    const [first = '', ...escapes] = text.split('\u001b[');
    write(first);
    for (const piece of escapes) {
      const [, count = '', command = '', rest = ''] = /^(\d*)([A-Z])([\s\S]*)$/.exec(piece) ?? [];
      if (command === 'A') row -= Number(count);
      if (command === 'J') lines.length = row + 1;
      if (command === 'K') lines[row + 1] = '';
      write(rest);
    }
  };
  return { screen: new Screen(out, () => ({ columns, rows })), seen: () => lines.filter((line) => line !== '') };
}

test('what is drawn again takes the place of what was there, also when it is shorter', () => {
  const { screen, seen } = terminal(80, 24);
  screen.draw(['one', 'two', 'three']);
  screen.draw(['four', 'five']);
  expect(seen()).toEqual(['four', 'five']);
});

test('what is printed stays above what is drawn', () => {
  const { screen, seen } = terminal(80, 24);
  screen.draw(['running']);
  screen.print(['done'], ['running on']);
  screen.draw(['finished']);
  expect(seen()).toEqual(['done', 'finished']);
});

test('what is higher than the screen ends with how much is missing', () => {
  const { screen, seen } = terminal(80, 4);
  screen.draw(['1', '2', '3', '4', '5']);
  screen.draw(['1', '2', '3', '4', '5']);
  expect(seen()).toEqual(['1', '2', '... 3 more lines']);
});

test('a line that is wider than the screen is cut, and its colours take no room', () => {
  expect([cropped('abcdef', 3), cropped('\u001b[31mabcdef\u001b[39m', 3), cropped('ab', 3)]).toEqual([
    'abc',
    '\u001b[31mabc\u001b[39m',
    'ab',
  ]);
});
