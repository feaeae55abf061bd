/** Events for people who run `kubectl describe`: told once, not once per reconciliation. */
import { hashOf } from './canonical.ts';
import { Client } from './client.ts';
import { type Clock, microTime, onAbort, sleep } from './clock.ts';
import { toError } from './errors.ts';
import type { KubeObject, Resource } from './object.ts';
import { type Rate, TokenBucket } from './rate-limit.ts';
import { type Logger, silentLogger } from './telemetry.ts';
import type { Transport } from './transport.ts';

export const EVENT: Resource = { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };

export interface EventToTell {
  readonly regarding: KubeObject;
  readonly related?: KubeObject;
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, why. */
  readonly reason: string;
  /** CamelCase, what was done or tried. */
  readonly action: string;
  /** A sentence, in full. */
  readonly note: string;
  /** What makes it the same event as another; the note, unless it has parts that always differ. */
  readonly dedupe?: readonly string[];
}

export interface EventRecorderOptions {
  readonly transport: Transport;
  /** The program, e.g. `example.com/my-controller`. */
  readonly controller: string;
  /** This process, e.g. the pod's name. */
  readonly instance: string;
  /** The same event is not told again within this time. */
  readonly quietMs?: number;
  readonly rate?: Rate;
  readonly log?: Logger;
}

const QUIET_MS = 120_000;
const RATE: Rate = { qps: 20, burst: 200 };
/** Beyond this the newest are dropped: events are a courtesy, memory is not. */
const MOST_WAITING = 2_000;
const FLUSH_MS = 5_000;
const NOTE_BYTES = 1_024;

export class EventRecorder {
  readonly name = 'events';
  readonly #options: EventRecorderOptions;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #bucket: TokenBucket;
  readonly #log: Logger;
  /** When each event was told last, oldest first. */
  readonly #told = new Map<string, number>();
  readonly #waiting: EventToTell[] = [];
  #wake: () => void = () => {};
  #dropped = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#client = new Client(options.transport);
    this.#clock = options.transport.clock;
    this.#bucket = new TokenBucket(options.rate ?? RATE, this.#clock);
    this.#log = options.log ?? silentLogger;
  }

  /** Events that are not written yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Hands an event over; never waits and never fails. */
  record(event: EventToTell): void {
    const now = this.#clock.monotonic();
    this.#forgetOlderThan(now - (this.#options.quietMs ?? QUIET_MS));
    const key = dedupeKey(event);
    if (this.#told.has(key)) return;
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#told.set(key, now);
    this.#waiting.push(event);
    this.#wake();
  }

  /** Writes events until the signal, then what is still waiting, but not for long. */
  async run(signal: AbortSignal): Promise<void> {
    const flush = new AbortController();
    let cancelFlush = () => {};
    const unsubscribe = onAbort(signal, () => {
      cancelFlush = this.#clock.after(FLUSH_MS, () => flush.abort(new Error('no more time for events')));
      this.#wake();
    });
    while (!flush.signal.aborted) {
      const event = this.#waiting.shift();
      if (event !== undefined) await this.#write(event, flush.signal);
      else if (signal.aborted) break;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    cancelFlush();
    unsubscribe();
  }

  async #write(event: EventToTell, signal: AbortSignal): Promise<void> {
    try {
      const wait = this.#bucket.reserve();
      if (wait > 0) await sleep(this.#clock, wait, signal);
      await this.#client.create(EVENT, this.#body(event), signal);
    } catch (error) {
      this.#log.warn({ err: toError(error), reason: event.reason, dropped: this.#dropped }, 'an event could not be written');
    }
  }

  #body({ regarding, related, type, reason, action, note }: EventToTell) {
    const now = this.#clock.now();
    const suffix = `${Math.floor(now).toString(16)}${Math.floor(this.#options.transport.random() * 2 ** 32).toString(16)}`;
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      // The API wants the event in the namespace of what it is about; what has none goes to default.
      metadata: { name: `${regarding.metadata.name.slice(0, 220)}.${suffix}`, namespace: regarding.metadata.namespace ?? 'default' },
      eventTime: microTime(now),
      reportingController: this.#options.controller,
      reportingInstance: this.#options.instance.slice(0, 128),
      type,
      reason,
      action,
      note: cutToBytes(note, NOTE_BYTES),
      regarding: reference(regarding),
      ...(related ? { related: reference(related) } : {}),
    };
  }

  #forgetOlderThan(time: number): void {
    for (const [key, at] of this.#told) {
      if (at > time) return;
      this.#told.delete(key);
    }
  }
}

function dedupeKey({ regarding, type, reason, action, note, dedupe }: EventToTell): string {
  const { uid, namespace, name } = regarding.metadata;
  // A hash: there may be thousands, and they stay until the next event comes.
  return hashOf([regarding.kind, namespace, name, uid, type, reason, action, ...(dedupe ?? [note])]);
}

function reference({ apiVersion, kind, metadata: { namespace, name, uid } }: KubeObject) {
  return { apiVersion, kind, name, ...(namespace ? { namespace } : {}), ...(uid ? { uid } : {}) };
}

/** The API counts bytes, and half a character is none. */
export function cutToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const cut = Buffer.from(text)
    .subarray(0, bytes - 3)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
  return `${cut}...`;
}
