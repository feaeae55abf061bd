import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAUSE_MARKER } from '../../src/api/markers.ts';
import type { TenantNetworkStatus } from '../../src/api/tenant-network-status.ts';
import { EVENT } from '../../src/kube/events.ts';
import type { Resource, WireObject } from '../../src/kube/object.ts';
import * as r from '../../src/operator/resources.ts';
import { expectAsPlanned, ownObjects } from './as-planned.ts';
import { AuditLog } from './audit.ts';
import { eventually, type Hub, startHub } from './hub.ts';
import { hurried } from './hurried.ts';
import { type OperatorChange, type RunningOperator, startOperator } from './in-process.ts';
import { runPod } from './kubelet.ts';
import { hostedCluster, namespace, nodePool, type PlayedTenant, playTenant, tenant, tenantNetwork } from './player.ts';

/** What the operator may not do: it says so once, leaves alone what is not its own, and goes on when it may. */
const audit = new AuditLog();
/** Looks that are taken every minute come every three seconds, and what is forgotten after two minutes is after six. */
const clock = hurried(20);
/** Every line of the log, with the fields that its logger was made with. */
const lines: Readonly<Record<string, unknown>>[] = [];
const logger = (bound: object): OperatorChange['log'] & object => {
  const add = (fields: object, message: string) => void lines.push({ ...bound, ...fields, message });
  return { debug() {}, info: add, warn: add, error: add, child: (fields) => logger({ ...bound, ...fields }) };
};
let hub: Hub;
let operator: RunningOperator;

beforeAll(async () => {
  hub = await startHub({ audit });
  operator = await startOperator(hub, { clock, log: logger({}) });
});
afterAll(async () => {
  await operator?.stop();
  await hub?.stop();
});

const conditionOf = async (played: PlayedTenant, type: string) => {
  const { status } = (await hub.client.get(r.TENANT_NETWORK, played, hub.signal)) as { status?: TenantNetworkStatus };
  return status?.conditions?.find((one) => one.type === type);
};
const until = (played: PlayedTenant, type: string, said: string) =>
  eventually(`${type} ${said}`, async () => {
    const found = await conditionOf(played, type);
    return found !== undefined && `${found.status} ${found.reason}` === said ? found : undefined;
  });
const edgeOf = ({ controlPlane }: PlayedTenant): string => `${controlPlane}-edge`;
const objectsOf = async ({ namespace: ns, name }: PlayedTenant): Promise<readonly WireObject[]> =>
  (await ownObjects(hub)).get(`${ns}.${name}`) ?? [];
const notesAbout = async ({ name }: PlayedTenant, reason: string): Promise<readonly unknown[]> =>
  (await hub.list(EVENT))
    .filter((event) => event['reason'] === reason && (event['regarding'] as { name: string }).name === name)
    .map((event) => event['note']);

/** Takes part in no look: how often the controller has looked and wants to look again. */
async function looks(controller: string): Promise<number> {
  const line = new RegExp(`^controller_runtime_reconcile_total\\{controller="${controller}",result="requeue_after"\\} (\\d+)$`, 'm');
  return Number(line.exec(await operator.meters.text())?.[1] ?? 0);
}
/** Long enough for everything that is forgotten after a while to be forgotten. */
async function looksAgain(controller: string): Promise<void> {
  const before = await looks(controller);
  await eventually('five more looks', async () => (await looks(controller)) >= before + 5);
}
/** What was written and taken since. */
const written = (mark: number): readonly string[] =>
  audit
    .byOperator(mark)
    .filter(({ code }) => code < 300)
    .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
/** What the log says was written for a tenant, one reconciliation after the other. */
const logged = ({ namespace: ns, name }: PlayedTenant) =>
  lines
    .filter((line) => line['tenant'] === `${ns}/${name}` && line['message'] === 'reconciled, and wrote' && line['reconcileId'])
    .map(({ tenant: _tenant, message: _message, reconcileId: _id, ...deeds }) => deeds);
const gone = (played: PlayedTenant): Promise<boolean> =>
  eventually('it to be gone', async () => (await hub.client.find(r.TENANT_NETWORK, played, hub.signal)) === undefined);

test('a namespace that is taken is told once; it is looked at every minute, and nothing is written', async () => {
  const played = tenant(1);
  await playTenant(hub, played);
  await hub.apply(namespace(edgeOf(played)));
  await hub.apply(tenantNetwork(played));
  await until(played, 'Applied', 'False NamespaceTaken');
  await looksAgain('tenantnetwork');
  const [mark, said] = [audit.mark(), logged(played)];
  await looksAgain('tenantnetwork');
  expect(written(mark)).toEqual([]);
  expect(logged(played)).toEqual(said);
  expect(said[0]).toMatchObject({ claimed: 1, reported: expect.any(Number) });
  expect(await notesAbout(played, 'NamespaceTaken')).toEqual([`namespace ${edgeOf(played)} exists and is not ours; it is left alone`]);
  expect(await objectsOf(played)).toEqual([]);
  await hub.client.delete(r.TENANT_NETWORK, played, hub.signal);
  await gone(played);
});

test('an annotation that leads to nothing is told once, and stands on the HostedCluster for as long as it is there', async () => {
  const played = tenant(2);
  await hub.apply(namespace(played.namespace));
  const cluster = hostedCluster(played);
  const mirrorOf = async () => {
    const { status } = (await hub.client.get(r.HOSTED_CLUSTER, played, hub.signal)) as {
      status?: { conditions?: { type: string; reason: string; message: string }[] };
    };
    return status?.conditions?.find(({ type }) => type === 'hcpio.io/TenantNetworkReady');
  };
  await hub.apply({ ...cluster, metadata: { ...cluster.metadata, annotations: { 'hcpio.io/tenant-network': 'vlan 100' } } });
  const { message } = await eventually('the condition', async () => {
    const said = await mirrorOf();
    return said?.reason === 'AnnotationRefused' ? said : undefined;
  });
  expect(message).toMatch(/^the API server does not take the TenantNetwork that the annotation asks for: .*namespace\/name/);
  await looksAgain('shorthand');
  const mark = audit.mark();
  await looksAgain('shorthand');
  expect(written(mark)).toEqual([]);
  expect(await notesAbout(played, 'AnnotationRefused')).toEqual([message]);
  await hub.apply(cluster);
  await eventually('the condition to go', async () => (await mirrorOf()) === undefined);
});

const POLICY = { group: 'networking.k8s.io', version: 'v1', plural: 'networkpolicies', kind: 'NetworkPolicy', namespaced: true };
const STATEFUL_SET = { group: 'apps', version: 'v1', plural: 'statefulsets', kind: 'StatefulSet', namespaced: true };
const QUOTA = { group: '', version: 'v1', plural: 'resourcequotas', kind: 'ResourceQuota', namespaced: true };

describe('an object of somebody else under a name of ours', () => {
  const played = tenant(3);
  const taken = { namespace: played.controlPlane, name: 'hcpio-edge-kube-apiserver' };
  const theirs = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: taken,
    spec: { podSelector: { matchLabels: { app: 'theirs' } }, policyTypes: ['Egress'] },
  };
  const way = `To do: delete it, or hand it over: kubectl label networkpolicy -n ${taken.namespace} ${taken.name} app.kubernetes.io/managed-by=hcpio`;
  const said = `networking.k8s.io/v1 NetworkPolicy ${taken.namespace}/${taken.name} is there already, made by somebody else (player), and is left alone. ${way}`;

  test('is left as it is and told once, with the way out; everything else is made', async () => {
    await playTenant(hub, played);
    const before = await hub.apply(theirs);
    await hub.apply(tenantNetwork(played));
    expect((await until(played, 'Applied', 'False ObjectsRefused')).message).toBe(said);
    await looksAgain('tenantnetwork');
    expect(await hub.client.get(POLICY, taken, hub.signal)).toEqual(before);
    expect(await notesAbout(played, 'ObjectRefused')).toEqual([said]);
    expect((await objectsOf(played)).length).toBeGreaterThan(20);
  });

  test('is not deleted with the tenant', async () => {
    await hub.client.delete(r.TENANT_NETWORK, played, hub.signal);
    await gone(played);
    expect((await hub.client.get<WireObject>(POLICY, taken, hub.signal)).metadata.deletionTimestamp).toBeUndefined();
    expect(await objectsOf(played)).toEqual([]);
  });

  test('becomes ours when it is handed over', async () => {
    await hub.apply(tenantNetwork(played));
    await until(played, 'Applied', 'False ObjectsRefused');
    await hub.controlPlane.kubectl('label', 'networkpolicy', '-n', taken.namespace, taken.name, 'app.kubernetes.io/managed-by=hcpio');
    await until(played, 'Applied', 'True Applied');
    await expectAsPlanned(hub);
    expect(await operator.meters.text()).toContain('hcpio_applied_objects_total{outcome="repaired",kind="NetworkPolicy"} 1\n');
    await hub.client.delete(r.TENANT_NETWORK, played, hub.signal);
    await gone(played);
    expect(await hub.client.find(POLICY, taken, hub.signal)).toBeUndefined();
  });
});

test('a quota that is used up is told, everything else stays, and it goes on when the quota is lifted', async () => {
  const played = tenant(4);
  const namespaced = { namespace: edgeOf(played) };
  await playTenant(hub, played);
  await hub.apply(tenantNetwork(played));
  await until(played, 'Applied', 'True Applied');
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { ...namespaced, name: 'tight' },
    spec: { hard: { configmaps: '0' } },
  };
  await hub.apply(quota);
  // What the controller-manager would have counted.
  await hub.apply({ ...quota, status: { hard: { configmaps: '0' }, used: { configmaps: '9' } } }, 'status');
  const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...namespaced, name: 'probe' } };
  await eventually('the quota to be heeded', () =>
    hub.client.create(r.CONFIG_MAP, probe, hub.signal).then(
      async () => {
        await hub.client.delete(r.CONFIG_MAP, probe.metadata, hub.signal);
        return false;
      },
      () => true,
    ),
  );
  await hub.client.delete(r.CONFIG_MAP, { ...namespaced, name: 'edge-a-dns' }, hub.signal);
  const { message } = await until(played, 'Applied', 'False ObjectsRefused');
  expect(message).toMatch(/^the API server does not take v1 ConfigMap \S+\/edge-a-dns: .*exceeded quota: tight.* To do: lift the quota/);
  await looksAgain('tenantnetwork');
  const mark = audit.mark();
  await looksAgain('tenantnetwork');
  expect(written(mark)).toEqual([]);
  expect((await notesAbout(played, 'ObjectRefused')).length).toBe(1);
  await hub.client.delete(QUOTA, quota.metadata, hub.signal);
  await until(played, 'Applied', 'True Applied');
  await expectAsPlanned(hub);
  await hub.client.delete(r.TENANT_NETWORK, played, hub.signal);
  await gone(played);
});

test('a workload that cannot be changed is made anew around its running pod, once', async () => {
  const played = tenant(5);
  const at = (last: number) => played.cidr.replace('.0/24', `.${last}`);
  await playTenant(hub, played);
  await hub.apply(tenantNetwork(played));
  await until(played, 'Applied', 'True Applied');
  const pods = [await runPod(hub, edgeOf(played), 'edge-a', [at(2)]), await runPod(hub, edgeOf(played), 'edge-b', [at(4)])];
  await until(played, 'EdgeReady', 'True EdgesReady');
  await operator.stop();
  const mark = audit.mark();
  // The claims of a StatefulSet are immutable.
  operator = await startOperator(hub, { clock, log: logger({}), edge: { storageClassName: 'fast' } });
  const classes = async () =>
    (await hub.list(STATEFUL_SET, edgeOf(played)))
      .flatMap((set) => (set['spec'] as { volumeClaimTemplates?: { spec: { storageClassName?: string } }[] }).volumeClaimTemplates ?? [])
      .map(({ spec }) => spec.storageClassName);
  await eventually('both to have the other class', async () => {
    const now = await classes();
    return now.length === 2 && now.every((one) => one === 'fast');
  });
  await until(played, 'Applied', 'True Applied');
  await quiet();
  const deleted = written(mark).filter((line) => line.startsWith('delete'));
  expect([...deleted].sort()).toEqual(['delete statefulsets edge-a', 'delete statefulsets edge-b']);
  const now = (await hub.list(r.POD, edgeOf(played))).map(({ metadata }) => [metadata.name, metadata.uid, metadata.deletionTimestamp]);
  expect(now).toEqual(pods.map(({ metadata }) => [metadata.name, metadata.uid, undefined]));
  await expectAsPlanned(hub, { storageClassName: 'fast' });
  await hub.client.delete(r.TENANT_NETWORK, played, hub.signal);
  await gone(played);
});

describe('deletion is never gated', () => {
  const HYPERSHIFT = 'hypershift.openshift.io/finalizer';
  const held = async (played: PlayedTenant) => {
    const { metadata } = await hub.client.get<WireObject>(r.NODE_POOL, played, hub.signal);
    return metadata.annotations?.[PAUSE_MARKER] !== undefined;
  };
  /** A tenant whose NodePool is held, with HyperShift's finalizer on both. */
  async function waiting(n: number): Promise<PlayedTenant> {
    const played = tenant(n);
    await playTenant(hub, played);
    for (const object of [hostedCluster(played), nodePool(played)])
      await hub.apply({ ...object, metadata: { ...object.metadata, finalizers: [HYPERSHIFT] } });
    await hub.apply(tenantNetwork(played));
    await until(played, 'NodePoolsReleased', 'False Gated');
    expect(await held(played)).toBe(true);
    await quiet();
    return played;
  }
  /** Asks for it, and shows that only HyperShift is waited for. */
  async function goes(resource: Resource, played: PlayedTenant): Promise<void> {
    await hub.client.delete(resource, played, hub.signal);
    const { metadata } = await hub.client.get<WireObject>(resource, played, hub.signal);
    expect([metadata.deletionTimestamp !== undefined, metadata.finalizers]).toEqual([true, [HYPERSHIFT]]);
    await quiet();
    expect((await hub.client.get<WireObject>(resource, played, hub.signal)).metadata.finalizers).toEqual([HYPERSHIFT]);
    await hub.client.patch(resource, played, { type: 'merge', body: { metadata: { finalizers: null } } }, hub.signal);
    await eventually('it to be gone', async () => (await hub.client.find(resource, played, hub.signal)) === undefined);
  }

  test('a NodePool that is held goes, and nothing is written to it any more', async () => {
    const played = await waiting(6);
    const mark = audit.mark();
    await goes(r.NODE_POOL, played);
    expect(written(mark).filter((line) => line.includes('nodepools'))).toEqual([]);
    await until(played, 'NodePoolsReleased', 'True Released');
  });

  test('a HostedCluster with a NodePool that is held goes, and the NodePool with it', async () => {
    const played = await waiting(7);
    const { metadata } = await hub.client.get<WireObject>(r.TENANT_NETWORK, played, hub.signal);
    expect(metadata.ownerReferences?.map((owner) => [owner.kind, (owner as { blockOwnerDeletion?: boolean }).blockOwnerDeletion])).toEqual([
      ['HostedCluster', undefined],
    ]);
    await hub.client.delete(r.HOSTED_CLUSTER, played, hub.signal);
    await quiet();
    // HyperShift's order: the NodePools go first.
    await goes(r.NODE_POOL, played);
    await goes(r.HOSTED_CLUSTER, played);
  });
});

/** No write of the operator for a while. */
async function quiet(): Promise<void> {
  let last = -1;
  let same = 0;
  await eventually('a quiet operator', async () => {
    const now = audit.byOperator().filter(({ code }) => code < 300).length;
    same = now === last ? same + 1 : 0;
    last = now;
    return same >= 20;
  });
}
