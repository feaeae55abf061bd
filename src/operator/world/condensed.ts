/**
 * Texts that are much alike, each kept as what it has that an example has not: some two hundred characters of the three thousand of a
 * tenant. Not zlib with a dictionary: it packs better, but every call leaves a native object behind for the garbage collector, and a
 * start with a thousand tenants is forty thousand calls.
 */

/** A JSON text. */
export interface Condensed {
  readonly packed: string;
  /** What it differs from. */
  readonly example: string;
}

const LONGEST_EXAMPLE = 8 * 1024;
/** What is shorter is not looked for, and every so often the example says where it is. */
const PIECE = 8;
/** Stands before a place in the example and a length, each two characters. No JSON text has it: control characters are escaped there. */
const COPY = '\0';
const COPY_LENGTH = 5;

export class Condenser {
  #example = '';
  #places = new Map<string, number[]>();

  pack(text: string): Condensed {
    // The first of a kind is often the least of it, as a tenant without a status. Those that were packed before keep their example.
    if (text.length > 2 * this.#example.length && this.#example.length < LONGEST_EXAMPLE) this.#follow(text.slice(0, LONGEST_EXAMPLE));
    const parts: string[] = [];
    let done = 0;
    let cursor = 0;
    for (let at = 0; at + PIECE <= text.length; ) {
      const found = this.#find(text.slice(at, at + PIECE), cursor);
      const copy = found === undefined ? undefined : this.#grown(text, at, found, done);
      if (copy === undefined || copy.length <= COPY_LENGTH) {
        at += 1;
        continue;
      }
      parts.push(text.slice(done, copy.at), COPY, number(copy.from), number(copy.length));
      done = at = copy.at + copy.length;
      cursor = copy.from + copy.length;
    }
    parts.push(text.slice(done));
    return { packed: parts.join(''), example: this.#example };
  }

  #follow(text: string): void {
    // A copy: a piece of a text keeps all of it.
    const example = Buffer.from(text).toString();
    this.#example = example;
    this.#places = new Map();
    for (let at = 0; at + PIECE <= example.length; at += PIECE) {
      const piece = example.slice(at, at + PIECE);
      this.#places.set(piece, [...(this.#places.get(piece) ?? []), at]);
    }
  }

  /** The next place after the cursor: what is alike is in the same order. */
  #find(piece: string, cursor: number): number | undefined {
    const places = this.#places.get(piece);
    return places?.find((place) => place + PIECE > cursor) ?? places?.[0];
  }

  /** To both sides, for as long as the texts are the same. */
  #grown(text: string, at: number, place: number, least: number) {
    const example = this.#example;
    let before = 0;
    while (at - before > least && place > before && text.charCodeAt(at - before - 1) === example.charCodeAt(place - before - 1))
      before += 1;
    let length = PIECE;
    const most = Math.min(text.length - at, example.length - place);
    while (length < most && text.charCodeAt(at + length) === example.charCodeAt(place + length)) length += 1;
    return { at: at - before, from: place - before, length: before + length };
  }
}

export function uncondensed({ packed, example }: Condensed): string {
  const parts: string[] = [];
  let done = 0;
  for (let mark = packed.indexOf(COPY); mark >= 0; mark = packed.indexOf(COPY, done)) {
    const from = numberAt(packed, mark + 1);
    parts.push(packed.slice(done, mark), example.slice(from, from + numberAt(packed, mark + 3)));
    done = mark + COPY_LENGTH;
  }
  parts.push(packed.slice(done));
  return parts.join('');
}

export const isSameText = (a: Condensed, b: Condensed): boolean =>
  a.example === b.example ? a.packed === b.packed : uncondensed(a) === uncondensed(b);

/** Two characters of one byte each, so that the whole is kept at one byte a character. */
const number = (value: number): string => String.fromCharCode(value >> 8, value & 255);
const numberAt = (packed: string, at: number): number => (packed.charCodeAt(at) << 8) | packed.charCodeAt(at + 1);
