import { expect, test } from 'vitest';
import type { WireObject } from '../kube/object.ts';
import { silentLogger } from '../kube/telemetry.ts';
import { RecordedLog } from '../kube/testing/telemetry-recorder.ts';
import { accounted } from './account.ts';
import { recorded } from './controllers/testing/recorded.ts';
import type { OperatorMetrics } from './metrics.ts';
import { NODE_POOL, POD, TENANT_NETWORK } from './resources.ts';
import type { Writer } from './writer.ts';

const signal = new AbortController().signal;
const blue = { apiVersion: 'hcpio.io/v1alpha1', kind: 'TenantNetwork', metadata: { name: 'blue', namespace: 'clusters' } };

/** What is logged of a reconciliation that does this. */
async function logged(work: (writer: Writer, metrics: OperatorMetrics) => Promise<void>) {
  const log = new RecordedLog();
  const forwarded: string[] = [];
  const metrics = { applied: (outcome: string, kind: string) => void forwarded.push(`${outcome} ${kind}`), tenant() {}, gone() {} };
  const { writer } = recorded({ applyStatus: async (object) => object as WireObject });
  const logFor = (tenant: string, reconcileId: string) => ({
    ...silentLogger,
    info: (deeds: object, message: string) => log.info({ tenant, reconcileId, ...deeds }, message),
  });
  const reconcile = accounted({ writer, metrics }, logFor, (ends) => async () => {
    await work(ends.writer, ends.metrics);
    return undefined;
  });
  const failed = await reconcile('clusters/blue', { signal, reconcileId: 'r1', failures: 0 }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { lines: log.lines, forwarded, failed };
}

test('everything that is written is in one line, with the tenant and the id of the reconciliation', async () => {
  const { lines, forwarded } = await logged(async (writer, metrics) => {
    for (const outcome of ['created', 'created', 'changed', 'repaired', 'refused', 'unchanged'] as const)
      metrics.applied(outcome, 'Service');
    const entry = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'x', uid: 'u', resourceVersion: '1', terminating: false } };
    await writer.prune([{ ...entry, owner: '', intent: '', owned: '{}' }], [], signal);
    await writer.patch(POD, { name: 'edge-a-0' }, { type: 'merge', body: {} }, signal);
    await writer.remove(POD, { name: 'edge-b-0' }, {}, signal);
    await writer.patch(TENANT_NETWORK, { name: 'blue' }, { type: 'merge', body: {} }, signal);
    await writer.patch(NODE_POOL, { name: 'blue' }, { type: 'merge', body: {} }, signal);
    await writer.applyStatus(blue, {}, signal);
    await writer.dropFinalizer(TENANT_NETWORK, blue, 'f', signal);
  });
  const deeds = { created: 2, changed: 1, repaired: 1, refused: 1, removed: 1, told: 1, rolled: 1, claimed: 1, patched: 1 };
  expect(lines).toEqual([
    {
      level: 'info',
      message: 'reconciled, and wrote',
      fields: { tenant: 'clusters/blue', reconcileId: 'r1', ...deeds, reported: 1, released: 1 },
    },
  ]);
  expect(forwarded.length).toBe(6);
});

test('one that writes nothing is silent, also when something is refused again', async () => {
  expect((await logged(async () => {})).lines).toEqual([]);
  expect((await logged(async (_, metrics) => metrics.applied('refused', 'Service'))).lines).toEqual([]);
  expect((await logged(async (writer) => void (await writer.prune([], [], signal)))).lines).toEqual([]);
});

test('one that fails tells what it had written until then', async () => {
  const { lines, failed } = await logged(async (writer) => {
    await writer.create(TENANT_NETWORK, blue, signal);
    throw new Error('the API server is away');
  });
  expect(lines.map(({ fields }) => fields)).toEqual([{ tenant: 'clusters/blue', reconcileId: 'r1', created: 1 }]);
  expect(failed).toBe('the API server is away');
});
