/**
 * Asks the probers what they see, by itself and apart from the reconciliations: a tenant at rest costs one small request now and then, and
 * is reconciled only when the answer changed. Who reconciles gets the last answer.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Clock, type Random, within } from '../../kube/clock.ts';
import type { Key } from '../../kube/object.ts';
import { readReport } from '../../probes/read-report.ts';
import { notProbed, proofOf, type SegmentProof } from './proof.ts';

export interface Target {
  /** Of the prober's pod; empty while it has none, and then `trouble` says why. */
  readonly address: string;
  readonly trouble: string;
  /** The hash of the list that it should have gone through. */
  readonly list: string;
}

/** Looks at the segment from the segment. Given to the operator from outside, because it needs a place on the segment to look from. */
export type ProbeSegment = (
  tenant: Key,
  target: Target,
  signal: AbortSignal,
  /** What was told of it last, maybe by another process. */
  told?: SegmentProof,
) => Promise<SegmentProof>;

/** The body of the prober's report; empty when it has not looked yet. Fails when there is no answer. */
export type AskProber = (address: string, signal: AbortSignal) => Promise<string>;

export interface SegmentProbesOptions {
  readonly ask: AskProber;
  readonly clock: Clock;
  readonly random: Random;
  /** The answer for this tenant is another one now. */
  readonly onNews: (tenant: Key) => void;
}

/** A NodePool may wait for it. What has not come in two minutes comes in its own time. */
const UNPROVEN_MS = 1000;
const EAGER_LOOKS = 120;
const PATIENT_MS = 5000;
const PROVEN_MS = 45_000;
const DEADLINE_MS = 2000;
/**
 * A new plan has to reach the prober and be looked at, a prober that is made anew has to start, and an operator that starts anew has a
 * thousand of them to ask. For as long as that takes, a segment that was proven a moment ago is not called unknown: every machine that comes,
 * and every restart, would make it blink.
 */
const GRACE_MS = 20_000;

interface Entry {
  readonly target: Target;
  proof: SegmentProof;
  /** The newest answer says that it is proven. */
  settled: boolean;
  /** Looks since it was last proven. */
  looks: number;
  /** Since when the answers do not say so any more, by the monotonic clock; not set while they do. */
  doubtedAt: number | undefined;
  cancel: () => void;
}

export class SegmentProbes {
  readonly #options: SegmentProbesOptions;
  readonly #entries = new Map<Key, Entry>();

  constructor(options: SegmentProbesOptions) {
    this.#options = options;
  }

  readonly probe: ProbeSegment = async (tenant, target, signal, told) => {
    const known = this.#entries.get(tenant);
    if (known && isDeepStrictEqual(known.target, target)) return known.proof;
    this.forget(tenant);
    const before = known ?? this.#remembered(told);
    const entry: Entry = {
      target,
      proof: before.proof,
      doubtedAt: before.doubtedAt,
      settled: false,
      looks: 0,
      cancel: () => {},
    };
    this.#entries.set(tenant, entry);
    entry.proof = await this.#ask(tenant, entry, signal);
    this.#schedule(tenant, entry);
    return entry.proof;
  };

  /** It has no prober any more, or is gone. */
  forget(tenant: Key): void {
    this.#entries.get(tenant)?.cancel();
    this.#entries.delete(tenant);
  }

  /** Nobody knows how long ago it was told; the time of grace begins with the first question. */
  #remembered(told: SegmentProof | undefined): Pick<Entry, 'proof' | 'doubtedAt'> {
    const proof = told?.outcome === 'proven' ? told : notProbed('NotProbed', 'nobody has looked from the segment yet');
    return { proof, doubtedAt: undefined };
  }

  async #ask(tenant: Key, entry: Entry, signal: AbortSignal): Promise<SegmentProof> {
    const proof = await this.#newest(tenant, entry.target, signal);
    const now = this.#options.clock.monotonic();
    entry.settled = proof.outcome === 'proven';
    entry.doubtedAt = entry.settled ? undefined : (entry.doubtedAt ?? now);
    entry.looks = entry.settled ? 0 : entry.looks + 1;
    const blink = proof.outcome === 'notProbed' && entry.proof.outcome === 'proven' && now - (entry.doubtedAt ?? now) < GRACE_MS;
    return blink ? entry.proof : proof;
  }

  async #newest(tenant: Key, { address, trouble, list }: Target, signal: AbortSignal): Promise<SegmentProof> {
    if (address === '') return notProbed('ProberNotReady', trouble);
    const { ask, clock } = this.#options;
    const deadline = { clock, ms: DEADLINE_MS, why: 'the prober takes too long' };
    const body = await within(deadline, signal, (limited) => ask(address, limited)).catch(() => undefined);
    if (body === '') return notProbed('NotProbed', 'the prober takes its first look');
    return proofOf(body === undefined ? undefined : readReport(body), tenant, list);
  }

  #schedule(tenant: Key, entry: Entry): void {
    if (this.#entries.get(tenant) !== entry) return;
    // A pod that comes to have an address is told by its watch; only a proof that must not stand for ever needs a second look.
    if (entry.target.address === '' && entry.proof.outcome !== 'proven') return;
    const { clock, random } = this.#options;
    const unproven = entry.looks > EAGER_LOOKS ? PATIENT_MS : UNPROVEN_MS;
    const wait = entry.settled ? PROVEN_MS * (0.8 + 0.4 * random()) : unproven;
    entry.cancel = clock.after(wait, () => void this.#look(tenant, entry));
  }

  async #look(tenant: Key, entry: Entry): Promise<void> {
    const proof = await this.#ask(tenant, entry, never);
    if (this.#entries.get(tenant) !== entry) return;
    const news = !isDeepStrictEqual(proof, entry.proof);
    entry.proof = proof;
    if (news) this.#options.onNews(tenant);
    this.#schedule(tenant, entry);
  }
}

const never = new AbortController().signal;
