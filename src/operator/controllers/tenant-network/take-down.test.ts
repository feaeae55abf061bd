import { expect, test } from 'vitest';
import type { TenantNetworkStatus } from '../../../api/tenant-network-status.ts';
import { ManualClock } from '../../../kube/testing/manual-clock.ts';
import type { Entry } from '../../ledger/ledger.ts';
import type { KeptHostedCluster } from '../../world/projections.ts';
import { recorded } from '../testing/recorded.ts';
import type { Context } from './context.ts';
import { takeDown } from './take-down.ts';
import { blueTenant } from './testing/tenant.ts';

const clock = new ManualClock();
const deletionTimestamp = '2026-01-02T03:00:00Z';
const entry = (kind: string, name: string, namespace?: string): Entry => ({
  apiVersion: 'v1',
  kind,
  metadata: { ...(namespace ? { namespace } : {}), name, uid: `uid-of-${name}`, resourceVersion: '1', terminating: false },
  owner: 'clusters.blue',
  intent: 'i',
  owned: '{}',
});
const everything = [entry('Namespace', 'clusters-blue-edge'), entry('NetworkPolicy', 'hcpio-edge', 'clusters-blue')];

async function taken(inventory: readonly Entry[], cluster: Partial<KeptHostedCluster['metadata']> = {}, status: TenantNetworkStatus = {}) {
  const record = recorded();
  const gone: string[] = [];
  const tracked = { writing: (_: string, write: () => Promise<void>) => write(), wrote() {} };
  const world = { sources: { tenants: tracked, hostedClusters: tracked } };
  const metrics = { gone: (key: string) => void gone.push(key) };
  const context = { ...record, clock, world, metrics } as unknown as Context;
  const blue = blueTenant({ status });
  const object = { ...blue.object, metadata: { ...blue.object.metadata, deletionTimestamp, finalizers: ['hcpio.io/edge'] } };
  const spec = object.spec && { ...object.spec, deletionPolicy: 'Delete' as const };
  const hostedCluster = { metadata: { name: 'blue', namespace: 'clusters', uid: 'c1', ...cluster } } as KeptHostedCluster;
  const next = await takeDown({ ...blue, object: { ...object, spec }, inventory, hostedCluster }, context, new AbortController().signal);
  return { told: record.told, written: record.written, gone, next, status: (record.status ?? status) as TenantNetworkStatus };
}

test('that an edge is kept while its HostedCluster drains is told once', async () => {
  const first = await taken(everything, { deletionTimestamp });
  const { status } = first;
  expect(status.conditions?.map(({ message }) => message)).toEqual([
    'the edge stays until HostedCluster clusters/blue is gone, because its workers drain through it. Nothing to do; if it stays: kubectl describe hostedcluster -n clusters blue',
  ]);
  expect(first).toEqual({
    told: ['Normal Kept: the edge stays until HostedCluster clusters/blue is gone, because its workers drain through it'],
    written: ['status of hcpio.io/v1alpha1 TenantNetwork clusters/blue'],
    gone: [],
    next: undefined,
    status,
  });
  expect(await taken(everything, { deletionTimestamp }, status)).toEqual({ told: [], written: [], gone: [], next: undefined, status });
});

test('what was made is removed and told, and when it is gone the finalizer and the figures go too', async () => {
  const first = await taken(everything);
  expect(first).toMatchObject({
    told: ['Normal Removed: 2 objects removed for namespace clusters-blue-edge'],
    written: [
      'delete v1 Namespace clusters-blue-edge',
      'delete v1 NetworkPolicy clusters-blue/hcpio-edge',
      'status of hcpio.io/v1alpha1 TenantNetwork clusters/blue',
    ],
    gone: [],
  });
  expect(await taken([], {}, first.status)).toMatchObject({
    told: [],
    written: ['let go of TenantNetwork blue'],
    gone: ['clusters/blue'],
  });
});
