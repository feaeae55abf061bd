import { expect, test } from 'vitest';
import type { WireObject } from '../../kube/object.ts';
import { edgePod } from './edge-pod.ts';

const status = (...networks: readonly object[]) => JSON.stringify(networks);
const pod = (annotations: Record<string, string>, more: Record<string, unknown> = {}): WireObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'edge-a-0',
    namespace: 'clusters-blue-edge',
    uid: 'u1',
    resourceVersion: '9',
    creationTimestamp: '2026-11-01T10:00:00Z',
    labels: { 'hcpio.io/tenant': 'clusters.blue', 'app.kubernetes.io/instance': 'edge-a' },
    annotations: { 'hcpio.io/template': 't1', 'hcpio.io/configuration': 'c1', ...annotations },
  },
  spec: { nodeName: 'hub-a' },
  ...more,
});
const ready = { status: { podIP: '10.128.0.9', conditions: [{ type: 'Ready', status: 'True' }] } };

test('a pod is kept as far as it tells how its edge fares', () => {
  const networks = status(
    { name: 'cbr0', interface: 'eth0', ips: ['10.128.0.9'], default: true },
    { name: 'clusters-blue-edge/edge-a', interface: 'net1', ips: ['192.168.100.2'], mac: '02:AA:00:00:00:01' },
  );
  expect(edgePod(pod({ 'k8s.v1.cni.cncf.io/network-status': networks }, ready))).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'clusters-blue-edge', name: 'edge-a-0', uid: 'u1', resourceVersion: '9' },
    tenant: 'clusters.blue',
    edge: 'edge-a',
    node: 'hub-a',
    address: '10.128.0.9',
    ready: true,
    terminating: false,
    made: '2026-11-01T10:00:00Z',
    template: 't1',
    configuration: 'c1',
    settings: '',
    yielded: '',
    net1: { addresses: ['192.168.100.2'], mac: '02:aa:00:00:00:01' },
    trouble: '',
    stuck: false,
  });
});

test.each([
  ['no word from Multus', {}],
  ['Multus attached eth0 only', { 'k8s.v1.cni.cncf.io/network-status': status({ interface: 'eth0' }) }],
  ['what Multus wrote is no JSON', { 'k8s.v1.cni.cncf.io/network-status': 'oops' }],
])('there is no leg on the segment: %s', (_, annotations) => {
  expect(edgePod(pod(annotations, ready)).net1).toBeUndefined();
});

test('a container that runs and is not ready is named: its probe knows why', () => {
  const statuses = (started: boolean) => ({
    status: {
      conditions: [{ type: 'Ready', status: 'False' }],
      containerStatuses: [
        { name: 'dns', ready: true, started: true, state: { running: {} } },
        { name: 'dhcp', ready: false, started, state: { running: {} } },
      ],
    },
  });
  expect(edgePod(pod({}, statuses(true)))).toMatchObject({ unready: 'dhcp', stuck: false });
  expect(edgePod(pod({}, statuses(false)))).not.toHaveProperty('unready');
});

const waiting = (name: string, reason: string) => ({
  name,
  ready: false,
  state: { waiting: { reason, message: 'back-off 10s restarting' } },
});
test.each([
  ['nothing is known yet', {}, 'it is starting'],
  [
    'no node fits',
    { conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }] },
    'it cannot be scheduled: 0/3 nodes are available',
  ],
  [
    'the guard runs',
    { initContainerStatuses: [{ name: 'guard', ready: false, state: { running: {} } }] },
    'container guard is not ready yet',
  ],
  ['the guard fails', { initContainerStatuses: [waiting('guard', 'CrashLoopBackOff')] }, 'container guard keeps failing'],
  [
    'the guard said why it failed',
    { initContainerStatuses: [{ name: 'guard', ready: false, state: { terminated: { exitCode: 1, message: 'there is no net1\n' } } }] },
    'container guard keeps failing: there is no net1',
  ],
  [
    'the guard is done after it failed, and the others start',
    {
      initContainerStatuses: [
        {
          name: 'guard',
          ready: true,
          state: { terminated: { exitCode: 0 } },
          lastState: { terminated: { exitCode: 1, message: 'there is no net1' } },
        },
      ],
      containerStatuses: [waiting('dns', 'PodInitializing')],
    },
    'it is starting',
  ],
  [
    'the guard is done and the others start',
    {
      initContainerStatuses: [{ name: 'guard', ready: false, state: { terminated: { exitCode: 0 } } }],
      containerStatuses: [waiting('dns', 'PodInitializing')],
    },
    'it is starting',
  ],
  [
    'the image is not there, in either phase of trying',
    { containerStatuses: [waiting('dns', 'ErrImagePull')] },
    'its image cannot be pulled',
  ],
  ['the image is not there, between tries', { containerStatuses: [waiting('dns', 'ImagePullBackOff')] }, 'its image cannot be pulled'],
  [
    'a container stopped',
    { containerStatuses: [{ name: 'dhcp', ready: false, state: { terminated: { exitCode: 2 } } }] },
    'container dhcp keeps failing',
  ],
  ['something else', { containerStatuses: [waiting('dns', 'CreateContainerConfigError')] }, 'container dns: CreateContainerConfigError'],
])('what keeps it from being ready is said without counting seconds: %s', (_, podStatus, trouble) => {
  const seen = edgePod(pod({}, { status: podStatus }));
  expect(seen.trouble).toBe(trouble);
  expect(seen.stuck).toBe(!/it is starting|not ready yet/.test(trouble));
});

test('an address that somebody else has is told in the guard’s own words, between its tries and during them', () => {
  const terminated = { exitCode: 1, message: '192.168.100.2 is taken: 02:66:66:66:66:66 on the segment answers for it\n' };
  const seen = (guard: object) =>
    edgePod(pod({}, { status: { initContainerStatuses: [{ name: 'guard', ready: false, ...guard }] } })).taken;
  const taken = { address: '192.168.100.2', by: '02:66:66:66:66:66' };
  expect([
    seen({ state: { terminated } }),
    seen({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated } }),
    seen({ state: { running: {} }, lastState: { terminated } }),
    seen({ state: { terminated: { exitCode: 0 } }, lastState: { terminated } }),
  ]).toEqual([taken, taken, taken, undefined]);
});
