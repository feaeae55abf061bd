/**
 * Questions about tenants that are asked again and again, each in its own time and apart from the reconciliations: a tenant at rest costs
 * one small request now and then, and is reconciled only when the answer changed. Who reconciles gets the last answer.
 */
import { isDeepStrictEqual } from 'node:util';
import { aborted, type Clock } from '../../kube/clock.ts';
import type { Key } from '../../kube/object.ts';

export interface Inquiry<Target, Answer> {
  /** Whom to ask, and what about. */
  readonly target: Target;
  answer: Answer;
}

export interface InquiriesOptions<I extends Inquiry<unknown, unknown>> {
  readonly clock: Clock;
  /** Never fails: no answer is an answer too. */
  readonly ask: (tenant: Key, inquiry: I, signal: AbortSignal) => Promise<I['answer']>;
  /** Until the next question; undefined when there is none to be asked. */
  readonly wait: (inquiry: I) => number | undefined;
  /** The answer for this tenant is another one now. */
  readonly onNews: (tenant: Key) => void;
}

export class Inquiries<I extends Inquiry<unknown, unknown>> {
  readonly #options: InquiriesOptions<I>;
  readonly #current = new Map<Key, { readonly inquiry: I; cancel: () => void }>();
  readonly #end = new AbortController();

  constructor(options: InquiriesOptions<I>) {
    this.#options = options;
  }

  /** Asks until the signal, and nobody after it: a question that is still to be asked keeps the process alive. */
  async run(signal: AbortSignal): Promise<void> {
    await aborted(signal);
    this.#end.abort(signal.reason);
    for (const tenant of [...this.#current.keys()]) this.forget(tenant);
  }

  of(tenant: Key): I | undefined {
    return this.#current.get(tenant)?.inquiry;
  }

  /** In place of the one before. Nothing is asked until it is scheduled. */
  begin(tenant: Key, inquiry: I): void {
    this.forget(tenant);
    this.#current.set(tenant, { inquiry, cancel: () => {} });
  }

  forget(tenant: Key): void {
    this.#current.get(tenant)?.cancel();
    this.#current.delete(tenant);
  }

  /** Nothing happens when another one has taken its place meanwhile. */
  schedule(tenant: Key, inquiry: I): void {
    const current = this.#current.get(tenant);
    if (current?.inquiry !== inquiry || this.#end.signal.aborted) return;
    const wait = this.#options.wait(inquiry);
    if (wait !== undefined) current.cancel = this.#options.clock.after(wait, () => void this.#askAgain(tenant, inquiry));
  }

  async #askAgain(tenant: Key, inquiry: I): Promise<void> {
    const answer = await this.#options.ask(tenant, inquiry, this.#end.signal);
    if (this.of(tenant) !== inquiry) return;
    const news = !isDeepStrictEqual(answer, inquiry.answer);
    inquiry.answer = answer;
    if (news) this.#options.onNews(tenant);
    this.schedule(tenant, inquiry);
  }
}
