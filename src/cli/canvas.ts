/** A page of characters to draw on. Lines that cross are joined by the caller, who knows what they mean. */
export class Canvas {
  readonly #rows: string[][] = [];

  /** Writes text from a column to the right; what stood there is replaced. */
  text(x: number, y: number, text: string): void {
    while (this.#rows.length <= y) this.#rows.push([]);
    const row = this.#rows[y] ?? [];
    while (row.length < x) row.push(' ');
    // Every character that is drawn here is one column wide.
    for (let index = 0; index < text.length; index++) row[x + index] = text.charAt(index);
  }

  /** Text in the middle of the columns from `x` up to `x + width`. */
  centred(x: number, y: number, width: number, text: string): void {
    this.text(x + Math.max(0, Math.floor((width - text.length) / 2)), y, text);
  }

  box(x: number, y: number, width: number, height: number): void {
    this.text(x, y, `┌${'─'.repeat(width - 2)}┐`);
    for (let row = y + 1; row < y + height - 1; row++) {
      this.text(x, row, '│');
      this.text(x + width - 1, row, '│');
    }
    this.text(x, y + height - 1, `└${'─'.repeat(width - 2)}┘`);
  }

  vertical(x: number, from: number, to: number): void {
    for (let y = from; y <= to; y++) this.text(x, y, '│');
  }

  lines(): string[] {
    return this.#rows.map((row) =>
      Array.from(row, (character) => character ?? ' ')
        .join('')
        .trimEnd(),
    );
  }
}
