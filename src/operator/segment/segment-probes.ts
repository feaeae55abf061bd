/** Asks the probers what they see: often until a segment is proven, then rarely, and it does not blink while the world catches up. */
import { isDeepStrictEqual } from 'node:util';
import { type Clock, type Random, within } from '../../kube/clock.ts';
import type { Runnable } from '../../kube/manager.ts';
import type { Key } from '../../kube/object.ts';
import { readReport } from '../../probes/read-report.ts';
import { Inquiries, type Inquiry } from './inquiries.ts';
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

interface Asked extends Inquiry<Target, SegmentProof> {
  /** The newest answer says that it is proven. */
  settled: boolean;
  /** Looks since it was last proven. */
  looks: number;
  /** Since when the answers do not say so any more, by the monotonic clock; not set while they do. */
  doubtedAt: number | undefined;
}

export class SegmentProbes implements Runnable {
  readonly name = 'segment-probes';
  readonly #options: SegmentProbesOptions;
  readonly #inquiries: Inquiries<Asked>;

  constructor(options: SegmentProbesOptions) {
    this.#options = options;
    const { clock, onNews } = options;
    const ask = (tenant: Key, asked: Asked, signal: AbortSignal) => this.#ask(tenant, asked, signal);
    this.#inquiries = new Inquiries({ clock, onNews, ask, wait: (asked) => this.#wait(asked) });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#inquiries.run(signal);
  }

  readonly probe: ProbeSegment = async (tenant, target, signal, told) => {
    const known = this.#inquiries.of(tenant);
    if (known && isDeepStrictEqual(known.target, target)) return known.answer;
    const { answer, doubtedAt } = known ?? remembered(told);
    const asked: Asked = { target, answer, doubtedAt, settled: false, looks: 0 };
    this.#inquiries.begin(tenant, asked);
    asked.answer = await this.#ask(tenant, asked, signal);
    this.#inquiries.schedule(tenant, asked);
    return asked.answer;
  };

  /** It has no prober any more, or is gone. */
  forget(tenant: Key): void {
    this.#inquiries.forget(tenant);
  }

  async #ask(tenant: Key, asked: Asked, signal: AbortSignal): Promise<SegmentProof> {
    const proof = await this.#newest(tenant, asked.target, signal);
    const now = this.#options.clock.monotonic();
    asked.settled = proof.outcome === 'proven';
    asked.doubtedAt = asked.settled ? undefined : (asked.doubtedAt ?? now);
    asked.looks = asked.settled ? 0 : asked.looks + 1;
    const blink = proof.outcome === 'notProbed' && asked.answer.outcome === 'proven' && now - (asked.doubtedAt ?? now) < GRACE_MS;
    return blink ? asked.answer : proof;
  }

  async #newest(tenant: Key, { address, trouble, list }: Target, signal: AbortSignal): Promise<SegmentProof> {
    if (address === '') return notProbed('ProberNotReady', trouble);
    const { ask, clock } = this.#options;
    const deadline = { clock, ms: DEADLINE_MS, why: 'the prober takes too long' };
    const body = await within(deadline, signal, (limited) => ask(address, limited)).catch(() => undefined);
    if (body === '') return notProbed('NotProbed', 'the prober takes its first look');
    return proofOf(body === undefined ? undefined : readReport(body), tenant, list);
  }

  #wait({ target, answer, settled, looks }: Asked): number | undefined {
    // A pod that comes to have an address is told by its watch; only a proof that must not stand for ever needs a second look.
    if (target.address === '' && answer.outcome !== 'proven') return undefined;
    if (settled) return PROVEN_MS * (0.8 + 0.4 * this.#options.random());
    return looks > EAGER_LOOKS ? PATIENT_MS : UNPROVEN_MS;
  }
}

/** Nobody knows how long ago it was told; the time of grace begins with the first question. */
function remembered(told: SegmentProof | undefined): Pick<Asked, 'answer' | 'doubtedAt'> {
  const answer = told?.outcome === 'proven' ? told : notProbed('NotProbed', 'nobody has looked from the segment yet');
  return { answer, doubtedAt: undefined };
}
