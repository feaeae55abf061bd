/** Tenants come, change and go while the way to the API server is as bad as it can be. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mapParallel } from '../../src/kube/parallel.ts';
import { TENANT_NETWORK } from '../../src/operator/resources.ts';
import { expectAsPlanned, ownObjects } from './as-planned.ts';
import { AuditLog } from './audit.ts';
import { type Fault, FaultyProxy } from './faulty-proxy.ts';
import { eventually, type Hub, startHub } from './hub.ts';
import { hurried } from './hurried.ts';
import { type RunningOperator, startOperator } from './in-process.ts';
import { playMachine, playTenant, tenant, tenantNetwork } from './player.ts';
import { seeded, seedFor } from './seeded.ts';
import { expectSeenAlike } from './witness.ts';
import { expectOneContentEach } from './written-contents.ts';

const TENANTS = 12;
const PATIENCE_MS = 200_000;
const CHANCE = { request: 0.1, watch: 0.5 };
const FAULTS: readonly Fault[] = ['reset', 'answerLost', 'tooManyRequests', 'serverError', 'gone', 'goneLater', 'truncated', 'stalled'];
const tenants = Array.from({ length: TENANTS }, (_, n) => tenant(n));
const audit = new AuditLog({ bodies: true });
const never = new AbortController().signal;
let hub: Hub;
let proxy: FaultyProxy;
let operator: RunningOperator;

beforeAll(async () => {
  hub = await startHub({ audit });
  for (const played of tenants) {
    await playTenant(hub, played);
    await playMachine(hub, played, 1);
  }
  proxy = await FaultyProxy.start({ server: hub.controlPlane, random: seeded(seedFor('faults')) });
  proxy.chance = CHANCE;
  // A watch that fell silent is given up after two and a half minutes.
  operator = await startOperator(hub, { server: proxy.url, clock: hurried(10) });
}, 300_000);
afterAll(async () => {
  await operator?.stop();
  await proxy?.close();
  await hub?.stop();
});

const apply = (spec: object = {}) => mapParallel(tenants, 4, (played) => hub.apply(tenantNetwork(played, spec)), never);
const standing = async () => [...(await ownObjects(hub)).values()].flat();

test('they come as planned, and nothing is written with two contents', { timeout: 400_000 }, async () => {
  const mark = audit.mark();
  await apply();
  expect((await expectAsPlanned(hub, { patienceMs: PATIENCE_MS })).length).toBe(TENANTS);
  expectOneContentEach(audit.byOperator(mark), await standing());
});

test('they change as planned', { timeout: 400_000 }, async () => {
  const earlier = audit.byOperator();
  const mark = audit.mark();
  await apply({ gateway: { availability: 'Single', dns: { records: [{ name: 'mirror.example.com', type: 'A', value: '192.0.2.7' }] } } });
  await expectAsPlanned(hub, { patienceMs: PATIENCE_MS });
  expectOneContentEach(audit.byOperator(mark), await standing(), earlier);
});

test('what the operator holds of them is what an independent client sees', async () => {
  proxy.chance = { request: 0, watch: 0 };
  await expectSeenAlike(hub, operator.operator.world);
  proxy.chance = CHANCE;
});

test('they go without a trace', { timeout: 400_000 }, async () => {
  const mark = audit.mark();
  for (const { namespace, name } of tenants) await hub.client.delete(TENANT_NETWORK, { namespace, name }, never);
  await eventually('all to be gone', async () => (await hub.list(TENANT_NETWORK)).length === 0, AbortSignal.timeout(PATIENCE_MS));
  expect(await standing()).toEqual([]);
  expectOneContentEach(audit.byOperator(mark), []);
});

test('every fault was met', async () => {
  const unmet = () => FAULTS.filter((fault) => !proxy.played.has(fault));
  // What is left to chance may not have come up yet: every watch that begins anew, with all there is, is another chance.
  for (let round = 0; round < 20 && unmet().length > 0; round += 1) {
    const { opened } = proxy;
    proxy.endWatches('gone');
    await eventually('new watches', async () => proxy.opened >= opened + 5);
  }
  process.stderr.write(`  played: ${FAULTS.map((fault) => `${fault} ${proxy.played.get(fault) ?? 0}`).join(', ')}\n`);
  expect(unmet()).toEqual([]);
});
