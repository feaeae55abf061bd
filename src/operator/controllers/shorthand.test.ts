import { beforeEach, expect, test } from 'vitest';
import { emptyWorld, put } from '../../../test/operator/filled-world.ts';
import { hostedCluster, tenant, tenantNetwork } from '../../../test/operator/player.ts';
import { ApiError } from '../../kube/errors.ts';
import { ManualClock } from '../../kube/testing/manual-clock.ts';
import type { World } from '../world/world.ts';
import { shorthandReconciler } from './shorthand.ts';
import { recorded } from './testing/recorded.ts';

const played = tenant(1);
const clock = new ManualClock();
let world: World;
/** What the HostedCluster says of its tenant network. */
let said: object;
beforeEach(() => {
  world = emptyWorld();
  said = {};
});

const annotate = (value: string | undefined) => {
  const annotations = value === undefined ? {} : { 'hcpio.io/tenant-network': value };
  const cluster = hostedCluster(played);
  put(world, { ...cluster, metadata: { ...cluster.metadata, annotations }, status: said });
};

/** One look, and what came of it. */
async function look(value: string | undefined, refusal?: ApiError) {
  annotate(value);
  const record = recorded(refusal ? { create: () => Promise.reject(refusal) } : {});
  const context = { signal: new AbortController().signal, reconcileId: '1', failures: 0 };
  const next = await shorthandReconciler({ world, clock, ...record })(`${played.namespace}/${played.name}`, context);
  said = record.status ?? said;
  annotate(value);
  await clock.advance(3_600_000);
  return { told: record.told, written: record.written, next };
}

const silence = { told: [], written: [], next: undefined };
const status = ['status of hypershift.openshift.io/v1beta1 HostedCluster clusters/t1'];

test('an annotation that is no attachment is told once, stands on the HostedCluster, and is forgotten with the annotation', async () => {
  const note =
    'the annotation hcpio.io/tenant-network holds "x", which is not namespace/name of a NetworkAttachmentDefinition; kubectl annotate hostedcluster -n clusters t1 --overwrite hcpio.io/tenant-network=NAMESPACE/NAME';
  expect(await look('x')).toEqual({ told: [`Warning AnnotationRefused: ${note}`], written: status, next: undefined });
  expect(said).toEqual({
    conditions: [
      {
        type: 'hcpio.io/TenantNetworkReady',
        status: 'False',
        reason: 'AnnotationRefused',
        message: note,
        lastTransitionTime: '2026-01-02T03:04:05Z',
      },
    ],
  });
  expect(await look('x')).toEqual(silence);
  expect((await look('y')).told.length).toBe(1);
  expect(await look(undefined)).toEqual({ told: [], written: status, next: undefined });
  expect(said).toEqual({ conditions: [] });
  expect(await look(undefined)).toEqual(silence);
});

test('one that the API server refuses is asked for again, and told when the answer is another', async () => {
  const denied = (message: string) => new ApiError('POST', 403, { message, reason: 'Forbidden' });
  const next = { requeueAfterMs: 60_000 };
  const note = 'the API server does not take the TenantNetwork that the annotation asks for';
  expect(await look('default/vlan1', denied('no'))).toEqual({
    told: [`Warning AnnotationRefused: ${note}: no`],
    written: status,
    next,
  });
  expect(await look('default/vlan1', denied('no'))).toEqual({ ...silence, next });
  expect((await look('default/vlan1', denied('never'))).told).toEqual([`Warning AnnotationRefused: ${note}: never`]);
  expect(await look('default/vlan1')).toEqual({
    told: [],
    written: ['create hcpio.io/v1alpha1 TenantNetwork clusters/t1'],
    next: undefined,
  });
});

test('a cluster that has a TenantNetwork is left to it', async () => {
  put(world, tenantNetwork(played));
  expect(await look('x')).toEqual(silence);
});
