/** Cuts a byte stream into lines. On bytes, because a chunk may end in the middle of a UTF-8 character. */

const NEWLINE = 0x0a;

export class LineTooLong extends Error {
  override readonly name = 'LineTooLong';
}

export class LineSplitter {
  readonly #maxBytes: number;
  /** Chunks of the line that has not ended yet; joined once, so that a long line costs its length and not its square. */
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that this chunk completes, without their newlines. Empty lines are kept. */
  *push(chunk: Buffer): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const tail = chunk.subarray(start, end);
      start = end + 1;
      yield this.#complete(tail);
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** Bytes of a line that has begun and not ended: at the end of a stream, a sign that it was cut. */
  get pendingBytes(): number {
    return this.#bytes;
  }

  #complete(tail: Buffer): string {
    if (this.#parts.length === 0) return tail.toString('utf8');
    this.#keep(tail);
    const line = Buffer.concat(this.#parts, this.#bytes).toString('utf8');
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) throw new LineTooLong(`a line of more than ${this.#maxBytes} bytes`);
    this.#parts.push(part);
  }
}
