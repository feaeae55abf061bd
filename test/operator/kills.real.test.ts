/**
 * kill -9 of etcd, of the API server and of the operator, while fifty tenants come, change and go. Whatever happened in between: what stands
 * at the end is what the plan says, nothing is left over, and no object was ever written with one content and then with another.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WireObject } from '../../src/kube/object.ts';
import { mapParallel } from '../../src/kube/parallel.ts';
import { HOSTED_CLUSTER, NAMESPACE, NODE_POOL, TENANT_NETWORK } from '../../src/operator/resources.ts';
import { World } from '../../src/operator/world/world.ts';
import { expectAsPlanned, ownObjects } from './as-planned.ts';
import { AuditLog } from './audit.ts';
import { eventually, type Hub, startHub } from './hub.ts';
import { type OperatorProcess, operatorProcess } from './operator-process.ts';
import { type PlayedTenant, playMachine, playTenant, tenant, tenantNetwork } from './player.ts';
import { seeded, seedFor, shuffled } from './seeded.ts';
import { expectSeenAlike } from './witness.ts';
import { expectOneContentEach } from './written-contents.ts';

const TENANTS = 50;
/** Twenty in all, in no order. */
const VICTIMS = { apiserver: 7, etcd: 6, operator: 7 } as const;
type Victim = keyof typeof VICTIMS;

const PATIENCE_MS = 300_000;
const random = seeded(seedFor('kills'));
const victims = [
  ...shuffled(
    Object.entries(VICTIMS).flatMap(([victim, times]) => Array<Victim>(times).fill(victim as Victim)),
    random,
  ),
];
const audit = new AuditLog({ bodies: true });
const tenants = Array.from({ length: TENANTS }, (_, n) => tenant(n));
const never = new AbortController().signal;
let hub: Hub;
let operator: OperatorProcess;
/** The operator's view, held by somebody whom nobody kills. */
let world: World;
const watching = new AbortController();

beforeAll(async () => {
  hub = await startHub({ audit });
  await mapParallel(
    tenants,
    8,
    async (played) => {
      await playTenant(hub, played);
      await playMachine(hub, played, 1);
      await playMachine(hub, played, 2);
    },
    never,
  );
  world = new World({ transport: hub.transport });
  for (const informer of world.informers) void informer.run(watching.signal);
  await world.synced(never);
  operator = await operatorProcess({ kubeconfig: hub.controlPlane.kubeconfigPath });
  operator.daemon.start();
  await operator.ready(never);
}, 300_000);
afterAll(async () => {
  watching.abort();
  await operator?.stop();
  await hub?.stop();
});

/**
 * Does the work in as many parts as there are blows, and strikes when a part has come as far as chance wants. Measured in writes of the
 * operator and not in time, so that every blow falls into the middle of something.
 */
async function killing(
  phase: string,
  kills: number,
  writesPerTenant: number,
  work: (played: PlayedTenant) => Promise<unknown>,
): Promise<void> {
  const begun: Promise<unknown>[] = [];
  for (let blow = 0; blow < kills; blow += 1) {
    const part = tenants.filter((_, index) => index % kills === blow);
    const moment = Math.floor(random() * part.length * writesPerTenant);
    const mark = audit.mark();
    begun.push(mapParallel(part, 8, work, never));
    await eventually(`write ${moment} of ${phase}`, async () => audit.byOperator(mark).length >= moment);
    const victim = victims.pop() ?? 'operator';
    process.stderr.write(`  ${phase}: kill -9 ${victim} after ${audit.byOperator(mark).length} writes for ${part.length} tenants\n`);
    if (victim !== 'operator') await hub.controlPlane.restart(victim);
    else {
      await operator.daemon.kill('SIGKILL');
      operator.daemon.start();
    }
  }
  await Promise.all(begun);
}

const standing = async (): Promise<readonly WireObject[]> => [...(await ownObjects(hub)).values()].flat();
const changed = {
  gateway: { availability: 'Single', dns: { records: [{ name: 'mirror.example.com', type: 'A', value: '192.0.2.7' }] } },
};

test('fifty tenants come', { timeout: 600_000 }, async () => {
  const mark = audit.mark();
  await killing('creation', 8, 24, (played) => hub.apply(tenantNetwork(played)));
  const found = await expectAsPlanned(hub, { patienceMs: PATIENCE_MS });
  expect(found.length).toBe(TENANTS);
  expectOneContentEach(audit.byOperator(mark), await standing());
});

test('and change', { timeout: 600_000 }, async () => {
  const earlier = audit.byOperator();
  const mark = audit.mark();
  await killing('change', 6, 10, (played) => hub.apply(tenantNetwork(played, changed)));
  await expectAsPlanned(hub, { patienceMs: PATIENCE_MS });
  expectOneContentEach(audit.byOperator(mark), await standing(), earlier);
});

test('and a view of them that outlived every kill is what an independent client sees', { timeout: 300_000 }, async () => {
  await expectSeenAlike(hub, world);
});

test('and, when nothing happens, nothing is written, also by an operator that starts anew', async () => {
  await operator.daemon.kill('SIGKILL');
  const mark = audit.mark();
  operator.daemon.start();
  await operator.ready(never);
  await eventually('every tenant to have been looked at', async () => (await reported()) === TENANTS);
  await audit.quiet();
  expect(audit.byOperator(mark)).toEqual([]);
});

test('and go', { timeout: 600_000 }, async () => {
  const mark = audit.mark();
  // Not with a uid, so not repeated by the client: whoever has to be sure asks again.
  await killing('deletion', 6, 5, ({ namespace, name }) =>
    eventually('the deletion', () => hub.client.delete(TENANT_NETWORK, { namespace, name }, never).then(() => true)),
  );
  expect(victims).toEqual([]);
  await eventually('all to be gone', async () => (await hub.list(TENANT_NETWORK)).length === 0, AbortSignal.timeout(PATIENCE_MS));
  expect(await standing()).toEqual([]);
  expect((await hub.list(NAMESPACE)).map(({ metadata }) => metadata.name).filter((name) => name.endsWith('-edge'))).toEqual([]);
  expect((await hub.list(HOSTED_CLUSTER)).filter((cluster) => JSON.stringify(cluster['status']).includes('hcpio.io/'))).toEqual([]);
  expectOneContentEach(audit.byOperator(mark), []);
  expect((await hub.list(NODE_POOL)).filter(({ spec }) => (spec as { pausedUntil?: string }).pausedUntil !== undefined)).toEqual([]);
});

/** Of how many tenants the operator that runs now has said how they fare. */
async function reported(): Promise<number> {
  const text = await (await fetch(operator.metricsUrl)).text();
  return text.match(/^hcpio_tenant_ready\{/gm)?.length ?? 0;
}
