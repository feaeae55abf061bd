/** A tenant that is Ready is left alone: whatever beats, asks and reconnects around it, and whoever starts anew, nothing is written. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TenantNetworkStatus } from '../../src/api/tenant-network-status.ts';
import { systemClock } from '../../src/kube/clock.ts';
import type { Resource, WireObject } from '../../src/kube/object.ts';
import * as r from '../../src/operator/resources.ts';
import { AuditLog } from './audit.ts';
import { FaultyProxy } from './faulty-proxy.ts';
import { eventually, type Hub, startHub } from './hub.ts';
import { hurried } from './hurried.ts';
import { type OperatorChange, type RunningOperator, startOperator } from './in-process.ts';
import { runPod } from './kubelet.ts';
import { playMachine, playTenant, tenant, tenantNetwork } from './player.ts';
import { goodReport } from './prober.ts';

const audit = new AuditLog();
const played = tenant(1);
const edge = `${played.controlPlane}-edge`;
const address = (last: number) => played.cidr.replace('.0/24', `.${last}`);
let hub: Hub;
let proxy: FaultyProxy;
let operator: RunningOperator;
/** What the prober answers, and how often it was asked. */
let answer: (signal: AbortSignal) => Promise<string> = async () => '';
let asked = 0;

beforeAll(async () => {
  hub = await startHub({ audit });
  proxy = await FaultyProxy.start({ server: hub.controlPlane, random: Math.random });
  await playNode();
  await playTenant(hub, played);
  await playMachine(hub, played, 1);
  await hub.apply(tenantNetwork(played));
  // The prober of a proven segment is asked every 45 seconds.
  await start({ clock: hurried(20), transportClock: systemClock });
  await eventually('the edge to be applied', async () => (await condition('Applied')) === 'True');
  await runPod(hub, edge, 'edge-a', [address(2)]);
  await runPod(hub, edge, 'edge-b', [address(4)]);
  await runPod(hub, edge, 'prober', [address(5)]);
  const report = await goodReport(hub, played);
  answer = async () => report;
  await ready();
  // Else it would say nothing that none of its writes are seen.
  expect(audit.byOperator().length).toBeGreaterThan(20);
}, 300_000);
afterAll(async () => {
  await operator?.stop();
  await proxy?.close();
  await hub?.stop();
});

async function start(change: OperatorChange = {}): Promise<void> {
  const askProber = (_: string, signal: AbortSignal) => {
    asked += 1;
    return answer(signal);
  };
  operator = await startOperator(hub, { server: proxy.url, edge: { image: 'edge:1', proberImage: 'operator:1' }, askProber, ...change });
}

const status = async () =>
  ((await hub.client.get<WireObject>(r.TENANT_NETWORK, played, hub.signal))['status'] ?? {}) as TenantNetworkStatus;
const condition = async (type: string) => (await status()).conditions?.find((one) => one.type === type)?.status;
const ready = () => eventually('the tenant to be ready', async () => (await condition('Ready')) === 'True');

/** What is written from now on until nothing is, after whatever the test does. */
async function writesDuring(what: () => Promise<unknown>): Promise<readonly string[]> {
  await audit.quiet();
  const mark = audit.mark();
  await what();
  await audit.quiet();
  return audit.byOperator(mark).map(({ verb, resource, namespace, name }) => `${verb} ${resource} ${namespace}/${name}`);
}

/** Stops the operator and starts another one; resolves when that has looked at the tenant and asked its prober so many times. */
async function restart(questions: number): Promise<void> {
  await operator.stop();
  const before = asked;
  await start();
  await eventually('it to have looked', async () =>
    (await operator.meters.text()).includes('controller_runtime_reconcile_total{controller="tenantnetwork",result="success"}'),
  );
  await eventually('the prober to have been asked', async () => asked >= before + questions);
}

const NODE = { name: 'node-of-edge-a' };
async function playNode(): Promise<void> {
  await hub.apply({ apiVersion: 'v1', kind: 'Node', metadata: NODE, spec: {} });
  await hub.apply({ apiVersion: 'v1', kind: 'Node', metadata: NODE, status: { conditions: [beatOf('Ready', 0)] } }, 'status');
}

const at = (beat: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, beat)).toISOString().replace('.000', '');
const beatOf = (type: string, beat: number) => ({
  ...{ type, status: 'True', reason: 'AsExpected', message: 'fine', lastTransitionTime: at(0) },
  lastHeartbeatTime: at(beat),
});
/** For kinds whose conditions have no heartbeat: what changes is what is said. */
const sayingOf = (type: string, beat: number) => ({
  ...{ type, status: 'True', reason: 'AsExpected', lastTransitionTime: at(0) },
  message: `${beat}`,
});

interface Beating {
  readonly resource: Resource;
  readonly key: { readonly namespace?: string; readonly name: string };
  readonly subresource?: string;
  readonly body: (beat: number, conditions: readonly { readonly type: string }[]) => object;
}

/** Others' conditions stay: a heartbeat is of one. */
const conditions = (one: { readonly type: string }, found: readonly { readonly type: string }[]) => ({
  status: { conditions: [...found.filter(({ type }) => type !== one.type), one] },
});
const inControlPlane = (name: string) => ({ namespace: played.controlPlane, name });
const BEATING: readonly Beating[] = [
  { resource: r.NODE, key: NODE, subresource: 'status', body: (beat, found) => conditions(beatOf('Ready', beat), found) },
  ...['edge-a-0', 'edge-b-0', 'prober-0'].map((name) => ({
    resource: r.POD,
    key: { namespace: edge, name },
    subresource: 'status',
    body: (beat: number, found: readonly { readonly type: string }[]) =>
      conditions({ type: 'Ready', status: 'True', lastProbeTime: at(beat) } as { type: string }, found),
  })),
  ...[r.HOSTED_CLUSTER, r.NODE_POOL, r.HOSTED_CONTROL_PLANE].map((resource) => ({
    resource,
    key: resource === r.HOSTED_CONTROL_PLANE ? inControlPlane(played.name) : { namespace: played.namespace, name: played.name },
    subresource: 'status',
    body: (beat: number, found: readonly { readonly type: string }[]) => conditions(sayingOf('Available', beat), found),
  })),
  {
    resource: r.VIRTUAL_MACHINE_INSTANCE,
    key: inControlPlane(`${played.name}-7d9f4-1`),
    body: (beat, found) =>
      conditions({ type: 'Ready', status: 'True', lastProbeTime: at(beat), lastTransitionTime: at(0) } as { type: string }, found),
  },
  {
    resource: r.ENDPOINT_SLICE,
    key: inControlPlane('kube-apiserver-k2x8v'),
    body: (beat) => ({ metadata: { annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': at(beat) } } }),
  },
];

/** Resolves when the operator has seen it. */
async function beat(number: number): Promise<void> {
  for (const { resource, key, subresource, body } of BEATING) {
    const live = await hub.client.get<WireObject & { status?: { conditions?: { type: string }[] } }>(resource, key, hub.signal);
    const patch = { type: 'merge', body: body(number, live.status?.conditions ?? []) } as const;
    const beaten = await hub.client.patch<WireObject>(resource, key, patch, hub.signal, subresource ? { subresource } : {});
    expect(beaten.metadata.resourceVersion).not.toBe(live.metadata.resourceVersion);
    await eventually(
      `the beat of ${resource.kind} ${key.name} to be seen`,
      async () => versionSeen(resource, key) === beaten.metadata.resourceVersion,
    );
  }
}

function versionSeen(resource: Resource, { namespace = '', name }: Beating['key']): string | undefined {
  const { pods, hostedClusters, nodePools, hostedControlPlanes, machines, endpointSlices, hub: own } = operator.operator.world.sources;
  const all = [pods, hostedClusters, nodePools, hostedControlPlanes, machines, ...endpointSlices, own.nodes];
  const tracked = all.find((one) => one.resource === resource) as { get(key: string): Identified | undefined } | undefined;
  return tracked?.get(namespace === '' ? name : `${namespace}/${name}`)?.metadata.resourceVersion;
}
interface Identified {
  readonly metadata: { readonly resourceVersion: string };
}

test('heartbeats of pods, nodes, clusters and machines, and the same answers of the prober again and again, are no reason to write', async () => {
  const written = await writesDuring(async () => {
    const before = asked;
    for (const number of [1, 2]) await beat(number);
    await eventually('further answers', async () => asked >= before + 2);
  });
  expect(written).toEqual([]);
});

test('nor are watches that end, and watches that have to begin anew', async () => {
  const written = await writesDuring(async () => {
    for (const how of ['timeout', 'gone'] as const) {
      const { watches, opened } = proxy;
      expect(watches).toBeGreaterThan(20);
      proxy.endWatches(how);
      await eventually('all of them to be back', async () => proxy.opened >= opened + watches && proxy.watches === watches);
      await eventually('all to be in step', async () => operator.operator.ready('off').ok);
    }
    await beat(3);
  });
  expect(written).toEqual([]);
});

test('nor is a start anew', async () => {
  expect(await writesDuring(() => restart(1))).toEqual([]);
  expect(await condition('Ready')).toBe('True');
});

test('not even when its first question to the prober is not answered in time', async () => {
  const good = answer;
  answer = (signal) => {
    answer = good;
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  expect(await writesDuring(() => restart(2))).toEqual([]);
});

test('and it goes on leading to the router of the hosted cluster that was seen before', async () => {
  const gateway = async () => JSON.stringify(await hub.client.get(r.CONFIG_MAP, { namespace: edge, name: 'edge-a-gateway' }, hub.signal));
  await operator.stop();
  const guestRouter = { httpsPort: 30443, httpPort: 30080, machines: [] };
  await hub.client.patch(r.TENANT_NETWORK, played, { type: 'merge', body: { status: { guestRouter } } }, hub.signal, {
    subresource: 'status',
  });
  await start();
  await eventually('the gateway to lead there', async () => (await gateway()).includes('30443'));
  await ready();
  expect(await writesDuring(() => restart(1))).toEqual([]);
  expect(await gateway()).toContain('30443');
});
