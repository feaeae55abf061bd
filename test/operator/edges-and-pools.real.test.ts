import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TenantNetworkStatus } from '../../src/api/tenant-network-status.ts';
import { systemClock } from '../../src/kube/clock.ts';
import { EVENT } from '../../src/kube/events.ts';
import type { WireObject } from '../../src/kube/object.ts';
import * as r from '../../src/operator/resources.ts';
import { notProbed, type SegmentProof } from '../../src/operator/segment/proof.ts';
import { expectAsPlanned } from './as-planned.ts';
import { eventually, type Hub, startHub } from './hub.ts';
import { type RunningOperator, startOperator } from './in-process.ts';
import { runPod, turnPod } from './kubelet.ts';
import { pauseOf } from './pause.ts';
import { hostedCluster, namespace, nodePool, type PlayedTenant, playMachine, playTenant, tenant, tenantNetwork } from './player.ts';

/** What the operator makes of pods and of NodePools, with a prober that says what the test wants. */
let hub: Hub;
let operator: RunningOperator;
const proofs = new Map<string, SegmentProof>();
/** What the prober answers when it is asked to look now; undefined when it does not. */
let look: (() => object) | undefined;
let lists: string[] = [];
let later = 0;
let number = 0;
let played: PlayedTenant;

beforeAll(async () => {
  hub = await startHub();
  operator = await start();
});
const start = () =>
  startOperator(hub, {
    edge: { image: 'edge:1' },
    probeSegment: async (key, { list }) => {
      lists.push(list);
      return proofs.get(key) ?? notProbed('NotProbed', 'nobody has looked');
    },
    askProberToLook: async () => {
      if (look === undefined) throw new Error('the prober does not answer');
      return JSON.stringify(look());
    },
    clock: { ...systemClock, now: () => systemClock.now() + later },
  });
afterAll(async () => {
  await operator?.stop();
  await hub?.stop();
});
beforeEach(() => {
  look = undefined;
  lists = [];
  number += 1;
  played = tenant(number);
});

const status = async () =>
  (((await hub.client.get(r.TENANT_NETWORK, played, hub.signal)) as WireObject)['status'] ?? {}) as TenantNetworkStatus;
const said = async (type: string) => {
  const found = (await status()).conditions?.find((one) => one.type === type);
  return found && `${found.status} ${found.reason}`;
};
const message = async (type: string) => (await status()).conditions?.find((one) => one.type === type)?.message ?? '';
const until = (type: string, text: string) => eventually(`${type} ${text}`, async () => (await said(type)) === text);
const edge = () => `${played.controlPlane}-edge`;
const podOf = (name: string) => hub.client.find<WireObject>(r.POD, { namespace: edge(), name: `${name}-0` }, hub.signal);
const address = (last: number) => played.cidr.replace('.0/24', `.${last}`);
const seen = (proof: SegmentProof): void => void proofs.set(`${played.namespace}/${played.name}`, proof);
/** Whatever changes makes the operator look again; here a machine. */
const stir = () => playMachine(hub, played, 200 + Math.floor(Math.random() * 50));

/** A look at the newest list that found nothing wrong. */
const wellSeen = () => ({
  tenant: `${played.namespace}/${played.name}`,
  list: lists.at(-1) ?? '',
  results: [{ group: 'DNS', subject: `edge-b ${address(4)} udp`, verdict: 'passed', message: '', milliseconds: 1 }],
  answered: [],
  rogueServers: [],
  serials: [{ edge: 'edge-b', zone: 'example.com', serial: 1 }],
  ageMilliseconds: 0,
});

async function pair(): Promise<void> {
  await runPod(hub, edge(), 'prober', [address(5)]);
  await runPod(hub, edge(), 'edge-a', [address(2)]);
  await runPod(hub, edge(), 'edge-b', [address(4)]);
  await until('EdgeReady', 'True EdgesReady');
}

async function applied(spec: object = {}): Promise<void> {
  await playTenant(hub, played);
  await hub.apply(tenantNetwork(played, spec));
  await until('Applied', 'True Applied');
}

test('an edge is ready when its pods are, on the segment and with the planned addresses', async () => {
  await applied();
  await until('EdgeReady', 'False PodsMissing');
  await runPod(hub, edge(), 'edge-a', [address(2)]);
  await runPod(hub, edge(), 'edge-b', [address(9)]);
  await until('EdgeReady', 'False NotOnSegment');
  await hub.client.delete(r.POD, { namespace: edge(), name: 'edge-b-0' }, hub.signal);
  await until('EdgeReady', 'False PodsMissing');
  await runPod(hub, edge(), 'edge-b', [address(4)]);
  await until('EdgeReady', 'True EdgesReady');
  expect((await status()).edges).toEqual([
    { name: 'edge-a', addresses: [address(2)], node: 'node-of-edge-a', ready: true },
    { name: 'edge-b', addresses: [address(4)], node: 'node-of-edge-b', ready: true },
  ]);
});

test('a changed configuration is made known to the pods, by an annotation that makes kubelet look', async () => {
  await applied();
  await runPod(hub, edge(), 'edge-a', [address(2)]);
  const configuration = async () => (await podOf('edge-a'))?.metadata.annotations?.['hcpio.io/configuration'];
  const before = await eventually('the first word', configuration);
  await hub.apply(tenantNetwork(played, { gateway: { dns: { records: [{ name: 'a.example.com', type: 'A', value: '192.0.2.1' }] } } }));
  await eventually('another word', async () => {
    const now = await configuration();
    return now !== undefined && now !== before;
  });
  await expectAsPlanned(hub, { image: 'edge:1' });
});

describe('a change of the spec', () => {
  const filesOf = async (name: string) =>
    (await hub.list(r.CONFIG_MAP, edge()))
      .filter(({ metadata }) => metadata.name.startsWith(`${name}-`))
      .map((map) => JSON.stringify(map['data']));
  const told = async (name: string) => (await podOf(name))?.metadata.annotations?.['hcpio.io/settings'];
  const records = (value: string) =>
    tenantNetwork(played, { gateway: { dns: { records: [{ name: 'a.example.com', type: 'A', value }] } } });
  const gotIt = async (name: string, value: string) => (await filesOf(name)).join().includes(value);
  const both = async () => ({ a: await filesOf('edge-a'), list: await filesOf('prober') });

  test('stops at the standby while that is not well with it, and follows when it is', async () => {
    await applied();
    await pair();
    await eventually('both to be told', async () => (await told('edge-a')) && (await told('edge-b')));
    const before = await both();
    look = wellSeen;
    await hub.apply(records('192.0.2.7'));
    await eventually('edge-b to have it', () => gotIt('edge-b', '192.0.2.7'));
    await until('Applied', 'Unknown StandbyFirst');
    expect(await said('EdgeReady')).toBe('True EdgesReady');
    await turnPod(hub, { namespace: edge(), name: 'edge-b-0' }, false);
    later += 60_000;
    await stir();
    await until('EdgeReady', 'False UpdateHeld');
    expect(await both()).toEqual(before);
    // Another operator knows no more than this one did, and holds it as well.
    await operator.stop();
    operator = await start();
    await playMachine(hub, played, 17);
    await eventually('the machine at edge-b', async () => (await filesOf('edge-b')).join().includes('7d9f4-17'));
    expect(await both()).toEqual(before);
    await turnPod(hub, { namespace: edge(), name: 'edge-b-0' }, true);
    await until('Applied', 'True Applied');
    expect([await gotIt('edge-a', '192.0.2.7'), await said('EdgeReady')]).toEqual([true, 'True EdgesReady']);
    await expectAsPlanned(hub, { image: 'edge:1' });
  });

  test('waits for somebody who looks from the segment', async () => {
    await applied();
    await pair();
    await eventually('both to be told', async () => (await told('edge-a')) && (await told('edge-b')));
    const before = await both();
    await hub.apply(records('192.0.2.8'));
    await eventually('edge-b to have it', () => gotIt('edge-b', '192.0.2.8'));
    later += 60_000;
    await stir();
    await until('EdgeReady', 'False UpdateHeld');
    expect(await both()).toEqual(before);
    look = wellSeen;
    await stir();
    await until('Applied', 'True Applied');
    expect(await gotIt('edge-a', '192.0.2.8')).toBe(true);
  });

  test('does not keep a machine that comes waiting: that reaches both at once', async () => {
    await applied();
    await pair();
    await eventually('both to be told', async () => (await told('edge-a')) && (await told('edge-b')));
    await playMachine(hub, played, 17);
    await eventually('both to know it', async () =>
      (await Promise.all(['edge-a', 'edge-b'].map(async (name) => (await filesOf(name)).join().includes('7d9f4-17')))).every(
        (known) => known,
      ),
    );
    expect(await said('Applied')).toBe('True Applied');
  });
});

test('a changed template rolls the pods, the standby first and one at a time', async () => {
  await applied();
  await pair();
  const first = { a: (await podOf('edge-a'))?.metadata.uid, b: (await podOf('edge-b'))?.metadata.uid };
  // The HostedCluster's tolerations are those of the edge.
  const { spec, ...rest } = hostedCluster(played);
  await hub.apply({ ...rest, spec: { ...(spec as object), tolerations: [{ key: 'x', operator: 'Exists' }] } });
  await eventually('edge-b to go', async () => (await podOf('edge-b')) === undefined);
  expect((await podOf('edge-a'))?.metadata.uid).toBe(first.a);
  await runPod(hub, edge(), 'edge-b', [address(4)]);
  // It is ready, and yet it does not serve: the VIP does not move, and the one that serves stays.
  const [result] = wellSeen().results;
  look = () => ({ ...wellSeen(), holder: 'edge-a', results: [{ ...result, verdict: 'failed', message: 'no answer' }] });
  seen({ outcome: 'failed', reason: 'ProbeFailed', message: 'no answer', holder: 'edge-a', answered: [], rogueServers: [], serials: [] });
  await stir();
  await until('EdgeReady', 'False UpdateHeld');
  expect((await podOf('edge-a'))?.metadata.annotations?.['hcpio.io/yield']).toBeUndefined();
  // Nobody sees it from the segment.
  look = undefined;
  seen(notProbed('ProberSilent', 'the prober does not answer'));
  await stir();
  await eventually('that to be told', async () => /nobody looks/.test(await message('EdgeReady')));
  expect((await podOf('edge-a'))?.metadata.uid).toBe(first.a);
  look = wellSeen;
  await eventually('edge-a to go', async () => (await podOf('edge-a')) === undefined);
  await runPod(hub, edge(), 'edge-a', [address(2)]);
  seen(notProbed('NotProbed', 'nobody has looked'));
  await until('EdgeReady', 'True EdgesReady');
  const second = { a: (await podOf('edge-a'))?.metadata.uid, b: (await podOf('edge-b'))?.metadata.uid };
  expect([second.a === first.a, second.b === first.b]).toEqual([false, false]);
});

test('a new NodePool is held until the segment is proven, then released; and only then is the tenant ready', async () => {
  await applied();
  await eventually('the pause', async () => (await pauseOf(hub, played)).held);
  expect(await pauseOf(hub, played)).toEqual({ pausedUntil: 'true', held: 'true', released: undefined });
  await until('NodePoolsReleased', 'False Gated');
  await runPod(hub, edge(), 'edge-a', [address(2)]);
  await runPod(hub, edge(), 'edge-b', [address(4)]);
  await until('EdgeReady', 'True EdgesReady');
  expect(await said('Ready')).toBe('False Gated');
  seen({
    outcome: 'proven',
    reason: 'Proven',
    message: 'DHCP offers addresses',
    rogueServers: [],
    serials: [],
    holder: 'edge-a',
    answered: ['APIServer', 'Ignition', 'Konnectivity', 'OAuthServer'],
  });
  await stir();
  await eventually('the release', async () => (await pauseOf(hub, played)).released);
  expect(await pauseOf(hub, played)).toEqual({ pausedUntil: undefined, held: undefined, released: 'true' });
  await until('Ready', 'True Ready');
  expect((await status()).endpoints?.every(({ ready }) => ready)).toBe(true);
  expect((await status()).edges?.map(({ holdsVip }) => holdsVip)).toEqual([true, false]);
  await eventually('events', async () => {
    const reasons = (await hub.list(EVENT, played.namespace)).map(
      (event) => `${(event['regarding'] as { kind: string }).kind} ${String(event['reason'])}`,
    );
    return ['NodePool Held', 'NodePool Released', 'TenantNetwork Ready'].every((one) => reasons.includes(one));
  });
});

test("a person's pause is never touched, and one that a person lifts stays lifted", async () => {
  await hub.apply(namespace(played.namespace));
  const theirs = nodePool(played, `${played.name}-theirs`);
  await hub.apply({ ...theirs, spec: { ...(theirs['spec'] as object), pausedUntil: '2030-01-01T00:00:00Z' } });
  await applied();
  await eventually('ours to be held', async () => (await pauseOf(hub, played)).held);
  await hub.client.patch(r.NODE_POOL, played, { type: 'merge', body: { spec: { pausedUntil: null } } }, hub.signal);
  await eventually('it to be left alone', async () => (await pauseOf(hub, played)).released);
  expect(await pauseOf(hub, played)).toEqual({ pausedUntil: undefined, held: undefined, released: 'true' });
  expect(await pauseOf(hub, played, `${played.name}-theirs`)).toEqual({
    pausedUntil: '2030-01-01T00:00:00Z',
    held: undefined,
    released: undefined,
  });
});

test('nodePools: Ignore releases what was held, and so does the end of the TenantNetwork', async () => {
  await applied();
  await eventually('the pause', async () => (await pauseOf(hub, played)).held);
  await hub.apply(tenantNetwork(played, { nodePools: 'Ignore' }));
  await eventually('the release', async () => (await pauseOf(hub, played)).released);
  await until('NodePoolsReleased', 'True NotGated');
  await hub.apply(tenantNetwork(played, { nodePools: 'Gate' }));
  await hub.apply(nodePool(played, `${played.name}-b`));
  await eventually('the other to be held', async () => (await pauseOf(hub, played, `${played.name}-b`)).held);
  await hub.client.delete(r.TENANT_NETWORK, played, hub.signal);
  await eventually('the other to be released', async () => (await pauseOf(hub, played, `${played.name}-b`)).released);
  expect((await pauseOf(hub, played, `${played.name}-b`)).pausedUntil).toBeUndefined();
});

test('a NodePool with machines is not held: it runs', async () => {
  await playTenant(hub, played);
  await playMachine(hub, played, 1);
  // The machine is known before the tenant network is.
  await eventually(
    'the machine',
    async () => operator.operator.world.sources.machines.byIndex('namespace', played.controlPlane).length === 1,
  );
  await hub.apply(tenantNetwork(played));
  await until('Applied', 'True Applied');
  await until('NodePoolsReleased', 'True Released');
  expect(await pauseOf(hub, played)).toEqual({ pausedUntil: undefined, held: undefined, released: undefined });
});
