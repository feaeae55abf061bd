/**
 * A machine that asks for an address and gets no answer asks again: after four seconds, then after eight more, each give or take one
 * (RFC 2131, 4.1). So do we: Kea answers nobody for some seconds whenever it reads a new configuration, which it does for every machine that
 * comes or goes, and as long as a machine would bridge it by its second repetition nothing is wrong.
 */
import type { ProbeResult } from '../probes/report.ts';

/** Four and eight seconds, and the one that they may be longer by. */
const BRIDGED_MS = 13_000;
/** The questions that a machine asks. Whether somebody else answers them is another matter, and bears no waiting. */
const QUESTIONS: readonly string[] = ['DISCOVER', 'SOLICIT'];

export class Patience {
  readonly #now: () => number;
  /** Those that were answered as planned before, and since when they are not. */
  readonly #unwell = new Map<string, number | undefined>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The results of one look, in the light of those before it. What never went well is failed at once. */
  bear(results: readonly ProbeResult[]): readonly ProbeResult[] {
    return results.map((result) => (result.group === 'DHCP' && QUESTIONS.includes(result.subject) ? this.#judge(result) : result));
  }

  #judge(result: ProbeResult): ProbeResult {
    const { subject, verdict } = result;
    if (verdict !== 'failed') {
      this.#unwell.set(subject, undefined);
      return result;
    }
    if (!this.#unwell.has(subject)) return result;
    const since = this.#unwell.get(subject) ?? this.#now() - result.milliseconds;
    this.#unwell.set(subject, since);
    return this.#now() - since < BRIDGED_MS ? { ...result, verdict: 'late' } : result;
  }
}
