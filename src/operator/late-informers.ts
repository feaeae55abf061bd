/** Informers that nobody knew of at the start: run with the others, and stopped with them. */

import { aborted } from '../kube/clock.ts';
import type { Runnable, Watched } from '../kube/manager.ts';

export class LateInformers implements Runnable {
  readonly name = 'late informers';
  readonly #waiting: Watched[] = [];
  readonly #running = new Set<Promise<void>>();
  #signal: AbortSignal | undefined;

  adopt(informer: Watched): void {
    if (this.#signal === undefined) this.#waiting.push(informer);
    else this.#start(informer, this.#signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const informer of this.#waiting.splice(0)) this.#start(informer, signal);
    await aborted(signal);
    await Promise.all(this.#running);
  }

  /** An informer never fails for what the server or the network did; the promise is there to wait for the end. */
  #start(informer: Watched, signal: AbortSignal): void {
    const run = informer.run(signal).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }
}
