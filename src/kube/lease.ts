/**
 * Leader election on a Lease, as client-go does it: whoever holds it renews it; whoever wants it waits until it has not
 * changed for its whole duration, measured on the own clock. Remote clocks are written, never believed.
 */
import { Client } from './client.ts';
import { type Clock, childScope, microTime, pause, within } from './clock.ts';
import { isAlreadyExists, isConflict, isNotFound, LeadershipLost, toError } from './errors.ts';
import type { Resource } from './object.ts';
import { type Logger, type Metrics, noMetrics, silentLogger } from './telemetry.ts';
import type { Transport } from './transport.ts';

export const LEASE: Resource = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease', namespaced: true };

export interface LeaseTiming {
  /** How long the others wait before they take over from a holder that is silent. */
  readonly durationMs: number;
  /** How long the holder tries to renew before it gives up; below the duration, else two would lead. */
  readonly renewDeadlineMs: number;
  /** How often it is renewed. */
  readonly retryMs: number;
  /** How often somebody who waits looks whether it was handed back. As often as it is renewed, unless told otherwise. */
  readonly lookMs?: number;
}

/**
 * OpenShift's numbers: they ride out 78 s without an API server, the longest it takes a single-node cluster to update it. What is handed back,
 * as with every update of the operator, does not wait for that long.
 */
export const PATIENT_LEASE: LeaseTiming = { durationMs: 137_000, renewDeadlineMs: 107_000, retryMs: 26_000, lookMs: 3_000 };
/** Kubernetes' defaults: quicker to take over, quicker to give up. */
export const QUICK_LEASE: LeaseTiming = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };

export interface LeaseOptions {
  readonly transport: Transport;
  readonly namespace: string;
  readonly name: string;
  /** Of this process and no other: host name and a random part. */
  readonly identity: string;
  readonly timing?: LeaseTiming;
  readonly log?: Logger;
  readonly metrics?: Metrics;
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

interface LeaseObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion?: string };
  readonly spec?: LeaseSpec;
}

export class Lease {
  readonly #options: LeaseOptions;
  readonly #timing: LeaseTiming;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: Metrics;
  #seen: LeaseObject | undefined;
  /** When what we see last changed, on our own clock. */
  #seenAt = 0;
  #renewedAt: number | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#timing = options.timing ?? PATIENT_LEASE;
    this.#client = new Client(options.transport);
    this.#clock = options.transport.clock;
    this.#log = options.log ?? silentLogger;
    this.#metrics = options.metrics ?? noMetrics;
    if (this.#timing.durationMs <= this.#timing.renewDeadlineMs || this.#timing.renewDeadlineMs <= this.#timing.retryMs) {
      throw new RangeError('a lease needs duration > renew deadline > retry period, else two processes can lead at once');
    }
  }

  /** By the clock, not by what timers had the time to tell: false also right after the process was frozen for too long. */
  get isLeading(): boolean {
    return this.#renewedAt !== undefined && this.#clock.monotonic() - this.#renewedAt < this.#timing.renewDeadlineMs;
  }

  /** Who leads as far as we know. */
  get holder(): string | undefined {
    return this.#seen?.spec?.holderIdentity || undefined;
  }

  /**
   * Waits for the leadership, then works under it until `work` returns, and hands the lease back. The signal of `work`
   * ends with `signal`, or with a LeadershipLost as its reason, which is then thrown. While `work` finishes after the
   * stop, the lease is still renewed.
   */
  async run(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    if (!(await this.#acquire(signal))) return;
    this.#report(true);
    const leading = childScope(signal);
    const renewing = new AbortController();
    let lost: LeadershipLost | undefined;
    const renewal = this.#renew(renewing.signal).then((loss) => {
      if (loss === undefined) return;
      lost = loss;
      leading.abort(loss);
    });
    try {
      await work(leading.signal);
    } finally {
      leading.close();
      renewing.abort();
      await renewal;
      this.#report(false);
      if (lost === undefined) await this.#release();
      this.#renewedAt = undefined;
    }
    if (lost !== undefined) throw lost;
  }

  #report(leading: boolean): void {
    const { name, identity } = this.#options;
    this.#metrics.gauge('leader_election_master_status', { name }, leading ? 1 : 0);
    this.#log.info({ lease: name, identity }, leading ? 'leading' : 'no longer leading');
  }

  async #acquire(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      if (await this.#attempt(signal)) return true;
      // Spread, so that several who wait do not always ask at the same moment.
      const { retryMs, lookMs = retryMs } = this.#timing;
      await pause(this.#clock, lookMs * (1 + 0.2 * this.#options.transport.random()), signal);
    }
    return false;
  }

  /** Resolves with the loss, or with nothing when told to stop. */
  async #renew(signal: AbortSignal): Promise<LeadershipLost | undefined> {
    while (!signal.aborted) {
      // Never past the deadline: the others begin to count where our last renewal was.
      await pause(this.#clock, Math.min(this.#timing.retryMs, this.#timeLeft()), signal);
      if (signal.aborted) return undefined;
      if (!this.isLeading) return new LeadershipLost(`the lease could not be renewed for ${this.#timing.renewDeadlineMs} ms`);
      const deadline = { clock: this.#clock, ms: this.#timeLeft(), why: 'renew deadline' };
      const renewed = await within(deadline, signal, (limited) => this.#attempt(limited));
      if (!renewed && !this.#holds()) return new LeadershipLost(`${this.holder ?? 'nobody'} holds the lease`);
    }
    return undefined;
  }

  #timeLeft(): number {
    const since = this.#clock.monotonic() - (this.#renewedAt ?? Number.NEGATIVE_INFINITY);
    return Math.max(this.#timing.renewDeadlineMs - since, 0);
  }

  /** One try to take or renew; false when somebody else has it or the API did not answer. */
  async #attempt(signal: AbortSignal): Promise<boolean> {
    // The renewal counts from before it was sent: what the others see is never older than what we believe.
    const started = this.#clock.monotonic();
    try {
      // The holder writes first and reads only when that fails: one request per renewal.
      const written = (this.#holds() && (await this.#write(signal))) || ((await this.#look(signal)) && (await this.#write(signal)));
      if (written) this.#renewedAt = started;
      return written;
    } catch (error) {
      if (!signal.aborted) this.#log.warn({ lease: this.#options.name, err: toError(error) }, 'the lease could not be read or written');
      return false;
    }
  }

  #holds(): boolean {
    return this.#seen?.spec?.holderIdentity === this.#options.identity;
  }

  /** Reads the lease; true when it may be taken. */
  async #look(signal: AbortSignal): Promise<boolean> {
    const found = await this.#client.find<LeaseObject>(LEASE, this.#options, signal, this.#urgent());
    if (found === undefined) {
      this.#seen = undefined;
      return true;
    }
    this.#observe(found);
    const { holderIdentity, leaseDurationSeconds = 0 } = found.spec ?? {};
    if (!holderIdentity || holderIdentity === this.#options.identity) return true;
    // The holder's own duration: it may run with other numbers than we do.
    const duration = Math.max(leaseDurationSeconds * 1000, this.#timing.durationMs);
    return this.#clock.monotonic() - this.#seenAt > duration;
  }

  async #write(signal: AbortSignal): Promise<boolean> {
    const { namespace, name, identity } = this.#options;
    const before = this.#seen?.spec ?? {};
    const now = microTime(this.#clock.now());
    const taken = before.holderIdentity !== identity;
    const spec: LeaseSpec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.round(this.#timing.durationMs / 1000),
      acquireTime: taken ? now : (before.acquireTime ?? now),
      renewTime: now,
      leaseTransitions: (before.leaseTransitions ?? 0) + (taken && this.#seen !== undefined ? 1 : 0),
    };
    return this.#put(
      { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...this.#seen, metadata: this.#seen?.metadata ?? { name, namespace }, spec },
      signal,
    );
  }

  /** Writes against the version that was seen; false when somebody changed or deleted it since. */
  async #put(lease: LeaseObject, signal: AbortSignal): Promise<boolean> {
    const write = lease.metadata.resourceVersion === undefined ? 'create' : 'replace';
    try {
      this.#observe(await this.#client[write]<LeaseObject>(LEASE, lease, signal, this.#urgent()));
      return true;
    } catch (error) {
      const overtaken = isConflict(error) || isAlreadyExists(error) || (write === 'replace' && isNotFound(error));
      if (overtaken) return false;
      throw error;
    }
  }

  #observe(lease: LeaseObject): void {
    if (lease.metadata.resourceVersion !== this.#seen?.metadata.resourceVersion) this.#seenAt = this.#clock.monotonic();
    this.#seen = lease;
  }

  /** Hands the lease back, so that the next one need not wait for it to run out. */
  async #release(): Promise<void> {
    const seen = this.#seen;
    if (seen === undefined || !this.#holds()) return;
    const limit = new AbortController();
    const cancel = this.#clock.after(this.#timing.retryMs, () => limit.abort(new Error('gave up')));
    const now = microTime(this.#clock.now());
    const { leaseTransitions = 0 } = seen.spec ?? {};
    // A duration of 0 is invalid; 1 s is what client-go writes.
    const spec = { holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now, leaseTransitions };
    await this.#put({ ...seen, spec }, limit.signal)
      .catch((error: unknown) => this.#log.warn({ lease: this.#options.name, err: toError(error) }, 'the lease could not be handed back'))
      .finally(cancel);
  }

  #urgent() {
    return { urgent: true, maxRetries: 0, timeoutMs: Math.min(this.#timing.retryMs, 10_000) };
  }
}
