/** Reads a watch: lines to events, and everything that can go wrong with a stream to an error with a name. */
import type { IncomingMessage } from 'node:http';
import { type Clock, childScope } from './clock.ts';
import { ApiError, type ApiStatus } from './errors.ts';
import { LineSplitter, LineTooLong } from './line-splitter.ts';
import type { WireObject } from './object.ts';

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: WireObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly endsInitialList: boolean };

export type BreakReason = 'truncated' | 'unparsable' | 'stalled' | 'deadline' | 'reset' | 'short';

/** The stream ended in a way it must not: whatever was read is good, and nothing after it is known. */
export class WatchBroken extends Error {
  override readonly name = 'WatchBroken';
  readonly reason: BreakReason;

  constructor(reason: BreakReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

export interface WatchLimits {
  readonly clock: Clock;
  /** Longer than this without a byte: the connection is dead even if TCP does not say so (bookmarks come every minute). Asked anew each time. */
  readonly idleMs: () => number;
  /** The server was asked to end the watch before this; a proxy that keeps it open is cut off. */
  readonly deadlineMs: number;
  readonly maxLineBytes: number;
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** The events of a watch, until the server ends it in order. Throws WatchBroken, ApiError (an ERROR event), or the signal's reason. */
export async function* readWatch(
  open: (signal: AbortSignal) => Promise<IncomingMessage>,
  limits: WatchLimits,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent, void> {
  const scope = childScope(signal);
  const timers = new StreamTimers(limits, (broken) => scope.abort(broken));
  let ended = false;
  try {
    const splitter = new LineSplitter(limits.maxLineBytes);
    const response = await open(scope.signal);
    for await (const chunk of response) {
      timers.touch();
      for (const line of splitter.push(chunk as Buffer)) {
        if (line !== '') yield decode(line);
      }
    }
    ended = true;
    if (splitter.pendingBytes > 0) throw new WatchBroken('truncated', 'the stream ended in the middle of an event');
  } catch (error) {
    throw asBreak(error, scope.signal, signal);
  } finally {
    timers.stop();
    // The way out when the consumer stops early: the connection must not stay open behind its back.
    if (!ended) scope.abort(new Error('the watch is no longer read'));
    scope.close();
  }
}

class StreamTimers {
  readonly #limits: WatchLimits;
  readonly #cut: (broken: WatchBroken) => void;
  readonly #cancelDeadline: () => void;
  #lastByte: number;
  #cancelIdle: () => void = () => {};

  constructor(limits: WatchLimits, cut: (broken: WatchBroken) => void) {
    this.#limits = limits;
    this.#cut = cut;
    this.#lastByte = limits.clock.monotonic();
    const { deadlineMs } = limits;
    this.#cancelDeadline = limits.clock.after(deadlineMs, () => cut(new WatchBroken('deadline', `still open after ${deadlineMs} ms`)));
    this.#arm(limits.idleMs());
  }

  touch(): void {
    this.#lastByte = this.#limits.clock.monotonic();
  }

  stop(): void {
    this.#cancelDeadline();
    this.#cancelIdle();
  }

  /** One timer that looks back, not one timer per chunk. */
  #arm(ms: number): void {
    this.#cancelIdle = this.#limits.clock.after(ms, () => {
      const idleMs = this.#limits.idleMs();
      const left = idleMs - (this.#limits.clock.monotonic() - this.#lastByte);
      if (left > 0) this.#arm(left);
      else this.#cut(new WatchBroken('stalled', `no byte for ${idleMs} ms`));
    });
  }
}

function decode(line: string): WatchEvent {
  let event: { readonly type: string; readonly object: WireObject };
  try {
    event = JSON.parse(line);
  } catch (error) {
    throw new WatchBroken('unparsable', `an event is no JSON: ${line.slice(0, 80)}`, error);
  }
  const { type, object } = event;
  if (type === 'ERROR') {
    const status = object as unknown as ApiStatus;
    throw new ApiError('watch', status.code ?? 500, status);
  }
  const resourceVersion = object?.metadata?.resourceVersion;
  if (!resourceVersion) throw new WatchBroken('unparsable', `an event without a resourceVersion: ${line.slice(0, 80)}`);
  if (type === 'BOOKMARK') return { type, resourceVersion, endsInitialList: object.metadata.annotations?.[INITIAL_EVENTS_END] === 'true' };
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') return { type, object };
  throw new WatchBroken('unparsable', `an event of the unknown type ${type}`);
}

function asBreak(error: unknown, inner: AbortSignal, outer: AbortSignal): unknown {
  if (outer.aborted) return outer.reason;
  if (inner.aborted) return inner.reason;
  if (error instanceof LineTooLong) return new WatchBroken('unparsable', error.message, error);
  const code = (error as NodeJS.ErrnoException)?.code;
  // Only a raw stream error has a plain code; our own errors are passed on as they are.
  if (error instanceof Error && error.name === 'Error' && code !== undefined) return new WatchBroken('reset', error.message, error);
  return error;
}
