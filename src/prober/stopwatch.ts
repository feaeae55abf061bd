/** Milliseconds since it was called, by a clock that nobody sets. */
export function since(): () => number {
  const start = performance.now();
  return () => Math.round(performance.now() - start);
}
