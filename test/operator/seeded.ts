/** Chance that can be had again: the seed is told, and HCPIO_SEED sets it. */

/** Said before the test begins, so that it is there whatever the test does. */
export function seedFor(what: string): number {
  const seed = Number(process.env['HCPIO_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  process.stderr.write(`${what}: HCPIO_SEED=${seed}\n`);
  return seed;
}

/** Mulberry32: thirty-two bits of state are plenty for choosing victims. */
export function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
