import { describe, expect, test } from 'vitest';
import { readTenantNetwork } from './defaults.ts';
import { attempt } from './finding.ts';
import { fromShorthand } from './shorthand.ts';

const cluster = (annotations: Record<string, string>) => ({ metadata: { name: 'blue', namespace: 'clusters', annotations } });

test('the annotation is the same as the TenantNetwork that says no more', () => {
  const written = {
    apiVersion: 'hcpio.io/v1alpha1',
    kind: 'TenantNetwork',
    metadata: { name: 'blue', namespace: 'clusters' },
    spec: { segment: { attachment: 'default/vlan100' } },
  };
  expect(fromShorthand(cluster({ 'hcpio.io/tenant-network': 'default/vlan100' }))).toEqual(readTenantNetwork(written).value);
});

test('a HostedCluster without it stands for itself', () => {
  expect(fromShorthand(cluster({ 'hcpio.io/other': 'x' }))).toBeUndefined();
});

describe('a value that cannot be an attachment is refused with the command that repairs it', () => {
  test.each([
    ['empty', ''],
    ['a line break', 'default/vlan100\n'],
    ['a quote', 'default/"vlan100"'],
    ['too long', `default/${'x'.repeat(200)}`],
  ])('%s', (_, value) => {
    const { value: made, findings } = attempt(() => fromShorthand(cluster({ 'hcpio.io/tenant-network': value })));
    expect(made).toBeUndefined();
    expect(findings[0]).toMatchObject({
      code: 'HCPIO-ATT-005',
      object: 'clusters/blue HostedCluster',
      path: 'metadata.annotations["hcpio.io/tenant-network"]',
      fix: 'kubectl annotate hostedcluster -n clusters blue --overwrite hcpio.io/tenant-network=NAMESPACE/NAME',
    });
  });
});
