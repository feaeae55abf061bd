/**
 * The operator under exactly the rights that deploy/default gives it, through everything that it does. The API server's audit log is the
 * witness: nothing was forbidden, and nothing was granted that no run needed.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SHORTHAND_ANNOTATION } from '../../src/api/shorthand.ts';
import { Client } from '../../src/kube/client.ts';
import { systemClock } from '../../src/kube/clock.ts';
import { QUICK_LEASE } from '../../src/kube/lease.ts';
import type { WireObject } from '../../src/kube/object.ts';
import { silentLogger } from '../../src/kube/telemetry.ts';
import { Transport } from '../../src/kube/transport.ts';
import { GUEST_KUBECONFIG } from '../../src/operator/guest/kubeconfig.ts';
import { meters } from '../../src/operator/metrics.ts';
import { createOperator } from '../../src/operator/operator.ts';
import type { PolicyRule } from '../../src/operator/rbac.ts';
import { HOSTED_CLUSTER, NAMESPACE, NODE_POOL, POD, TENANT_NETWORK } from '../../src/operator/resources.ts';
import { configurations } from '../../src/operator/webhook/configurations.ts';
import { SelfMadeCertificate } from '../../src/operator/webhook/self-made/self-made-certificate.ts';
import { AuditLog, OPERATOR_USER, type Request } from '../operator/audit.ts';
import { eventually, type Hub, startHub } from '../operator/hub.ts';
import { hurried } from '../operator/hurried.ts';
import * as play from '../operator/player.ts';
import { asOperator, installedObjects } from './installation.ts';

const one = play.tenant(1);
const two = play.tenant(2);
const shorthand = play.tenant(3);
const audit = new AuditLog({ reads: true });
const stop = new AbortController();
let hub: Hub;
let running: Promise<void>;

beforeAll(async () => {
  // With WatchList a watch brings the list along, and the right to list would never be seen to be used.
  hub = await startHub({ audit, apiserverArgs: ['--feature-gates=WatchList=false'] });
  await hub.apply(play.namespace('hcpio-system'));
  for (const object of installedObjects('default')) if (/Role|ServiceAccount/.test(object.kind)) await hub.apply(object);
  for (const object of configurations(() => ({ url: 'https://127.0.0.1:1/' }))) await hub.apply(object as unknown as WireObject);
  for (const played of [one, two, shorthand]) await play.playTenant(hub, played);
  await startOperator();
});
afterAll(async () => {
  stop.abort();
  await running;
  await hub?.stop();
});

async function startOperator(): Promise<void> {
  const transport = new Transport({ connection: asOperator(hub.controlPlane), userAgent: 'rbac-test' });
  const operator = await createOperator(
    {
      transport,
      // The routers of hosted clusters are asked for every twenty seconds.
      clock: hurried(10),
      random: Math.random,
      instance: 'only',
      platform: undefined,
      edge: {},
      askProber: async () => '',
      lease: { namespace: 'hcpio-system', name: 'hcpio-operator', timing: QUICK_LEASE },
      dryRun: false,
      workers: 2,
      meters: meters(),
      log: { ...silentLogger, child: () => silentLogger },
    },
    stop.signal,
  );
  running = operator.run([], stop.signal).finally(() => transport.close());
  await eventually('the leadership', async () => operator.health().leading);
}

const asked = (): readonly Request[] => audit.requests().filter(({ user }) => user === OPERATOR_USER);

const exists = async (resource: typeof POD, namespace: string | undefined, name: string) =>
  (await hub.client.find(resource, { ...(namespace ? { namespace } : {}), name }, hub.signal)) !== undefined;
const remove = (played: play.PlayedTenant) =>
  hub.client.delete(TENANT_NETWORK, { namespace: played.namespace, name: played.name }, hub.signal);
const change = (played: play.PlayedTenant, spec: object) =>
  hub.client.patch(TENANT_NETWORK, { namespace: played.namespace, name: played.name }, { type: 'merge', body: { spec } }, hub.signal);
const STATEFUL_SET = { ...POD, group: 'apps', plural: 'statefulsets', kind: 'StatefulSet' };
const edgeOf = ({ controlPlane }: play.PlayedTenant): string => `${controlPlane}-edge`;
const until = (verb: string, resource: string, name?: string) =>
  eventually(`${verb} ${resource} ${name ?? ''}`, async () =>
    asked().some((one) => one.verb === verb && one.resource === resource && (name ?? one.name) === one.name && one.code < 500),
  );

/** What was deleted as an orphan waits for the garbage collector, which no lab without controllers has. */
async function playCollector(): Promise<void> {
  for (const { metadata } of await hub.list(STATEFUL_SET)) {
    if (metadata.deletionTimestamp)
      await hub.client.patch(STATEFUL_SET, metadata, { type: 'merge', body: { metadata: { finalizers: null } } }, hub.signal);
  }
}

/** A pod as the StatefulSet's controller would make it, which no lab without one has. */
async function playPod(played: play.PlayedTenant, edge: string, annotations: Readonly<Record<string, string>> = {}): Promise<void> {
  const labels = {
    'app.kubernetes.io/name': edge === 'prober' ? 'hcpio-prober' : 'hcpio-edge',
    'app.kubernetes.io/managed-by': 'hcpio',
    'app.kubernetes.io/instance': edge,
  };
  const tenant = { 'hcpio.io/tenant': `${played.namespace}.${played.name}` };
  await hub.apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `${edge}-0`, namespace: edgeOf(played), labels: { ...labels, ...tenant }, annotations },
    spec: { containers: [{ name: 'edge', image: 'none' }], serviceAccountName: 'edge' },
  } as WireObject);
}

/** One that is as it should be and runs, and yet is not ready: its probe would know why. */
async function playUnreadyPod(played: play.PlayedTenant): Promise<void> {
  const found = await hub.client.get<{ spec: { template: WireObject } }>(
    STATEFUL_SET,
    { namespace: edgeOf(played), name: 'edge-a' },
    hub.signal,
  );
  await playPod(played, 'edge-a', found.spec.template.metadata.annotations);
  const running = { name: 'edge', image: 'none', imageID: '', restartCount: 0, ready: false, started: true, state: { running: {} } };
  const body = { status: { containerStatuses: [running] } };
  await hub.client.patch(POD, { namespace: edgeOf(played), name: 'edge-a-0' }, { type: 'merge', body }, hub.signal, {
    subresource: 'status',
  });
}

test('a tenant comes, is changed, rolls, shrinks and goes; its cluster is annotated; its NodePools are held', async () => {
  await hub.apply(play.tenantNetwork(one, { deletionPolicy: 'Retain' }));
  await hub.apply(play.tenantNetwork(two));
  await hub.apply({
    ...play.hostedCluster(shorthand),
    metadata: { ...play.hostedCluster(shorthand).metadata, annotations: { [SHORTHAND_ANNOTATION]: shorthand.attachment } },
  });
  for (const played of [one, two, shorthand]) await eventually('the edge', () => exists(STATEFUL_SET, edgeOf(played), 'edge-b'));
  for (const edge of ['edge-a', 'edge-b']) {
    await playPod(one, edge);
    await until('patch', 'pods', `${edge}-0`);
    await until('delete', 'pods', `${edge}-0`);
  }
  await playPod(one, 'prober');
  await until('patch', 'pods', 'prober-0');
  await until('get', 'secrets', GUEST_KUBECONFIG);
  await playUnreadyPod(two);
  await until('list', 'events');
  await change(one, { gateway: { availability: 'Single', dhcp: { leaseSeconds: 300 } } });
  await eventually('the second edge to go', async () => !(await exists(STATEFUL_SET, edgeOf(one), 'edge-b')));
  await until('patch', 'nodepools');
  await hub.client.patch(
    HOSTED_CLUSTER,
    { namespace: one.namespace, name: one.name },
    { type: 'merge', body: { metadata: { labels: { a: 'b' } } } },
    hub.signal,
  );
  await remove(one);
  await eventually('the tenant to be gone', async () => {
    await playCollector();
    return !(await exists(TENANT_NETWORK, one.namespace, one.name));
  });
  await remove(two);
  await eventually('the namespace to go', async () => {
    const found = await hub.client.find<WireObject>(NAMESPACE, { name: edgeOf(two) }, hub.signal);
    return found?.metadata.deletionTimestamp !== undefined;
  });
  const pools = await hub.list(NODE_POOL);
  expect(pools.length).toBe(3);
});

test('the certificate of the webhooks is made, renewed and told', async () => {
  const transport = new Transport({ connection: asOperator(hub.controlPlane), userAgent: 'rbac-test' });
  const clock = (offset: number) => ({ ...systemClock, now: () => Date.now() + offset });
  const source = (offset: number) =>
    new SelfMadeCertificate({
      client: new Client(transport),
      namespace: 'hcpio-system',
      names: ['a.example.com'],
      clock: clock(offset),
      log: silentLogger,
    });
  const first = await source(0).current(hub.signal);
  expect((await source(80 * 24 * 3_600_000).current(hub.signal)).cert).not.toBe(first.cert);
  transport.close();
});

test('nothing was forbidden', () => {
  expect(asked().filter(({ code }) => code === 403)).toEqual([]);
});

/** One right, as small as it can be said: one verb, one resource, everywhere or in one namespace, for all objects or for one name. */
interface Right {
  readonly namespace: string;
  readonly verb: string;
  readonly resource: string;
  readonly name: string;
}
const ANY = '*';

const rightsOf = (role: WireObject): readonly Right[] =>
  (role['rules'] as PolicyRule[]).flatMap(({ apiGroups = [], resources = [], resourceNames = [ANY], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          resourceNames.map((name) => ({ namespace: role.metadata.namespace ?? ANY, verb, resource: `${group}/${resource}`, name })),
        ),
      ),
    ),
  );

/** The rights that the request needed. Of several that would do, the narrower one is what it has to do with. */
function needed(rights: readonly Right[], { verb, group, resource, namespace, name, code }: Request): readonly Right[] {
  // Server-side apply creates by patch: the API server asks for both rights, and its log says patch.
  const verbs = verb === 'patch' && code === 201 ? ['patch', 'create'] : [verb];
  return verbs.flatMap((one) => {
    const fitting = rights.filter(
      (right) =>
        right.verb === one &&
        right.resource === `${group}/${resource}` &&
        [ANY, namespace].includes(right.namespace) &&
        [ANY, name].includes(right.name),
    );
    const breadth = (right: Right) => Number(right.namespace === ANY) + Number(right.name === ANY);
    const narrowest = Math.min(...fitting.map(breadth));
    return fitting.filter((right) => breadth(right) === narrowest);
  });
}

test('nothing is granted that was not needed, in the place and under the name that it is granted for', async () => {
  stop.abort();
  await running;
  const rights = installedObjects('default')
    .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
    .flatMap(rightsOf);
  const used = new Set(asked().flatMap((request) => needed(rights, request)));
  const unused = rights.filter((right) => !used.has(right));
  expect(unused.map(({ namespace, verb, resource, name }) => `${verb} ${resource} ${namespace}/${name}`)).toEqual([]);
});
