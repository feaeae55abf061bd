/** Puts the parts together: what is watched, who reconciles, what is served. No flags, no environment, no process in here. */

import { TENANT } from '../gateway/labels.ts';
import { Client, METADATA_ONLY } from '../kube/client.ts';
import type { Clock, Random } from '../kube/clock.ts';
import { Controller, type Reconcile } from '../kube/controller.ts';
import { Discovery } from '../kube/discovery.ts';
import { LeadershipLost } from '../kube/errors.ts';
import { EventRecorder, type EventToTell } from '../kube/events.ts';
import { Lease, type LeaseTiming } from '../kube/lease.ts';
import { type Health, Manager, type Runnable } from '../kube/manager.ts';
import { type Key, refOf, refText, type WireObject } from '../kube/object.ts';
import { type Logger, silentLogger } from '../kube/telemetry.ts';
import type { Transport } from '../kube/transport.ts';
import type { TenantRenderOptions } from '../tenant/render.ts';
import { accounted } from './account.ts';
import { feedNodePoolGate, nodePoolGateReconciler } from './controllers/node-pool-gate.ts';
import { feedShorthand, shorthandReconciler } from './controllers/shorthand.ts';
import { tenantNetworkReconciler } from './controllers/tenant-network/controller.ts';
import { probeWordsFrom } from './controllers/tenant-network/explain.ts';
import { routerReader } from './guest/router-reader.ts';
import { GuestRouters } from './guest/routers.ts';
import { housekeeping } from './housekeeping.ts';
import { LateInformers } from './late-informers.ts';
import type { Meters } from './metrics.ts';
import { detectPlatform, type Platform } from './platform.ts';
import { NAMESPACE, TENANT_RESOURCES } from './resources.ts';
import { type AskGuard, GuardReports } from './segment/guard-reports.ts';
import { type AskProber, type ProbeSegment, SegmentProbes } from './segment/segment-probes.ts';
import { type Answer, isAlive, isReady, type Serving, Watchdog } from './serving/health.ts';
import { strangersOf } from './strangers.ts';
import { feedTenants } from './world/feeds.ts';
import { guestsOf } from './world/guests.ts';
import { World } from './world/world.ts';
import { rehearsal, type Writer, writer } from './writer.ts';

export interface OperatorOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  /** This process and no other. */
  readonly instance: string;
  /** Undefined: look. */
  readonly platform: Platform | undefined;
  readonly edge: Omit<TenantRenderOptions, 'platform'>;
  /** Undefined: no election, this one works. */
  readonly lease: { readonly namespace: string; readonly name: string; readonly timing: LeaseTiming } | undefined;
  readonly dryRun: boolean;
  readonly workers: number;
  /** How a prober is asked what it sees. */
  readonly askProber?: AskProber;
  readonly askProberToLook?: AskProber;
  /** How an edge is asked what its guard noticed. */
  readonly askGuard?: AskGuard;
  /** In place of the probers; for tests. */
  readonly probeSegment?: ProbeSegment;
  /** Given where V8 can be told to. */
  readonly collectGarbage?: (() => void) | undefined;
  readonly meters: Meters;
  readonly log: Logger & { child(fields: object): Logger };
}

export interface Operator {
  readonly world: World;
  health(): Health;
  alive(): Answer;
  ready(webhooks: Serving): Answer;
  /** Runs until the signal and until the work at hand is finished. `beside` runs for as long. */
  run(beside: readonly Runnable[], signal: AbortSignal): Promise<void>;
}

/**
 * The first time after about as long as a watch takes to bring the newer object that most failures are about; later and later, but within the
 * minute, however long the API server was away.
 */
const RETRY_DELAY_MS = { least: 50, most: 60_000 };

export async function createOperator(options: OperatorOptions, signal: AbortSignal): Promise<Operator> {
  const { transport, log, meters, dryRun } = options;
  const discovery = new Discovery(transport, TENANT_RESOURCES);
  const platform = options.platform ?? (await detectPlatform(discovery, signal));
  log.info({ platform, dryRun }, 'the hub is known');
  const world = new World({ transport, log, metrics: meters });
  const late = new LateInformers();
  world.adoptWith((informer) => late.adopt(informer));
  const lease =
    options.lease && !dryRun ? new Lease({ transport, ...options.lease, identity: options.instance, log, metrics: meters }) : undefined;
  const leading = transport.guarded(() => {
    if (lease?.isLeading === false) throw new LeadershipLost('nothing was written: somebody else may lead by now');
  });
  const recorder = new EventRecorder({ transport: leading, controller: 'hcpio.io/operator', instance: options.instance, log });
  const parts: Parts = {
    world,
    writer: dryRun ? rehearsal(log) : writer(leading, discovery),
    tell: dryRun
      ? (event) => log.info({ event: event.reason, about: refText(refOf(event.regarding)) }, event.note)
      : (event) => recorder.record(event),
    watchdog: new Watchdog(options.clock),
    routers: new GuestRouters({
      ...options,
      read: routerReader(transport),
      guests: () => guestsOf(world),
      known: (stop) => world.synced(stop),
    }),
  };
  const { controllers, inquirers } = controllersOf(options, platform, parts);
  const { watchdog } = parts;
  const idle = {
    clock: options.clock,
    finished: () => watchdog.finished,
    running: () => watchdog.running,
    collect: options.collectGarbage,
  };
  const always: Runnable[] = [late, parts.routers, housekeeping(idle)];
  const manager = new Manager({
    informers: world.informers,
    controllers,
    always,
    leading: [recorder, ...inquirers],
    log,
    ...(lease ? { lease } : {}),
  });
  meters.beforeScrape(() => manager.sample());
  return {
    world,
    health: () => manager.health(),
    alive: () => isAlive(watchdog),
    ready: (webhooks) => isReady(manager.health(), webhooks),
    run(beside, stop) {
      always.push(...beside);
      return manager.run(stop);
    },
  };
}

interface Parts {
  readonly world: World;
  readonly writer: Writer;
  readonly tell: (event: EventToTell) => void;
  readonly watchdog: Watchdog;
  readonly routers: GuestRouters;
}

/** The controllers, and who asks around on their behalf. */
interface Work {
  readonly controllers: readonly Controller[];
  readonly inquirers: readonly Runnable[];
}

function controllersOf(options: OperatorOptions, platform: Platform, parts: Parts): Work {
  const { transport, clock, random, log, meters, workers, edge, askProber, askProberToLook } = options;
  const { world, watchdog } = parts;
  // A rehearsal tells each write that it would have done.
  const logOf = (keyIs: string) => (key: Key, reconcileId: string) =>
    options.dryRun ? silentLogger : log.child({ [keyIs]: key, reconcileId });
  const make = (name: string, keyIs: string, reconciler: (ends: typeof context) => Reconcile, count: number) =>
    new Controller({
      name,
      keyIs,
      reconcile: watchdog.guard(name, accounted(context, logOf(keyIs), reconciler)),
      clock,
      random,
      workers: count,
      retryDelayMs: RETRY_DELAY_MS,
      log,
      metrics: meters,
    });
  const segments = new SegmentProbes({ ask: askProber ?? nobody, clock, random, onNews: (tenant) => tenants.queue.add(tenant) });
  const guards = new GuardReports({ ask: options.askGuard ?? nobody, clock, random, onNews: (tenant) => tenants.queue.add(tenant) });
  const context = {
    ...parts,
    clock,
    render: { ...edge, platform },
    probeSegment: options.probeSegment ?? segments.probe,
    guards: guards.of,
    forgetSegment: (tenant: Key) => {
      segments.forget(tenant);
      guards.forget(tenant);
    },
    probeWords: probeWordsFrom(transport),
    lookNow: askProberToLook ?? nobody,
    guestRouter: (tenant: Key) => parts.routers.of(tenant),
    namespaceOwner: namespaceOwner(transport),
    findStrangers: strangersOf(transport),
    metrics: meters,
  };
  const tenants: Controller = make('tenantnetwork', 'tenant', tenantNetworkReconciler, workers);
  const shorthand = make('shorthand', 'hostedCluster', shorthandReconciler, 1);
  const gate = make('nodepool-gate', 'nodePool', nodePoolGateReconciler, 1);
  feedTenants(tenants, world);
  parts.routers.onChange((tenant) => tenants.queue.add(tenant));
  feedShorthand(shorthand, world);
  feedNodePoolGate(gate, world);
  return { controllers: [tenants, shorthand, gate], inquirers: [segments, guards] };
}

const nobody: AskProber = () => Promise.reject(new Error('there is no way to the probers'));

function namespaceOwner(transport: Transport) {
  const client = new Client(transport);
  return async (name: string, signal: AbortSignal): Promise<string | undefined> => {
    const found = await client.find<WireObject>(NAMESPACE, { name }, signal, { accept: METADATA_ONLY });
    return found && (found.metadata.labels?.[TENANT] ?? '');
  };
}
