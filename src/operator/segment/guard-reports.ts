/**
 * Asks the edges now and then what their guards have noticed. Guards forget after a quarter of an hour, so that is also how long a finding
 * outlives its cause, and however much is dropped, the status is written about once a minute at most for it.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Clock, type Random, within } from '../../kube/clock.ts';
import type { Runnable } from '../../kube/manager.ts';
import type { Key } from '../../kube/object.ts';
import { readSightings, type Sightings } from '../../probes/sightings.ts';
import { Inquiries, type Inquiry } from './inquiries.ts';

export interface Guarded {
  readonly edge: string;
  /** Of the edge's pod, on the pod network. */
  readonly address: string;
}

export interface GuardReport {
  readonly edge: string;
  readonly sightings: Sightings;
}

/** The body of an edge's report. Fails when there is no answer. */
export type AskGuard = (address: string, signal: AbortSignal) => Promise<string>;

/** What the guards of a tenant's edges said last. */
export type GuardsOf = (tenant: Key, edges: readonly Guarded[]) => readonly GuardReport[];

export interface GuardReportsOptions {
  readonly ask: AskGuard;
  readonly clock: Clock;
  readonly random: Random;
  /** The answer for this tenant is another one now. */
  readonly onNews: (tenant: Key) => void;
}

const EVERY_MS = 60_000;
const DEADLINE_MS = 5000;

type Asked = Inquiry<readonly Guarded[], readonly GuardReport[]>;

export class GuardReports implements Runnable {
  readonly name = 'guard-reports';
  readonly #options: GuardReportsOptions;
  readonly #inquiries: Inquiries<Asked>;

  constructor(options: GuardReportsOptions) {
    this.#options = options;
    const { clock, random, onNews } = options;
    this.#inquiries = new Inquiries({
      clock,
      onNews,
      ask: async (_, asked, signal) => (await Promise.all(asked.target.map((guarded) => this.#ask(guarded, asked, signal)))).flat(),
      wait: () => EVERY_MS * (0.5 + random()),
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#inquiries.run(signal);
  }

  readonly of: GuardsOf = (tenant, edges) => {
    const known = this.#inquiries.of(tenant);
    if (known && isDeepStrictEqual(known.target, edges)) return known.answer;
    this.forget(tenant);
    if (edges.length === 0) return [];
    const asked: Asked = { target: edges, answer: known?.answer ?? [] };
    this.#inquiries.begin(tenant, asked);
    this.#inquiries.schedule(tenant, asked);
    return asked.answer;
  };

  forget(tenant: Key): void {
    this.#inquiries.forget(tenant);
  }

  /** Nothing noticed is nothing kept. Of an edge that does not answer now, what it said last still stands. */
  async #ask({ edge, address }: Guarded, { answer }: Asked, signal: AbortSignal): Promise<readonly GuardReport[]> {
    const { ask, clock } = this.#options;
    const deadline = { clock, ms: DEADLINE_MS, why: 'the edge takes too long' };
    const body = await within(deadline, signal, (limited) => ask(address, limited)).catch(() => '');
    const sightings = readSightings(body);
    if (sightings === undefined) return answer.filter((report) => report.edge === edge);
    return Object.values(sightings).every(({ length }) => length === 0) ? [] : [{ edge, sightings }];
  }
}
