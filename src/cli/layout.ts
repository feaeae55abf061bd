/** Text in columns. Widths are counted before anything is painted, so colour never moves a column. */
const PAGE_WIDTH = 100;

interface Painted {
  readonly text: string;
  readonly paint: (text: string) => string;
}
export type Cell = string | Painted;

const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.text);
const shown = (cell: Cell, width: number): string => {
  const padding = ' '.repeat(Math.max(0, width - textOf(cell).length));
  return typeof cell === 'string' ? cell + padding : cell.paint(cell.text) + padding;
};

/** Rows as aligned columns, two blanks in and two blanks apart, without blanks at the end. */
export function columns(rows: readonly (readonly Cell[])[], indent = 2): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    // The last cell of a row bounds nothing: nothing stands to its right.
    row.slice(0, -1).forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, textOf(cell).length);
    });
  }
  return rows.map((row) => {
    const last = row.findLastIndex((cell) => textOf(cell) !== '');
    const cells = row.slice(0, last + 1).map((cell, index) => shown(cell, index === last ? 0 : (widths[index] ?? 0)));
    return cells.length === 0 ? '' : ' '.repeat(indent) + cells.join('  ');
  });
}

/** Words on lines of the page; a word that is longer than a line stays whole. */
export function paragraph(text: string, indent: number, width = PAGE_WIDTH): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].map((each) => (' '.repeat(indent) + each).trimEnd());
}

/** Text from files may hold anything; what reaches a terminal must not move its cursor. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]/gu, '�');

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
