/** Looks again and again: at once when the list changed, soon while something is wrong, and now and then while all is well. */
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isProven, type ProbeReport, type ServedReport } from '../probes/report.ts';

export interface Cadence {
  readonly provenMs: number;
  readonly unprovenMs: number;
}

export const CADENCE: Cadence = { provenMs: 30_000, unprovenMs: 1500 };

export class Watcher {
  readonly #path: string;
  readonly #look: (text: string) => Promise<ProbeReport>;
  readonly #cadence: Cadence;
  #last: { readonly report: ProbeReport; readonly at: number } | undefined;
  #underWay: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #text = '';

  constructor(path: string, look: (text: string) => Promise<ProbeReport>, cadence: Cadence = CADENCE) {
    this.#path = path;
    this.#look = look;
    this.#cadence = cadence;
  }

  /** Until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    // The directory: kubelet swaps a link in it, and the file itself is never written.
    const changes = watch(dirname(this.#path), () => void this.#changed());
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await this.fresh();
    await stopped;
    changes.close();
    clearTimeout(this.#timer);
  }

  get report(): ServedReport | undefined {
    return this.#last && { ...this.#last.report, ageMilliseconds: Math.round(performance.now() - this.#last.at) };
  }

  /** A look that began after this was called. Those who ask meanwhile share the next one. */
  async fresh(): Promise<void> {
    await this.#underWay;
    this.#underWay ??= this.#once().finally(() => {
      this.#underWay = undefined;
    });
    await this.#underWay;
  }

  async #changed(): Promise<void> {
    const text = await readFile(this.#path, 'utf8').catch(() => this.#text);
    if (text !== this.#text) await this.fresh();
  }

  async #once(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      this.#text = await readFile(this.#path, 'utf8');
      const report = await this.#look(this.#text);
      this.#last = { report, at: performance.now() };
    } catch (error) {
      process.stderr.write(`prober: ${(error as Error).message}\n`);
    }
    const proven = this.#last !== undefined && isProven(this.#last.report);
    this.#timer = setTimeout(() => void this.fresh(), proven ? this.#cadence.provenMs : this.#cadence.unprovenMs);
  }
}
