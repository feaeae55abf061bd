/** What the two health questions mean here. Kubelet restarts on the first and sends no traffic on the second. */
import type { Clock } from '../../kube/clock.ts';
import type { Reconcile } from '../../kube/controller.ts';
import type { Health } from '../../kube/manager.ts';
import type { Key } from '../../kube/object.ts';

export interface Answer {
  readonly ok: boolean;
  readonly text: string;
}

/** Every reconciliation has a deadline far below this; one that ignores it holds a worker for ever, and only a restart helps. */
const STUCK_MS = 600_000;

/** Knows since when each reconciliation has been running. */
export class Watchdog {
  readonly #clock: Clock;
  readonly #running = new Map<symbol, { readonly what: string; readonly since: number }>();

  #finished = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many are under way. */
  get running(): number {
    return this.#running.size;
  }

  /** How many came to an end so far. */
  get finished(): number {
    return this.#finished;
  }

  guard(controller: string, reconcile: Reconcile): Reconcile {
    return async (key: Key, context) => {
      const run = Symbol(key);
      this.#running.set(run, { what: `${controller} ${key}`, since: this.#clock.monotonic() });
      try {
        return await reconcile(key, context);
      } finally {
        this.#running.delete(run);
        this.#finished += 1;
      }
    };
  }

  stuck(): readonly string[] {
    const now = this.#clock.monotonic();
    return [...this.#running.values()].filter(({ since }) => now - since > STUCK_MS).map(({ what }) => what);
  }
}

/**
 * Would a restart help? An API server that is away is no reason: nobody is served better by a process that forgets what it
 * knew. That this is answered at all shows that the event loop turns.
 */
export function isAlive(watchdog: Watchdog): Answer {
  const stuck = watchdog.stuck();
  return stuck.length === 0 ? { ok: true, text: 'ok' } : { ok: false, text: `stuck: ${stuck.join(', ')}` };
}

/** The webhooks of this process. The API server calls whichever replica is ready, so one that cannot answer must not be. */
export type Serving = 'off' | 'waiting' | 'serving';

/** Can it do its work, leading or not: everything was listed once, nothing that it has to see is forbidden, and it answers who calls. */
export function isReady(health: Health, webhooks: Serving = 'off'): Answer {
  const unseen = Object.entries(health.informers)
    .filter(([, { synced, phase }]) => !synced || phase === 'forbidden')
    .map(([name, { phase, message }]) => `${name}: ${phase}${message ? `: ${message}` : ''}`);
  const lines = [...unseen, ...(webhooks === 'waiting' ? ['webhooks: not served yet, for want of a certificate'] : [])];
  return lines.length === 0
    ? { ok: true, text: `ok, ${health.leading ? 'leading' : 'waiting for the leadership'}; webhooks ${webhooks}` }
    : { ok: false, text: lines.join('\n') };
}
