/** Lines that are drawn again in the same place of a terminal. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

const ESCAPE = '\u001b[';
const UP = (lines: number): string => (lines === 0 ? '' : `${ESCAPE}${lines}A`);
const CLEAR_LINE = `${ESCAPE}K`;
const CLEAR_BELOW = `${ESCAPE}J`;

export class Screen {
  readonly #out: (text: string) => void;
  readonly #size: () => ScreenSize;
  #drawn = 0;

  constructor(out: (text: string) => void, size: () => ScreenSize) {
    this.#out = out;
    this.#size = size;
  }

  /** In place of what was drawn last. What does not fit is left out: a line that has scrolled away cannot be drawn again. */
  draw(lines: readonly string[]): void {
    const { columns, rows } = this.#size();
    const room = Math.max(1, rows - 1);
    const shown = lines.length <= room ? lines : [...lines.slice(0, room - 1), `... ${lines.length - room + 1} more lines`];
    // One write: a terminal that shows every state in between would flicker.
    this.#out(`${UP(this.#drawn)}\r${shown.map((line) => `${cropped(line, columns)}${CLEAR_LINE}\n`).join('')}${CLEAR_BELOW}`);
    this.#drawn = shown.length;
  }

  /** Above what is drawn, to stay. */
  print(lines: readonly string[], below: readonly string[]): void {
    this.#out(`${UP(this.#drawn)}\r${CLEAR_BELOW}${lines.map((line) => `${line}\n`).join('')}`);
    this.#drawn = 0;
    this.draw(below);
  }
}

/** So many columns of a line that may be coloured. Every character that is shown here is one column wide. */
export function cropped(line: string, columns: number): string {
  let room = columns;
  // Between two escapes stands what ends the first one (`31m`), and then text.
  const [plain = '', ...coloured] = line.split(ESCAPE);
  const take = (text: string): string => {
    const taken = text.slice(0, room);
    room -= taken.length;
    return taken;
  };
  return [
    take(plain),
    ...coloured.map((piece) => {
      const end = piece.indexOf('m') + 1;
      return `${ESCAPE}${piece.slice(0, end)}${take(piece.slice(end))}`;
    }),
  ].join('');
}
