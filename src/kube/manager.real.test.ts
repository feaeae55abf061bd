import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { applySet } from './apply-set.ts';
import { type Condition, setConditions } from './conditions.ts';
import { Controller } from './controller.ts';
import { EventRecorder } from './events.ts';
import { addFinalizer, removeFinalizer } from './finalizers.ts';
import { Informer, withoutManagedFields } from './informer.ts';
import { type LedgerEntry, ledger } from './inventory.ts';
import { Lease } from './lease.ts';
import { Manager } from './manager.ts';
import { type Resource, splitKey, type WireObject } from './object.ts';
import { writeStatus } from './status.ts';
import type { Stored } from './store.ts';
import { CONFIG_MAP } from './testing/kinds.ts';
import { never, type RealServer, startRealServer } from './testing/real-server.ts';
import { RecordedLog } from './testing/telemetry-recorder.ts';

/** A small program, whole: every Garden has as many ConfigMaps as it wants beds. */
type Garden = WireObject &
  Stored & { readonly spec: { readonly beds: number }; readonly status?: { readonly conditions?: readonly Condition[] } };

const GARDEN: Resource = { group: 'example.com', version: 'v1', plural: 'gardens', kind: 'Garden', namespaced: true };
const OWNER = 'example.com/garden';
const FINALIZER = 'example.com/gardener';
const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gardens.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'gardens', kind: 'Garden' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

let real: RealServer;
beforeAll(async () => {
  real = await startRealServer();
});
afterAll(() => real.stop());

const until = (condition: () => void | Promise<void>) => vi.waitFor(condition, { timeout: 60_000, interval: 50 });

function gardener(identity: string) {
  const { transport, client, discovery, applier, metrics, requests } = real.client();
  const { clock, random } = transport;
  const log = new RecordedLog();
  const backoff = { initialMs: 50, maxMs: 500, factor: 2, jitter: 0.5, resetAfterMs: 10_000 };
  const gardens = new Informer<Garden>({ transport, resource: GARDEN, project: withoutManagedFields, backoff, log });
  const beds = new Informer<LedgerEntry>({
    transport,
    resource: CONFIG_MAP,
    labelSelector: OWNER,
    metadataOnly: true,
    project: ledger(OWNER),
    indexes: { owner: (entry) => [`${entry.metadata.namespace}/${entry.owner}`] },
    backoff,
  });
  const events = new EventRecorder({ transport, controller: 'example.com/gardener', instance: identity, log });
  const controller = new Controller({
    name: 'garden',
    clock,
    random,
    metrics,
    log,
    workers: 2,
    async reconcile(key, { signal }) {
      const garden = gardens.store.get(key);
      if (garden === undefined) return undefined;
      const inventory = beds.store.byIndex('owner', key);
      const wanted = garden.metadata.deletionTimestamp ? 0 : garden.spec.beds;
      if (wanted > 0) await addFinalizer(client, GARDEN, garden, FINALIZER, signal);
      const desired = Array.from({ length: wanted }, (_, bed) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'default', name: `${splitKey(key).name}-${bed}`, labels: { [OWNER]: splitKey(key).name } },
      }));
      const { applied, pruned } = await applySet({ client, discovery, applier, desired, inventory }, signal);
      if (garden.metadata.deletionTimestamp) {
        if (inventory.length === 0) await removeFinalizer(client, GARDEN, garden, FINALIZER, signal);
        return undefined;
      }
      if (applied.some(({ outcome }) => outcome === 'created') || pruned?.deleted.length) {
        events.record({ regarding: garden, type: 'Normal', reason: 'Planted', action: 'Plant', note: `there are ${wanted} beds` });
      }
      const ready = { type: 'Ready', status: 'True' as const, reason: 'Planted', message: `${wanted} beds` };
      const conditions = setConditions(garden.status?.conditions ?? [], [ready], clock.now());
      await writeStatus(applier, garden, { conditions }, signal);
      return undefined;
    },
  });
  controller.watch(gardens.store, (garden) => [`${garden.metadata.namespace}/${garden.metadata.name}`]);
  controller.watch(beds.store, (entry) => [`${entry.metadata.namespace}/${entry.owner}`]);
  const lease = new Lease({
    transport,
    namespace: 'default',
    name: 'gardener',
    identity,
    timing: { durationMs: 6_000, renewDeadlineMs: 4_000, retryMs: 300 },
  });
  const manager = new Manager({ informers: [gardens, beds], controllers: [controller], leading: [events], lease, log });
  const stop = new AbortController();
  const ended = manager.run(stop.signal);
  const writes = () => ['POST', 'PATCH', 'DELETE'].reduce((sum, method) => sum + requests(method, '200') + requests(method, '201'), 0);
  return { manager, stop, ended, writes, metrics, log };
}

test('a whole program: waits for its kind, makes, repairs, reports, rests, hands over, cleans up', async () => {
  const hand = real.client();
  const first = gardener('first');
  await until(() =>
    expect(first.manager.health()).toMatchObject({ leading: true, informers: { 'gardens.example.com': { phase: 'missing' } } }),
  );
  await hand.applier.apply(CRD, never);
  const garden = (beds: number) => ({
    apiVersion: 'example.com/v1',
    kind: 'Garden',
    metadata: { namespace: 'default', name: 'g' },
    spec: { beds },
  });
  await until(async () => expect((await hand.applier.apply(garden(3), never)).outcome).not.toBe('refused'));

  const beds = async () => {
    const { items } = await real.witness.listNamespacedConfigMap({ namespace: 'default', labelSelector: `${OWNER}=g` });
    return items.map(({ metadata }) => metadata?.name);
  };
  const settled = async (message: string, ...names: readonly string[]) => {
    expect(await beds()).toEqual(names);
    const { status, metadata } = await hand.client.get<Garden>(GARDEN, { namespace: 'default', name: 'g' }, never);
    expect([status?.conditions?.map(({ message: told }) => told), metadata.finalizers]).toEqual([[message], [FINALIZER]]);
  };
  await until(() => settled('3 beds', 'g-0', 'g-1', 'g-2'));
  await hand.client.delete(CONFIG_MAP, { namespace: 'default', name: 'g-1' }, never);
  await until(() => settled('3 beds', 'g-0', 'g-1', 'g-2'));
  await hand.applier.apply(garden(1), never);
  await until(() => settled('1 beds', 'g-0'));
  const told = await real.hub.kubectl('get', 'events.events.k8s.io', '--output=jsonpath={.items[*].note}');
  expect(told).toContain('there are 3 beds');

  // At rest: many reconciliations later not a single write more.
  const before = first.writes();
  const reconciled = () => first.metrics.value('controller_runtime_reconcile_total', { controller: 'garden', result: 'success' }) ?? 0;
  for (let round = 0; round < 5; round += 1) {
    const done = reconciled();
    await real.hub.kubectl('label', 'gardens', 'g', '--overwrite', `round=${round}`);
    await until(() => expect(reconciled()).toBeGreaterThan(done));
  }
  await until(() => settled('1 beds', 'g-0'));
  expect(first.writes()).toBe(before);

  const second = gardener('second');
  await until(() => expect(second.manager.health()).toMatchObject({ allSynced: true, leading: false }));
  first.stop.abort();
  await first.ended;
  await until(() => expect(second.manager.health().leading).toBe(true));
  await hand.applier.apply(garden(2), never);
  await until(() => settled('2 beds', 'g-0', 'g-1'));
  await real.hub.kubectl('delete', 'gardens', 'g', '--wait=true');
  await until(async () => expect(await beds()).toEqual([]));
  second.stop.abort();
  await second.ended;
  expect([first.log.messages('error'), second.log.messages('error')]).toEqual([[], []]);
});
