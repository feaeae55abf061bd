/** Several at once, but not all at once. */

/**
 * Runs `task` for every item with at most `limit` under way; results are in the order of the items.
 * After a failure or an abort no new task starts, those under way are waited for, and the first failure is thrown.
 */
export async function mapParallel<T, R>(
  items: readonly T[],
  limit: number,
  task: (item: T) => Promise<R>,
  signal: AbortSignal,
): Promise<readonly R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  const remaining = items.entries();
  const lane = async () => {
    for (const [index, item] of remaining) {
      if (signal.aborted || failures.length > 0) return;
      try {
        results[index] = await task(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  signal.throwIfAborted();
  if (failures.length > 0) throw failures[0];
  return results;
}
