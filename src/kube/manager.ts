/**
 * Starts and stops the parts of a program in the right order: informers first and always, so that whoever waits for the
 * leadership has warm caches; controllers under the leadership; and at the end the reverse, letting work finish.
 */
import { childScope } from './clock.ts';
import type { Controller } from './controller.ts';
import type { Lease } from './lease.ts';
import type { Phase, ReflectorState } from './reflector.ts';
import { type Logger, silentLogger } from './telemetry.ts';

/** Something that runs beside the controllers until the signal: an event recorder, a server. */
export interface Runnable {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

/** An informer of whatever: what it keeps is of no interest here. */
export interface Watched extends Runnable {
  readonly state: ReflectorState;
  readonly store: { readonly hasSynced: boolean; readonly size: number; synced(signal: AbortSignal): Promise<void> };
}

export interface ManagerOptions {
  readonly informers: readonly Watched[];
  readonly controllers: readonly Controller[];
  /** Run from the start to the very end, leading or not. */
  readonly always?: readonly Runnable[];
  /** Run under the leadership and around the controllers: what these leave behind is finished before the leadership is handed on. */
  readonly leading?: readonly Runnable[];
  readonly lease?: Lease;
  readonly log?: Logger;
}

export interface Health {
  readonly informers: Readonly<
    Record<string, { readonly phase: Phase; readonly message: string; readonly synced: boolean; readonly objects: number }>
  >;
  readonly allSynced: boolean;
  readonly leading: boolean;
}

export class Manager {
  readonly #options: ManagerOptions;
  readonly #log: Logger;
  #working = false;

  constructor(options: ManagerOptions) {
    this.#options = options;
    this.#log = options.log ?? silentLogger;
  }

  /** Runs until the signal, and until the work at hand is finished. Throws when leadership is lost or a part fails. */
  async run(signal: AbortSignal): Promise<void> {
    const { informers, always = [], lease } = this.#options;
    // Two circles: the inner one stops first, and the outer one serves it until it has.
    const outer = new AbortController();
    const inner = childScope(signal);
    const failures: unknown[] = [];
    const start = (part: Runnable, until: AbortSignal): Promise<void> =>
      part.run(until).catch((error: unknown) => {
        this.#log.error({ part: part.name, err: error }, 'a part of the program failed');
        failures.push(error);
        inner.abort(error);
      });
    const background = [...informers, ...always].map((part) => start(part, outer.signal));
    try {
      await this.#afterSync(inner.signal, (leading) => this.#work(leading, start), lease);
    } finally {
      inner.close();
      outer.abort(signal.reason);
      await Promise.all(background);
    }
    if (failures.length > 0) throw failures[0];
  }

  health(): Health {
    const { informers, lease } = this.#options;
    const entries = informers.map(({ name, state, store }) => [name, { ...state, synced: store.hasSynced, objects: store.size }] as const);
    return {
      informers: Object.fromEntries(entries),
      allSynced: informers.every(({ store }) => store.hasSynced),
      leading: this.#working && (lease?.isLeading ?? true),
    };
  }

  /** To be called before metrics are collected. */
  sample(): void {
    for (const { queue } of this.#options.controllers) queue.sample();
  }

  async #afterSync(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>, lease: Lease | undefined): Promise<void> {
    try {
      await Promise.all(this.#options.informers.map(({ store }) => store.synced(signal)));
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    this.#log.info({}, lease ? 'caches are warm; waiting for the leadership' : 'caches are warm');
    await (lease ? lease.run(work, signal) : work(signal));
  }

  async #work(signal: AbortSignal, start: (part: Runnable, until: AbortSignal) => Promise<void>): Promise<void> {
    const { controllers, leading = [] } = this.#options;
    const worked = new AbortController();
    const around = leading.map((part) => start(part, worked.signal));
    this.#working = true;
    try {
      await Promise.all(controllers.map((controller) => controller.run(signal)));
    } finally {
      worked.abort(signal.reason);
      await Promise.all(around);
      this.#working = false;
    }
  }
}
