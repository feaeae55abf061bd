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
    this.#texts.set(text, text);
    return text;
  }
}
