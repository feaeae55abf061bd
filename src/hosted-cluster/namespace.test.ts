import { expect, test } from 'vitest';
import { controlPlaneNamespace, readNamespaces } from './namespace.ts';
import { blueObserved } from './testing/blue.ts';

const observed = blueObserved();
const [plane] = observed.hostedControlPlanes;
if (!plane) throw new Error('no control plane');
const annotated = (cluster: string | undefined) => ({
  ...plane,
  metadata: { ...plane.metadata, annotations: cluster === undefined ? {} : { 'hypershift.openshift.io/cluster': cluster } },
});
const names = { controlPlane: 'clusters-blue', edge: 'clusters-blue-edge' };

test('the control plane lives in namespace and name joined by a dash, dots replaced', () => {
  expect(controlPlaneNamespace({ namespace: 'clusters', name: 'blue' })).toBe('clusters-blue');
  expect(controlPlaneNamespace({ namespace: 'clusters', name: 'blue.v2.prod' })).toBe('clusters-blue-v2-prod');
});

test('a HostedControlPlane that names the HostedCluster confirms the namespace', () => {
  expect(readNamespaces(observed)).toEqual({ ...names, hostedControlPlane: plane, findings: [] });
});

test('the namespace of the edge is shortened where it would be too long', () => {
  const name = 'a-cluster-with-a-name-of-a-length-that-people-do-use';
  const { tenantNetwork } = observed;
  const long = readNamespaces({ ...observed, tenantNetwork: { ...tenantNetwork, spec: { ...tenantNetwork.spec, hostedCluster: name } } });
  expect(long.controlPlane).toBe(`clusters-${name}`);
  expect(long.edge).toBe('clusters-a-cluster-with-a-name-of-a-length-that-people-55a5b71e');
  expect(long.edge.length).toBeLessThanOrEqual(63);
});

test('a HostedControlPlane that is not there yet is waited for', () => {
  expect(readNamespaces({ ...observed, hostedControlPlanes: [] })).toEqual({
    ...names,
    hostedControlPlane: undefined,
    findings: [
      {
        code: 'HCPIO-TEN-006',
        severity: 'info',
        object: 'clusters/blue HostedCluster',
        message: 'waiting for HyperShift to create the HostedControlPlane in namespace clusters-blue',
        fix: 'nothing to do; if it stays away, read the conditions: kubectl describe hostedcluster -n clusters blue',
      },
    ],
  });
});

test('without a HostedCluster nothing is waited for', () => {
  expect(readNamespaces({ ...observed, hostedCluster: undefined, hostedControlPlanes: [] }).findings).toEqual([]);
});

const RENAME = 'create one of the HostedClusters under another name: namespace and name joined by a dash must differ';

test('two HostedControlPlanes in the namespace are too many', () => {
  const other = { ...plane, metadata: { ...plane.metadata, name: 'a-blue' } };
  expect(readNamespaces({ ...observed, hostedControlPlanes: [plane, other] })).toEqual({
    ...names,
    hostedControlPlane: undefined,
    findings: [
      {
        code: 'HCPIO-TEN-002',
        severity: 'error',
        object: 'clusters/blue HostedCluster',
        message: 'namespace clusters-blue holds 2 HostedControlPlanes (a-blue, blue), so their Services cannot be told apart',
        fix: RENAME,
      },
    ],
  });
});

test.each([
  [
    'another',
    'clusters-blue/x',
    'HostedControlPlane clusters-blue/blue belongs to HostedCluster "clusters-blue/x", not to clusters/blue',
    RENAME,
  ],
  [
    'no',
    undefined,
    'HostedControlPlane clusters-blue/blue does not say which HostedCluster it belongs to (annotation hypershift.openshift.io/cluster)',
    'let HyperShift annotate it; if somebody made it by hand, delete it',
  ],
])('a HostedControlPlane that names %s HostedCluster is not ours', (_, cluster, message, fix) => {
  expect(readNamespaces({ ...observed, hostedControlPlanes: [annotated(cluster)] })).toEqual({
    ...names,
    hostedControlPlane: undefined,
    findings: [{ code: 'HCPIO-TEN-003', severity: 'error', object: 'clusters/blue HostedCluster', message, fix }],
  });
});
