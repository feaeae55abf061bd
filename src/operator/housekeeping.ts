/**
 * Gives memory back after a burst of work. V8 collects when it needs room, not when it has time: after the lists of the start,
 * or a thousand new tenants, the process would keep twice what it holds for as long as it rests.
 */
import { type Clock, onAbort } from '../kube/clock.ts';
import type { Runnable } from '../kube/manager.ts';

export interface HousekeepingOptions {
  readonly clock: Clock;
  /** Reconciliations that were finished so far. */
  readonly finished: () => number;
  /** Reconciliations that are under way. */
  readonly running: () => number;
  /** Undefined where the process was started without `--expose-gc`. */
  readonly collect: (() => void) | undefined;
}

const LOOK_MS = 10_000;

/** Collects once after the start and once after work, when nothing was begun or finished between two looks. */
export const housekeeping = ({ clock, finished, running, collect }: HousekeepingOptions): Runnable => ({
  name: 'housekeeping',
  run(signal) {
    if (collect === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      // Nothing yet: one that never leads has its lists to clean up after, too.
      let seen = -1;
      let cleaned = -1;
      let cancel = () => {};
      const look = () => {
        const now = finished();
        if (now === seen && now !== cleaned && running() === 0) {
          collect();
          cleaned = now;
        }
        seen = now;
        cancel = clock.after(LOOK_MS, look);
      };
      look();
      onAbort(signal, () => {
        cancel();
        resolve();
      });
    });
  },
});
