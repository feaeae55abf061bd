import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadStage, stages, type Variant, variants } from '../../test/fixtures/hypershift/load.ts';
import { expectGolden } from '../../test/golden.ts';
import { sortFindings } from '../api/finding.ts';
import { tenantNetwork } from '../api/tenant-network.ts';
import { appsDomain, clusterDomain } from './domains.ts';
import { readEndpoints } from './endpoints.ts';
import { readMachines } from './machines.ts';
import { readNamespaces } from './namespace.ts';
import { indexObjects, observeTenant } from './select.ts';

const tenantOf = (variant: Variant) =>
  tenantNetwork.parse({
    apiVersion: 'hcpio.io/v1alpha1',
    kind: 'TenantNetwork',
    metadata: { name: variant, namespace: 'clusters' },
    spec: { segment: { attachment: 'default/vlan100', cidrs: ['192.168.100.0/24'] } },
  });

const all = variants.flatMap((variant) => stages.map((stage) => ({ variant, stage })));

test.each(all)('$variant at $stage is read as the golden file says', ({ variant, stage }) => {
  const observed = observeTenant(indexObjects(loadStage(variant, stage)), tenantOf(variant), { allocations: [], guestRouter: undefined });
  const { hostedCluster } = observed;
  if (!hostedCluster) throw new Error('the fixture has no HostedCluster');
  const namespaces = readNamespaces(observed);
  const endpoints = readEndpoints(observed);
  expectGolden(join(import.meta.dirname, 'testdata', `${variant}-${stage}.out.yaml`), {
    controlPlane: namespaces.controlPlane,
    edge: namespaces.edge,
    confirmed: namespaces.hostedControlPlane !== undefined,
    clusterDomain: clusterDomain(hostedCluster),
    appsDomain: appsDomain(hostedCluster),
    nodePools: observed.nodePools.map((pool) => pool.metadata.name),
    endpoints: endpoints.endpoints,
    findings: sortFindings([...namespaces.findings, ...endpoints.findings, ...readMachines(observed).findings]),
  });
});

test('the four Services are read at the stage where HyperShift has made them, and not before', () => {
  const existing = (variant: Variant) =>
    stages.map((stage) => {
      const observed = observeTenant(indexObjects(loadStage(variant, stage)), tenantOf(variant), {
        allocations: [],
        guestRouter: undefined,
      });
      return readEndpoints(observed).endpoints.filter((e) => e.upstream.exists).length;
    });
  expect(variants.map(existing)).toEqual([
    [0, 3, 3, 4],
    [0, 3, 3, 4],
  ]);
});
