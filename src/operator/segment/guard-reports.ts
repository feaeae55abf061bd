/**
 * Asks the edges now and then what their guards have noticed. As with the probers: a tenant at rest costs a small request a minute, and is
 * reconciled only when the answer is another one. Guards forget after a quarter of an hour, so that is also how long a finding outlives its
 * cause, and however much is dropped, the status is written about once a minute at most for it.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Clock, type Random, within } from '../../kube/clock.ts';
import type { Key } from '../../kube/object.ts';
import { readSightings, type Sightings } from '../../probes/sightings.ts';

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

interface Entry {
  readonly edges: readonly Guarded[];
  reports: readonly GuardReport[];
  cancel: () => void;
}

export class GuardReports {
  readonly #options: GuardReportsOptions;
  readonly #entries = new Map<Key, Entry>();

  constructor(options: GuardReportsOptions) {
    this.#options = options;
  }

  readonly of: GuardsOf = (tenant, edges) => {
    const known = this.#entries.get(tenant);
    if (known && isDeepStrictEqual(known.edges, edges)) return known.reports;
    this.forget(tenant);
    if (edges.length === 0) return [];
    const entry: Entry = { edges, reports: known?.reports ?? [], cancel: () => {} };
    this.#entries.set(tenant, entry);
    this.#schedule(tenant, entry);
    return entry.reports;
  };

  forget(tenant: Key): void {
    this.#entries.get(tenant)?.cancel();
    this.#entries.delete(tenant);
  }

  #schedule(tenant: Key, entry: Entry): void {
    const { clock, random } = this.#options;
    entry.cancel = clock.after(EVERY_MS * (0.5 + random()), () => void this.#look(tenant, entry));
  }

  async #look(tenant: Key, entry: Entry): Promise<void> {
    const reports = (await Promise.all(entry.edges.map((guarded) => this.#ask(guarded, entry)))).flat();
    if (this.#entries.get(tenant) !== entry) return;
    const news = !isDeepStrictEqual(reports, entry.reports);
    entry.reports = reports;
    if (news) this.#options.onNews(tenant);
    this.#schedule(tenant, entry);
  }

  /** Nothing noticed is nothing kept. Of an edge that does not answer now, what it said last still stands. */
  async #ask({ edge, address }: Guarded, { reports }: Entry): Promise<readonly GuardReport[]> {
    const { ask, clock } = this.#options;
    const deadline = { clock, ms: DEADLINE_MS, why: 'the edge takes too long' };
    const body = await within(deadline, never, (signal) => ask(address, signal)).catch(() => '');
    const sightings = readSightings(body);
    if (sightings === undefined) return reports.filter((report) => report.edge === edge);
    return Object.values(sightings).every(({ length }) => length === 0) ? [] : [{ edge, sightings }];
  }
}

const never = new AbortController().signal;
