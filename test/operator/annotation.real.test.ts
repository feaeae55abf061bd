import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TenantNetworkStatus } from '../../src/api/tenant-network-status.ts';
import { EVENT } from '../../src/kube/events.ts';
import type { WireObject } from '../../src/kube/object.ts';
import * as r from '../../src/operator/resources.ts';
import { AuditLog } from './audit.ts';
import { eventually, type Hub, startHub } from './hub.ts';
import { type RunningOperator, startOperator } from './in-process.ts';
import { pauseOf } from './pause.ts';
import { attachment, hostedCluster, namespace, nodePool, type PlayedTenant, tenant, tenantNetwork } from './player.ts';

/** What the operator makes of an annotation on a HostedCluster. */
const audit = new AuditLog();
let hub: Hub;
let operator: RunningOperator;
let number = 0;
let played: PlayedTenant;

beforeAll(async () => {
  hub = await startHub({ audit });
  operator = await startOperator(hub);
});
afterAll(async () => {
  await operator?.stop();
  await hub?.stop();
});
beforeEach(() => {
  number += 1;
  played = tenant(number);
});

const until = (type: string, text: string) =>
  eventually(`${type} ${text}`, async () => {
    const { status } = (await hub.client.get(r.TENANT_NETWORK, played, hub.signal)) as WireObject & { status?: TenantNetworkStatus };
    return status?.conditions?.some((one) => one.type === type && `${one.status} ${one.reason}` === text);
  });

test('an annotated HostedCluster gets a TenantNetwork, which comes back when it is deleted and stays when the annotation goes', async () => {
  await hub.apply(namespace(played.namespace));
  await hub.apply(attachment(played));
  const annotated = {
    ...hostedCluster(played),
    metadata: { ...hostedCluster(played).metadata, annotations: { 'hcpio.io/tenant-network': played.attachment } },
  };
  await hub.apply(annotated);
  const found = () => hub.client.find<WireObject>(r.TENANT_NETWORK, played, hub.signal);
  const made = await eventually('the TenantNetwork', found);
  expect((made['spec'] as { segment: object }).segment).toEqual({ attachment: played.attachment, cidrs: [], mtu: 1500, reserved: [] });
  await until('Planned', 'False WaitingForControlPlane');
  await hub.client.delete(r.TENANT_NETWORK, played, hub.signal);
  const again = await eventually('another', async () => {
    const now = await found();
    return now && now.metadata.uid !== made.metadata.uid ? now : undefined;
  });
  await until('Planned', 'False WaitingForControlPlane');
  await hub.apply(hostedCluster(played));
  const seen = () => operator.operator.world.sources.hostedClusters.get(`${played.namespace}/${played.name}`)?.metadata.annotations;
  await eventually('the operator to have seen it', async () => isDeepStrictEqual(seen(), {}));
  await audit.quiet();
  const { uid, deletionTimestamp } = (await hub.client.get<WireObject>(r.TENANT_NETWORK, played, hub.signal)).metadata;
  expect({ uid, deletionTimestamp }).toEqual({ uid: again.metadata.uid, deletionTimestamp: undefined });
});

test('an annotation that is no attachment is told on the HostedCluster', async () => {
  await hub.apply(namespace(played.namespace));
  await hub.apply({
    ...hostedCluster(played),
    metadata: { ...hostedCluster(played).metadata, annotations: { 'hcpio.io/tenant-network': 'vlan 100' } },
  });
  const event = await eventually('the event', async () =>
    (await hub.list(EVENT, played.namespace)).find((one) => one['reason'] === 'AnnotationRefused'),
  );
  expect(event['note']).toContain('"vlan 100"');
  expect(await hub.client.find(r.TENANT_NETWORK, played, hub.signal)).toBeUndefined();
});

test('an annotation that the API server refuses to be followed is told on the HostedCluster, with what it said', async () => {
  await hub.apply(namespace(played.namespace));
  const refuses = { name: 'no-vlan-here' };
  const policy = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: refuses };
  await hub.apply({
    ...policy,
    kind: 'ValidatingAdmissionPolicy',
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups: ['hcpio.io'], apiVersions: ['*'], operations: ['CREATE'], resources: ['tenantnetworks'] }],
      },
      validations: [{ expression: `object.metadata.name != '${played.name}'`, message: 'choose a free VLAN' }],
    },
  } as WireObject);
  await hub.apply({
    ...policy,
    kind: 'ValidatingAdmissionPolicyBinding',
    spec: { policyName: refuses.name, validationActions: ['Deny'] },
  } as WireObject);
  await eventually('the policy', () => hub.apply(tenantNetwork(played)).then(leave, isPolicy));
  await hub.apply({
    ...hostedCluster(played),
    metadata: { ...hostedCluster(played).metadata, annotations: { 'hcpio.io/tenant-network': played.attachment } },
  });
  const event = await eventually('the event', async () =>
    (await hub.list(EVENT, played.namespace)).find(({ reason, note }) => reason === 'AnnotationRefused' && String(note).includes('VLAN')),
  );
  expect(event['note']).toMatch(/^the API server does not take the TenantNetwork that the annotation asks for: .*choose a free VLAN$/);
  expect((event['regarding'] as { kind: string; name: string }).name).toBe(played.name);
});

test('a NodePool of an annotated HostedCluster is held before its TenantNetwork is there, and let go when the annotation goes', async () => {
  await hub.apply(namespace(played.namespace));
  // One that nothing can be made of, so that the moment lasts.
  const annotations = { 'hcpio.io/tenant-network': 'vlan 100' };
  await hub.apply({ ...hostedCluster(played), metadata: { ...hostedCluster(played).metadata, annotations } });
  await hub.apply(nodePool(played, played.name));
  await eventually('the pause', async () => (await pauseOf(hub, played)).held);
  expect(await pauseOf(hub, played)).toEqual({ pausedUntil: 'true', held: 'true', released: undefined });
  await hub.apply(hostedCluster(played));
  await eventually('the release', async () => (await pauseOf(hub, played)).released);
  expect(await pauseOf(hub, played)).toEqual({ pausedUntil: undefined, held: undefined, released: 'true' });
});

/** Whatever else the API server may have against it says nothing of the policy. */
const isPolicy = (refused: unknown): boolean => String(refused).includes('choose a free VLAN');
/** It was let in: the policy is not heeded yet. */
const leave = async (): Promise<false> => {
  await hub.client.delete(r.TENANT_NETWORK, played, hub.signal);
  await eventually('it to be gone', async () => (await hub.client.find(r.TENANT_NETWORK, played, hub.signal)) === undefined);
  return false;
};
