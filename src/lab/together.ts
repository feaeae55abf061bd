/** Runs several things at once such that the first failure stops all of them, and nothing is still at work when it is reported. */

type Started = <T extends readonly unknown[]>(work: readonly [...T]) => Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }>;

export async function together(signal: AbortSignal, body: (start: Started, signal: AbortSignal) => Promise<void>): Promise<void> {
  const failed = new AbortController();
  const running: Promise<unknown>[] = [];
  const start: Started = (work) => {
    const promises = work.map((each) => Promise.resolve(each));
    for (const promise of promises) {
      running.push(promise);
      promise.catch((cause: unknown) => failed.abort(cause));
    }
    const all = Promise.all(promises);
    // Whoever waits for it sees the failure there; nobody may be waiting yet.
    all.catch(() => {});
    return all as ReturnType<Started> as never;
  };
  const inner = AbortSignal.any([signal, failed.signal]);
  try {
    await body(start, inner);
    await Promise.all(running);
  } catch (failure) {
    failed.abort(failure);
    await Promise.allSettled(running);
    // The first failure is the cause; what the others say is that they were stopped.
    throw signal.aborted ? signal.reason : failed.signal.reason;
  }
}
