import { expect, test } from 'vitest';
import { finding } from '../api/finding.ts';
import { type Meters, meters } from './metrics.ts';

const clash = finding('HCPIO-NET-003', { object: { kind: 'TenantNetwork', namespace: 'clusters', name: 'blue' }, message: 'm', fix: 'f' });
const doubt = { ...clash, severity: 'warning' as const };

/** The samples of our own metrics, without the help. */
const samples = async (meter: Meters): Promise<readonly string[]> =>
  (await meter.text()).split('\n').filter((line) => /^hcpio_(tenant|findings|applied)/.test(line));

test('a tenant is counted as it fares: not ready, ready, gone', async () => {
  const meter = meters();
  const nobody = [
    'hcpio_tenants{ready="True"} 0',
    'hcpio_tenants{ready="False"} 0',
    'hcpio_tenants{ready="Unknown"} 0',
    'hcpio_findings{severity="error"} 0',
    'hcpio_findings{severity="warning"} 0',
    'hcpio_findings{severity="info"} 0',
  ];
  expect(await samples(meter)).toEqual(nobody);
  meter.tenant('clusters/blue', 'False', [clash, doubt, doubt]);
  meter.tenant('clusters/gray', 'True', [doubt]);
  expect(await samples(meter)).toEqual([
    'hcpio_tenants{ready="True"} 1',
    'hcpio_tenants{ready="False"} 1',
    'hcpio_tenants{ready="Unknown"} 0',
    'hcpio_tenant_ready{namespace="clusters",name="blue"} 0',
    'hcpio_tenant_ready{namespace="clusters",name="gray"} 1',
    'hcpio_findings{severity="error"} 1',
    'hcpio_findings{severity="warning"} 3',
    'hcpio_findings{severity="info"} 0',
  ]);
  meter.tenant('clusters/blue', 'True', []);
  expect(await samples(meter)).toEqual([
    'hcpio_tenants{ready="True"} 2',
    'hcpio_tenants{ready="False"} 0',
    'hcpio_tenants{ready="Unknown"} 0',
    'hcpio_tenant_ready{namespace="clusters",name="blue"} 1',
    'hcpio_tenant_ready{namespace="clusters",name="gray"} 1',
    'hcpio_findings{severity="error"} 0',
    'hcpio_findings{severity="warning"} 1',
    'hcpio_findings{severity="info"} 0',
  ]);
  meter.gone('clusters/blue');
  meter.gone('clusters/gray');
  expect(await samples(meter)).toEqual(nobody);
});

test('objects are counted by kind and by what came of them, repairs of what others changed apart', async () => {
  const meter = meters();
  for (const outcome of ['created', 'changed', 'repaired', 'repaired', 'refused'] as const) meter.applied(outcome, 'Service');
  meter.applied('created', 'ConfigMap');
  expect((await samples(meter)).filter((line) => line.startsWith('hcpio_applied')).sort()).toEqual([
    'hcpio_applied_objects_total{outcome="changed",kind="Service"} 1',
    'hcpio_applied_objects_total{outcome="created",kind="ConfigMap"} 1',
    'hcpio_applied_objects_total{outcome="created",kind="Service"} 1',
    'hcpio_applied_objects_total{outcome="refused",kind="Service"} 1',
    'hcpio_applied_objects_total{outcome="repaired",kind="Service"} 2',
  ]);
});
