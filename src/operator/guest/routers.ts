/**
 * What is known of the routers inside the hosted clusters. Looked at now and then and not watched: a watch into each of a thousand
 * clusters would cost more than all the rest, and a router that moves meanwhile is left out by the gateway's own health checks.
 * A reconciliation never waits for a guest: it is told what was seen last, and the tenant is looked at again when that changes.
 */
import { isDeepStrictEqual } from 'node:util';
import type { GuestRouter } from '../../hosted-cluster/observed.ts';
import { type Clock, type Random, sleep } from '../../kube/clock.ts';
import type { Runnable } from '../../kube/manager.ts';
import type { Key } from '../../kube/object.ts';
import { mapParallel } from '../../kube/parallel.ts';
import type { Logger } from '../../kube/telemetry.ts';
import type { GuestAddress, ReadRouter } from './router-reader.ts';

export type Seen = GuestRouter | 'absent' | undefined;

export interface RoutersOptions {
  readonly read: ReadRouter;
  /** The tenants whose apps go through the gateway, with the way to their API servers. */
  readonly guests: () => Iterable<readonly [tenant: Key, guest: GuestAddress]>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Resolves when the guests are known; before that there is nobody to ask. */
  readonly known?: (signal: AbortSignal) => Promise<unknown>;
}

/** The pause after a round over all of them. */
const EVERY_MS = 20_000;
/** Longer where there are many: with a thousand it would otherwise be fifty handshakes a second, for ever. */
const PER_GUEST_MS = 60;
const AT_ONCE = 4;

const pauseAfter = (guests: number): number => Math.max(EVERY_MS, guests * PER_GUEST_MS);

export class GuestRouters implements Runnable {
  readonly name = 'guest routers';
  readonly #options: RoutersOptions;
  readonly #seen = new Map<Key, Seen>();
  readonly #listeners: ((tenant: Key) => void)[] = [];

  constructor(options: RoutersOptions) {
    this.#options = options;
  }

  of(tenant: Key): Seen {
    return this.#seen.get(tenant);
  }

  onChange(listener: (tenant: Key) => void): void {
    this.#listeners.push(listener);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, known } = this.#options;
    await known?.(signal).catch(() => {});
    while (!signal.aborted) {
      const guests = await this.round(signal);
      await sleep(clock, pauseAfter(guests) * (0.75 + random() / 2), signal).catch(() => {});
    }
  }

  /** A few at once: there is no hurry, a thousand handshakes together would be felt, and one that hangs must not hold up all. Says how many. */
  async round(signal: AbortSignal): Promise<number> {
    const { guests, read, log } = this.#options;
    const now = new Map(guests());
    for (const tenant of this.#seen.keys()) if (!now.has(tenant)) this.#seen.delete(tenant);
    const look = async ([tenant, guest]: readonly [Key, GuestAddress]): Promise<void> => {
      try {
        this.#learn(tenant, await read(guest, signal));
      } catch (error) {
        // What was seen last still is the best that is known: an API server that is away does not move a router.
        if (!signal.aborted) log.debug({ tenant, error: String(error) }, 'the guest could not be asked for its router');
      }
    };
    await mapParallel([...now], AT_ONCE, look, signal).catch(() => {});
    return now.size;
  }

  #learn(tenant: Key, router: Seen): void {
    if (this.#seen.has(tenant) && isDeepStrictEqual(this.#seen.get(tenant), router)) return;
    this.#seen.set(tenant, router);
    if (router !== undefined) for (const listener of this.#listeners) listener(tenant);
  }
}
