import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TenantNetworkStatus } from '../../src/api/tenant-network-status.ts';
import { EVENT } from '../../src/kube/events.ts';
import type { WireObject } from '../../src/kube/object.ts';
import * as r from '../../src/operator/resources.ts';
import { compare, expectAsPlanned, ownObjects } from './as-planned.ts';
import { AuditLog } from './audit.ts';
import { eventually, type Hub, startHub } from './hub.ts';
import { type RunningOperator, startOperator } from './in-process.ts';
import {
  attachment,
  hostedCluster,
  namespace,
  type PlayedTenant,
  playControlPlane,
  playMachine,
  playTenant,
  tenant,
  tenantNetwork,
} from './player.ts';

/** The life of tenants on a real API server, from the first word to the last. */
const audit = new AuditLog();
let hub: Hub;
let operator: RunningOperator;

beforeAll(async () => {
  hub = await startHub({ audit });
  operator = await startOperator(hub);
});
afterAll(async () => {
  await operator?.stop();
  await hub?.stop();
});

let number = 0;
let current: PlayedTenant;
/** A tenant of its own for every test; all of them share the hub. */
function next(): PlayedTenant {
  number += 1;
  current = tenant(number);
  return current;
}
afterEach(async () => {
  const key = { namespace: current.namespace, name: current.name };
  await hub.client.delete(r.TENANT_NETWORK, key, hub.signal).catch(() => {});
  await eventually(
    'the tenant to be gone',
    async () => (await hub.client.find(r.TENANT_NETWORK, key, hub.signal)) === undefined,
    AbortSignal.timeout(30_000),
  );
});

const get = (played: PlayedTenant): Promise<WireObject> => hub.client.get(r.TENANT_NETWORK, played, hub.signal);
const statusOf = async (played: PlayedTenant): Promise<TenantNetworkStatus> => ((await get(played))['status'] ?? {}) as TenantNetworkStatus;
const condition = async (played: PlayedTenant, type: string) => {
  const found = (await statusOf(played)).conditions?.find((one) => one.type === type);
  return found && `${found.status} ${found.reason}`;
};
const until = (played: PlayedTenant, type: string, said: string) =>
  eventually(`${type} ${said}`, async () => (await condition(played, type)) === said);
const objectsOf = async (played: PlayedTenant): Promise<readonly WireObject[]> =>
  (await ownObjects(hub)).get(`${played.namespace}.${played.name}`) ?? [];
const edgeNamespace = ({ controlPlane }: PlayedTenant) => ({ name: `${controlPlane}-edge` });
const mine = (played: PlayedTenant) => async () => (await compare(hub)).find((one) => one.tenant === `${played.namespace}/${played.name}`);

test('a TenantNetwork becomes what the plan says, is ours to clean up after, and goes with its HostedCluster', async () => {
  const played = next();
  await playTenant(hub, played);
  await hub.apply(tenantNetwork(played));
  await expectAsPlanned(hub);
  const { metadata } = await get(played);
  const cluster = await hub.client.get(r.HOSTED_CLUSTER, played, hub.signal);
  expect({ finalizers: metadata.finalizers, owners: metadata.ownerReferences }).toEqual({
    finalizers: ['hcpio.io/edge'],
    owners: [{ apiVersion: 'hypershift.openshift.io/v1beta1', kind: 'HostedCluster', name: played.name, uid: cluster.metadata.uid }],
  });
  expect(await condition(played, 'SegmentProven')).toBe('Unknown NotProbed');
  const { conditions } = await eventually('the mirror', async () => {
    const { status } = (await hub.client.get(r.HOSTED_CLUSTER, played, hub.signal)) as {
      status?: { conditions?: { type: string; reason: string }[] };
    };
    return status?.conditions?.some(({ type }) => type === 'hcpio.io/TenantNetworkReady') ? { conditions: status.conditions } : undefined;
  });
  expect(conditions?.map(({ type, reason }) => `${type} ${reason}`)).toEqual(['hcpio.io/TenantNetworkReady PodsMissing']);
});

test('nothing of ours in the control-plane namespace carries a finalizer or an owner', async () => {
  const played = next();
  await playTenant(hub, played);
  await hub.apply(tenantNetwork(played));
  await until(played, 'Applied', 'True Applied');
  const objects = (await objectsOf(played)).filter(({ metadata }) => metadata.namespace === played.controlPlane);
  expect(objects.map(({ kind, metadata }) => [kind, metadata.finalizers, metadata.ownerReferences])).toEqual(
    Array(3).fill(['NetworkPolicy', undefined, undefined]),
  );
});

test('a change is carried to the objects that it concerns, and to no other', async () => {
  const played = next();
  await playTenant(hub, played);
  await hub.apply(tenantNetwork(played));
  await until(played, 'Applied', 'True Applied');
  await audit.quiet();
  const mark = audit.mark();
  const record = { name: 'mirror.example.com', type: 'A', value: '192.0.2.7' };
  await hub.apply(tenantNetwork(played, { gateway: { dns: { records: [record] } } }));
  await eventually('the record to be served', async () => {
    const map = (await objectsOf(played)).find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'edge-a-dns');
    return JSON.stringify(map?.['data']).includes('192.0.2.7');
  });
  await expectAsPlanned(hub);
  await audit.quiet();
  const written = audit.byOperator(mark).filter(({ resource }) => resource !== 'events');
  expect(written.map(({ verb, resource, name }) => `${verb} ${resource} ${name}`).sort()).toEqual([
    'patch configmaps edge-a-dns',
    'patch configmaps edge-b-dns',
    'patch configmaps prober-probes', // it asks for the new name as well
    `patch tenantnetworks/status ${played.name}`,
  ]);
});

test('what is no longer planned is removed: Single has one edge', async () => {
  const played = next();
  await playTenant(hub, played);
  await hub.apply(tenantNetwork(played));
  await until(played, 'Applied', 'True Applied');
  await hub.apply(tenantNetwork(played, { gateway: { availability: 'Single' } }));
  const edges = async () => (await objectsOf(played)).filter(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name !== 'prober');
  await eventually('one edge', async () => (await edges()).length === 1);
  await expectAsPlanned(hub);
  expect(
    (await objectsOf(played))
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
      .filter((name) => /edge-b|Budget|edge-to-edge/.test(name))
      .sort(),
    // By these it is found when it comes back.
  ).toEqual(['NetworkPolicy edge-to-edge', 'Service edge-b-peer']);
});

test('a machine gets an address when it is seen, and keeps it while others come and go', async () => {
  const played = next();
  await playTenant(hub, played);
  await hub.apply(tenantNetwork(played));
  await playMachine(hub, played, 1);
  const machines = async () => (await statusOf(played)).machines ?? [];
  const [first] = await eventually('the first machine', async () => ((await machines()).length === 1 ? machines() : undefined));
  for (const index of [2, 3, 4]) await playMachine(hub, played, index);
  await eventually('all machines', async () => (await machines()).length === 4);
  await hub.client.delete(r.VIRTUAL_MACHINE_INSTANCE, { namespace: played.controlPlane, name: `${played.name}-7d9f4-3` }, hub.signal);
  await eventually('one less', async () => (await machines()).length === 3);
  expect((await machines()).find(({ mac }) => mac === first?.mac)).toEqual(first);
  await expectAsPlanned(hub);
});

describe('deletion', () => {
  test('of the TenantNetwork removes everything, in the control-plane namespace too, and lifts its mirror', async () => {
    const played = next();
    await playTenant(hub, played);
    await hub.apply(tenantNetwork(played));
    await until(played, 'Applied', 'True Applied');
    await hub.client.delete(r.TENANT_NETWORK, played, hub.signal);
    await eventually('it to be gone', async () => (await hub.client.find(r.TENANT_NETWORK, played, hub.signal)) === undefined);
    expect(await objectsOf(played)).toEqual([]);
    expect(await hub.client.find(r.NAMESPACE, edgeNamespace(played), hub.signal)).toBeUndefined();
    const { status } = (await hub.client.get(r.HOSTED_CLUSTER, played, hub.signal)) as { status?: { conditions?: { type: string }[] } };
    expect((status?.conditions ?? []).filter(({ type }) => type.startsWith('hcpio.io/'))).toEqual([]);
  });

  test('with Retain leaves the namespace, and in it the volumes; the next TenantNetwork finds them', async () => {
    const played = next();
    await playTenant(hub, played);
    await hub.apply(tenantNetwork(played, { deletionPolicy: 'Retain' }));
    await until(played, 'Applied', 'True Applied');
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'leases-edge-a-0', namespace: edgeNamespace(played).name },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    await hub.apply(volume);
    await hub.client.delete(r.TENANT_NETWORK, played, hub.signal);
    await eventually('it to be gone', async () => (await hub.client.find(r.TENANT_NETWORK, played, hub.signal)) === undefined);
    expect((await objectsOf(played)).map(({ kind }) => kind)).toEqual(['Namespace']);
    await hub.apply(tenantNetwork(played));
    await until(played, 'Applied', 'True Applied');
    const claims = { group: '', version: 'v1', plural: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim', namespaced: true };
    expect((await hub.list(claims, edgeNamespace(played).name)).map(({ metadata }) => metadata.name)).toEqual(['leases-edge-a-0']);
  });

  test('of the HostedCluster keeps the edge until it is really gone, also when the TenantNetwork is deleted with it', async () => {
    const played = next();
    await playTenant(hub, played);
    // HyperShift's finalizer: the cluster stays until its workers have drained.
    await hub.apply({
      ...hostedCluster(played),
      metadata: { ...hostedCluster(played).metadata, finalizers: ['hypershift.openshift.io/finalizer'] },
    });
    await hub.apply(tenantNetwork(played));
    await until(played, 'Applied', 'True Applied');
    const before = (await objectsOf(played)).length;
    await hub.client.delete(r.HOSTED_CLUSTER, played, hub.signal);
    await hub.client.delete(r.TENANT_NETWORK, played, hub.signal);
    await until(played, 'Ready', 'False Deleting');
    expect((await statusOf(played)).conditions?.find(({ type }) => type === 'Ready')?.message).toBe(
      `the edge stays until HostedCluster ${played.namespace}/${played.name} is gone, because its workers drain through it. ` +
        `Nothing to do; if it stays: kubectl describe hostedcluster -n ${played.namespace} ${played.name}`,
    );
    expect((await objectsOf(played)).length).toBe(before);
    await hub.client.patch(r.HOSTED_CLUSTER, played, { type: 'merge', body: { metadata: { finalizers: null } } }, hub.signal);
    await eventually('it to be gone', async () => (await hub.client.find(r.TENANT_NETWORK, played, hub.signal)) === undefined);
    expect(await objectsOf(played)).toEqual([]);
  });
});

test('an edge namespace that somebody deleted comes back with everything in it', async () => {
  const played = next();
  await playTenant(hub, played);
  await hub.apply(tenantNetwork(played));
  await until(played, 'Applied', 'True Applied');
  const before = await hub.client.get(r.NAMESPACE, edgeNamespace(played), hub.signal);
  await hub.client.delete(r.NAMESPACE, edgeNamespace(played), hub.signal);
  await eventually('another namespace', async () => {
    const found = await hub.client.find(r.NAMESPACE, edgeNamespace(played), hub.signal);
    return found !== undefined && found.metadata.uid !== before.metadata.uid;
  });
  await expectAsPlanned(hub);
});

test('a namespace that was there before is not taken over, and not deleted with the tenant', async () => {
  const played = next();
  await playTenant(hub, played);
  await hub.apply(namespace(edgeNamespace(played).name));
  await hub.apply(tenantNetwork(played));
  await until(played, 'Applied', 'False NamespaceTaken');
  expect(await objectsOf(played)).toEqual([]);
  await hub.client.delete(r.TENANT_NETWORK, played, hub.signal);
  await eventually('it to be gone', async () => (await hub.client.find(r.TENANT_NETWORK, played, hub.signal)) === undefined);
  const left = await hub.client.get(r.NAMESPACE, edgeNamespace(played), hub.signal);
  expect({ deleted: left.metadata.deletionTimestamp, labels: left.metadata.labels }).toEqual({
    deleted: undefined,
    labels: { 'kubernetes.io/metadata.name': edgeNamespace(played).name },
  });
});

test('a refused spec applies nothing and says what to do; mended, it is applied', async () => {
  const played = next();
  await playTenant(hub, played);
  const wrong = { attachment: played.attachment, cidrs: ['10.132.0.0/24'] };
  await hub.apply(tenantNetwork(played, { segment: wrong }));
  await until(played, 'Accepted', 'False Refused');
  const accepted = (await statusOf(played)).conditions?.find(({ type }) => type === 'Accepted');
  expect(accepted?.message).toMatch(/^HCPIO-NET-003 .* overlaps .*10\.132\.0\.0\/14.* To do: /);
  expect(await objectsOf(played)).toEqual([]);
  await eventually('an event', async () =>
    (await hub.list(EVENT, played.namespace)).some(
      (event) => event['reason'] === 'Refused' && String(event['note']).includes('HCPIO-NET-003'),
    ),
  );
  await hub.apply(tenantNetwork(played));
  await until(played, 'Applied', 'True Applied');
  await expectAsPlanned(hub);
});

test('a HostedCluster that is not rolled out yet is waited for, step by step', async () => {
  const played = next();
  await hub.apply(namespace(played.namespace));
  await hub.apply(tenantNetwork(played));
  await until(played, 'Accepted', 'False Refused');
  await hub.apply(attachment(played));
  await hub.apply(hostedCluster(played));
  await until(played, 'Planned', 'False WaitingForControlPlane');
  expect(await objectsOf(played)).toEqual([]);
  await playControlPlane(hub, played);
  await until(played, 'EndpointsReady', 'True UpstreamsReady');
  await expectAsPlanned(hub);
});

test('a Service of any name can be published, and is followed from then on', async () => {
  const played = next();
  await playTenant(hub, played);
  await hub.apply(tenantNetwork(played, { gateway: { ports: [{ port: 8443, service: 'extra', servicePort: 8443 }] } }));
  await until(played, 'Accepted', 'False Refused');
  await hub.apply({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'extra', namespace: played.controlPlane },
    spec: { ports: [{ port: 8443, protocol: 'TCP' }], selector: { app: 'extra' } },
  });
  await until(played, 'Applied', 'True Applied');
  const found = await mine(played)();
  expect(found?.found.some(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'hcpio-edge-extra')).toBe(true);
  await expectAsPlanned(hub);
});

test('two tenants on one segment with one network are both told, and both recover when one goes', async () => {
  const played = next();
  const other = { ...tenant(500 + number), attachment: played.attachment, cidr: played.cidr };
  await playTenant(hub, played);
  await playTenant(hub, other);
  await hub.apply(tenantNetwork(played));
  await until(played, 'Applied', 'True Applied');
  await hub.apply(tenantNetwork(other));
  await until(other, 'Accepted', 'False Refused');
  await until(played, 'Accepted', 'False Refused');
  // What was applied before stays.
  expect((await objectsOf(played)).length).toBeGreaterThan(20);
  await hub.client.delete(r.TENANT_NETWORK, other, hub.signal);
  await until(played, 'Accepted', 'True Accepted');
  await expectAsPlanned(hub);
});

test('kubectl shows what a person wants to know', async () => {
  const played = next();
  await playTenant(hub, played);
  await hub.apply(tenantNetwork(played));
  await until(played, 'Applied', 'True Applied');
  const [head = '', row = ''] = (await hub.controlPlane.kubectl('get', 'tenantnetworks', '-n', played.namespace, played.name)).split('\n');
  expect(head.split(/\s+/)).toEqual(['NAME', 'MODE', 'VIP', 'WORKERS', 'READY', 'AGE']);
  expect(row.split(/\s+/).slice(0, 5)).toEqual([played.name, 'Gateway', played.cidr.replace('.0/24', '.3'), '0', 'False']);
});
