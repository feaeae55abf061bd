/** Waits for conditions, and stops waiting as soon as they cannot come true any more. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Lab } from './contract.ts';

export interface WaitOptions {
  readonly lab: Lab;
  /** Without these the condition will never hold: the wait ends when one of them does. */
  readonly parts: readonly string[];
  readonly signal: AbortSignal;
  readonly timeoutSeconds?: number;
  readonly everyMs?: number;
}

/**
 * Asks until `look` gives something. `undefined` and errors both mean "not yet"; the last error is told when time runs out,
 * because it says more than the timeout.
 */
export async function waitFor<T>(what: string, look: () => Promise<T | undefined>, options: WaitOptions): Promise<T> {
  const { lab, parts, signal, timeoutSeconds = 300, everyMs = 100 } = options;
  const giveUpAt = performance.now() + timeoutSeconds * 1000;
  let lastError: unknown;
  for (;;) {
    signal.throwIfAborted();
    try {
      const found = await look();
      if (found !== undefined) return found;
      lastError = undefined;
    } catch (failure) {
      lastError = failure;
    }
    for (const part of parts) if (!(await lab.find(part))) throw new Error(`${part} ended while the lab waited for ${what}`);
    if (performance.now() > giveUpAt) {
      const why = lastError instanceof Error ? `: ${lastError.message}` : '';
      throw new Error(`${what} did not come within ${timeoutSeconds} s${why}`, { cause: lastError });
    }
    // An abort is told at the top of the loop, with its own reason.
    await pause(everyMs, undefined, { signal }).catch(() => {});
  }
}
