/** One copy of each text, however often it comes off the wire: a thousand tenants have the same thirty names. */
export class Interned {
  readonly #texts = new Map<string, string>();
  readonly #most: number;

  constructor(most = 20_000) {
    this.#most = most;
  }

  of(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    // Names of tenants that are gone must not stay for ever. Starting afresh costs some doubles and nothing else.
    if (this.#texts.size >= this.#most) this.#texts.clear();
    const copy = flat(text);
    this.#texts.set(copy, copy);
    return copy;
  }
}

/** In one piece: what was put together from others keeps them, and is larger than all of them. */
const flat = (text: string): string => Buffer.from(text).toString();
