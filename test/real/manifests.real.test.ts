import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StatefulSetSpec } from 'kubernetes-types/apps/v1.d.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderGateway } from '../../src/gateway/render.ts';
import type { KubeObject } from '../../src/gateway/rendered.ts';
import type { TenantPlan } from '../../src/gateway/tenant-plan.ts';
import { sampleOptions } from '../../src/gateway/testing/sample-options.ts';
import { blue, samplePlans } from '../../src/gateway/testing/sample-plans.ts';
import { crdFiles } from '../../tools/paths.ts';
import { type ControlPlane, startControlPlane } from '../../tools/testing/control-plane.ts';

/** As OpenShift installs it (openshift/api, security/v1); a plain API server does not have the kind. */
const SCC_CRD = join(import.meta.dirname, '..', 'fixtures', 'crds', 'securitycontextconstraints.crd.yaml');

const dir = mkdtempSync(join(tmpdir(), 'hcpio-manifests-'));
let hub: ControlPlane;
beforeAll(async () => {
  hub = await startControlPlane();
  await hub.applyCrds([...crdFiles().filter((file) => /networks-crd/.test(file)), SCC_CRD]);
  // The control plane's namespace, as HyperShift labels it.
  await hub.kubectl('create', 'namespace', 'clusters-blue');
  await hub.kubectl('label', 'namespace', 'clusters-blue', 'pod-security.kubernetes.io/enforce=restricted');
  const [edge, account] = render(blue, 'kubernetes');
  if (edge === undefined || account === undefined) throw new Error('the first objects are the namespace and its account');
  await apply([edge], []);
  await apply([account], []);
});
afterAll(async () => {
  await hub.stop();
  rmSync(dir, { recursive: true });
});

const nobody: TenantPlan = { ...blue, dhcp: { ...blue.dhcp, serve: 'Nobody', options: [], reservations: [] } };

const render = (plan: TenantPlan, platform: 'openshift' | 'kubernetes'): readonly KubeObject[] =>
  renderGateway(plan, { ...sampleOptions, platform, priorityClassName: 'system-cluster-critical' }).manifests;

/** Server-side apply with strict fields: a field that the API does not have is an error and not a warning. */
async function apply(objects: readonly KubeObject[], flags: readonly string[]): Promise<string> {
  const file = join(dir, 'objects.json');
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  return hub.kubectl('apply', '--server-side', '--field-manager=hcpio', '--validate=strict', '--output=name', ...flags, '--filename', file);
}

const cases = Object.entries({ ...samplePlans, nobody }).flatMap(([name, plan]) =>
  (['openshift', 'kubernetes'] as const).map((platform) => [name, platform, plan] as const),
);

test.each(cases)('the API server takes every object of %s for %s', async (_, platform, plan) => {
  const objects = render(plan, platform);
  const accepted = (await apply(objects, ['--dry-run=server'])).trim().split('\n');
  expect(accepted.map((line) => line.split('/')[1])).toEqual(objects.map((object) => object.metadata.name));
});

test('and it would refuse a field that does not exist, or a value that is no good', async () => {
  const broken = (change: (spec: Record<string, unknown>) => Record<string, unknown>) =>
    apply(
      render(blue, 'kubernetes')
        .filter((object) => object.kind === 'StatefulSet')
        .map((object) => ({ ...object, spec: change(object['spec'] as Record<string, unknown>) })),
      ['--dry-run=server'],
    );
  await expect(broken((spec) => ({ ...spec, updateStategy: {} }))).rejects.toThrow(/unknown field "updateStategy"/);
  await expect(broken((spec) => ({ ...spec, replicas: -1 }))).rejects.toThrow(/spec\.replicas: Invalid value/);
});

test('applying twice changes nothing', async () => {
  await apply(render(blue, 'kubernetes'), []);
  const generations = () =>
    hub.kubectl(
      'get',
      'statefulsets,services,networkpolicies,configmaps',
      '--namespace=clusters-blue-edge',
      '--output=jsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.resourceVersion}{"\\n"}{end}',
    );
  const before = await generations();
  await apply(render(blue, 'kubernetes'), []);
  expect(await generations()).toBe(before);
});

/** A StatefulSet is taken without a look at its pods, so one is asked for by itself. */
const pod = (namespace: string): KubeObject => {
  const [set] = render(blue, 'kubernetes').flatMap((object) => (object.kind === 'StatefulSet' ? [object['spec'] as StatefulSetSpec] : []));
  const { priorityClassName: _, volumes = [], ...spec } = set?.template.spec ?? { containers: [] }; // no such class in a hub without controllers
  const leases = { name: 'leases', persistentVolumeClaim: { claimName: 'leases-edge-a-0' } };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'edge-a-0', namespace }, spec: { ...spec, volumes: [...volumes, leases] } };
};

test('pod security lets an edge into its own namespace', async () => {
  expect(await apply([pod('clusters-blue-edge')], ['--dry-run=server'])).toBe('pod/edge-a-0\n');
});

test('mistake 30: and it would not let one into the control plane’s', async () => {
  await hub.kubectl('create', 'serviceaccount', 'edge', '--namespace=clusters-blue');
  await expect(apply([pod('clusters-blue')], ['--dry-run=server'])).rejects.toThrow(/violates PodSecurity "restricted:latest".*NET_ADMIN/s);
});
