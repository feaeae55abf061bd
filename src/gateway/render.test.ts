import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectGolden } from '../../test/golden.ts';
import { Refusal } from '../api/finding.ts';
import { shortName } from '../api/text.ts';
import { applyRules } from './rbac.ts';
import { type RenderOptions, renderGateway } from './render.ts';
import type { KubeObject } from './rendered.ts';
import type { TenantPlan } from './tenant-plan.ts';
import { bridgeConfig, vmNad } from './testing/sample-nads.ts';
import { sampleOptions } from './testing/sample-options.ts';
import { blue, samplePlans, single } from './testing/sample-plans.ts';

const options = (platform: RenderOptions['platform'] = 'openshift'): RenderOptions => ({ ...sampleOptions, platform });
const manifests = (plan: TenantPlan, changes: Partial<RenderOptions> = {}): readonly KubeObject[] =>
  renderGateway(plan, { ...options(), ...changes }).manifests;
const ids = (objects: readonly KubeObject[]): string[] => objects.map((o) => `${o.kind} ${o.metadata.namespace ?? ''}/${o.metadata.name}`);
const nobody: TenantPlan = { ...blue, dhcp: { ...blue.dhcp, serve: 'Nobody', options: [], reservations: [] } };

/** The daemons' files have golden files of their own. */
const withoutFileContents = (object: KubeObject): unknown =>
  object.kind === 'ConfigMap' ? { ...object, data: Object.keys(object['data'] as object) } : object;

test.each(Object.entries({ ...samplePlans, nobody }))('the objects of %s', (name, plan) => {
  expectGolden(join(import.meta.dirname, 'testdata', 'manifests', `${name}.yaml`), manifests(plan).map(withoutFileContents));
});

test('everything comes after what it needs: the namespace first, the pods last', () => {
  expect(ids(manifests(blue))).toEqual([
    'Namespace /clusters-blue-edge',
    'ServiceAccount clusters-blue-edge/edge',
    'SecurityContextConstraints /hcpio-edge',
    'ClusterRole /hcpio-edge-scc',
    'RoleBinding clusters-blue-edge/hcpio-edge-scc',
    'NetworkPolicy clusters-blue-edge/default-deny',
    'NetworkPolicy clusters-blue-edge/edge-to-control-plane',
    'NetworkPolicy clusters-blue-edge/edge-to-edge',
    'NetworkPolicy clusters-blue-edge/operator-to-edge',
    'NetworkPolicy clusters-blue-edge/operator-to-prober',
    'NetworkPolicy clusters-blue/hcpio-edge-kube-apiserver',
    'NetworkPolicy clusters-blue/hcpio-edge-oauth-openshift',
    'NetworkPolicy clusters-blue/hcpio-edge-ignition-server-proxy',
    'NetworkAttachmentDefinition clusters-blue-edge/edge-a',
    'NetworkAttachmentDefinition clusters-blue-edge/edge-b',
    'NetworkAttachmentDefinition clusters-blue-edge/prober',
    'Service clusters-blue-edge/edge-a-peer',
    'Service clusters-blue-edge/edge-b-peer',
    ...['edge-a', 'edge-b'].flatMap((edge) =>
      ['guard', 'dhcp', 'dns', 'gateway', 'vip'].map((container) => `ConfigMap clusters-blue-edge/${edge}-${container}`),
    ),
    'ConfigMap clusters-blue-edge/prober-guard',
    'ConfigMap clusters-blue-edge/prober-probes',
    'PodDisruptionBudget clusters-blue-edge/edge',
    'StatefulSet clusters-blue-edge/edge-a',
    'StatefulSet clusters-blue-edge/edge-b',
    'StatefulSet clusters-blue-edge/prober',
  ]);
});

test('a single edge has no second one, and all by which it would find it', () => {
  expect(ids(manifests(single, { platform: 'kubernetes' }))).toEqual([
    'Namespace /clusters-blue-edge',
    'ServiceAccount clusters-blue-edge/edge',
    'NetworkPolicy clusters-blue-edge/default-deny',
    'NetworkPolicy clusters-blue-edge/edge-to-control-plane',
    'NetworkPolicy clusters-blue-edge/edge-to-edge',
    'NetworkPolicy clusters-blue-edge/operator-to-edge',
    'NetworkPolicy clusters-blue-edge/operator-to-prober',
    'NetworkPolicy clusters-blue/hcpio-edge-kube-apiserver',
    'NetworkPolicy clusters-blue/hcpio-edge-oauth-openshift',
    'NetworkPolicy clusters-blue/hcpio-edge-ignition-server-proxy',
    'NetworkAttachmentDefinition clusters-blue-edge/edge-a',
    'NetworkAttachmentDefinition clusters-blue-edge/prober',
    'Service clusters-blue-edge/edge-a-peer',
    'Service clusters-blue-edge/edge-b-peer',
    ...['guard', 'dhcp', 'dns', 'gateway', 'vip'].map((container) => `ConfigMap clusters-blue-edge/edge-a-${container}`),
    'ConfigMap clusters-blue-edge/prober-guard',
    'ConfigMap clusters-blue-edge/prober-probes',
    'StatefulSet clusters-blue-edge/edge-a',
    'StatefulSet clusters-blue-edge/prober',
  ]);
});

test('only OpenShift gets what only OpenShift knows', () => {
  const openshift = new Set(ids(manifests(blue)));
  const kubernetes = new Set(ids(manifests(blue, { platform: 'kubernetes' })));
  expect([...openshift.difference(kubernetes)]).toEqual([
    'SecurityContextConstraints /hcpio-edge',
    'ClusterRole /hcpio-edge-scc',
    'RoleBinding clusters-blue-edge/hcpio-edge-scc',
  ]);
  expect(JSON.stringify(manifests(blue, { platform: 'kubernetes' }))).not.toContain('required-scc');
});

test('a plan that has no addresses yet is a namespace with its policies and no pods', () => {
  const { prober: _, ...rest } = blue;
  const waiting: TenantPlan = { ...rest, addresses: {}, edges: [], listeners: [], upstreams: [], openPorts: [] };
  expect(ids(manifests(waiting, { platform: 'kubernetes' }))).toEqual([
    'Namespace /clusters-blue-edge',
    'ServiceAccount clusters-blue-edge/edge',
    'NetworkPolicy clusters-blue-edge/default-deny',
    'NetworkPolicy clusters-blue-edge/edge-to-control-plane',
    'NetworkPolicy clusters-blue-edge/operator-to-edge',
  ]);
});

test('an attachment that cannot be derived refuses the whole', () => {
  expect(() => manifests(blue, { nads: [] })).toThrow(Refusal);
});

test('the files are those of the ConfigMaps', () => {
  const rendered = renderGateway(blue, options());
  const inMaps = rendered.manifests
    .filter((o) => o.kind === 'ConfigMap')
    .flatMap((o) => Object.entries(o['data'] as Record<string, string>).map(([name, content]) => [o.metadata.name, name, content]));
  expect(inMaps).toEqual(rendered.files.flatMap(({ edge, files }) => files.map((f) => [`${edge}-${f.container}`, f.name, f.content])));
});

test('rendering twice gives the same, letter by letter', () => {
  expect(JSON.stringify(manifests(blue))).toBe(JSON.stringify(manifests(structuredClone(blue))));
});

test('names and labels fit, however long a tenant is called', () => {
  const long = 'a'.repeat(63);
  const plan: TenantPlan = {
    ...blue,
    tenant: `${long}/${'b.'.repeat(60)}c`,
    controlPlaneNamespace: long,
    edgeNamespace: shortName(long, 'edge'),
  };
  const nads = [vmNad(bridgeConfig)];
  for (const { metadata } of manifests(plan, { nads })) {
    const values = [metadata.name, ...Object.values(metadata.labels ?? {})];
    expect(values.filter((value) => value.length > 63 || !/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(value))).toEqual([]);
  }
});

test('two tenants whose names would join to the same are told apart', () => {
  const label = (tenant: string) => manifests({ ...blue, tenant })[0]?.metadata.labels?.['hcpio.io/tenant'];
  expect([label('a/b-c'), label('a-b/c')]).toEqual(['a.b-c', 'a-b.c']);
});

describe('mistakes of the source documents', () => {
  test('mistake 5: there is a right for every object that is applied, attachments and constraint bindings included, and to look at it too', () => {
    const verbs = ['get', 'list', 'watch', 'create', 'patch', 'delete'];
    expect(applyRules(manifests(blue))).toEqual([
      { apiGroups: [''], resources: ['configmaps', 'namespaces', 'serviceaccounts', 'services'], verbs },
      { apiGroups: ['apps'], resources: ['statefulsets'], verbs },
      { apiGroups: ['k8s.cni.cncf.io'], resources: ['network-attachment-definitions'], verbs },
      { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs },
      { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs },
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['rolebindings'], verbs },
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], resourceNames: ['hcpio-edge-scc'], verbs: ['bind'] },
    ]);
    expect(() => applyRules([{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x', labels: { 'hcpio.io/tenant': 'y' } } }])).toThrow(
      'no right is known for Secret',
    );
  });

  test('mistake 28: the constraints are not privileged: one user, two capabilities, no host', () => {
    const scc = manifests(blue).find((o) => o.kind === 'SecurityContextConstraints');
    expect(scc).toMatchObject({
      allowPrivilegedContainer: false,
      allowPrivilegeEscalation: false,
      allowHostNetwork: false,
      allowHostPID: false,
      allowHostIPC: false,
      allowHostPorts: false,
      allowHostDirVolumePlugin: false,
      readOnlyRootFilesystem: true,
      allowedCapabilities: ['NET_ADMIN', 'NET_RAW'],
      requiredDropCapabilities: ['ALL'],
      runAsUser: { type: 'MustRunAs', uid: 65_532 },
      users: [],
      groups: [],
    });
    expect(JSON.stringify(manifests(blue))).not.toContain('"privileged":true');
  });

  test('mistake 30: of all objects only policies are put into the control-plane namespace', () => {
    expect([
      ...new Set(
        manifests(blue)
          .filter((o) => o.metadata.namespace === 'clusters-blue')
          .map((o) => o.kind),
      ),
    ]).toEqual(['NetworkPolicy']);
  });

  test('mistake 31: nothing has an owner in another namespace, where the garbage collector would not find it', () => {
    expect(manifests(blue).filter((o) => 'ownerReferences' in o.metadata)).toEqual([]);
  });
});
