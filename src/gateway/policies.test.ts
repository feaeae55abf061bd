import { describe, expect, test } from 'vitest';
import { service } from '../hosted-cluster/objects.ts';
import { controlPlanePolicies, edgePolicies } from './policies.ts';
import type { KubeObject } from './rendered.ts';
import type { TenantPlan } from './tenant-plan.ts';
import { allRoutes, blue, samplePlans, single } from './testing/sample-plans.ts';

const edge = { 'app.kubernetes.io/name': 'hcpio-edge' };
const specs = (policies: readonly KubeObject[]): unknown =>
  Object.fromEntries(policies.map((p) => [`${p.metadata.namespace}/${p.metadata.name}`, p['spec']]));
const pods = (namespace: string, labels: Record<string, string>) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  podSelector: { matchLabels: labels },
});
const tcp = (...ports: (number | string)[]) => ports.map((port) => ({ protocol: 'TCP', port }));
const published = (plan: TenantPlan, services: readonly string[]): TenantPlan => ({
  ...plan,
  upstreams: plan.upstreams.filter((u) => services.some((name) => u.upstream.includes(`/${name}:`))),
});

test('an edge reaches the four upstreams on the ports of their pods and its peer on one, and nothing else; nobody but its peer reaches it', () => {
  const peer = { podSelector: { matchLabels: edge } };
  const vxlan = [{ protocol: 'UDP', port: 4790 }];
  expect(specs(edgePolicies(blue, {}))).toEqual({
    'clusters-blue-edge/default-deny': { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
    'clusters-blue-edge/edge-to-control-plane': {
      podSelector: { matchLabels: edge },
      policyTypes: ['Egress'],
      egress: [
        { to: [pods('clusters-blue', { app: 'kube-apiserver' })], ports: tcp(6443, 8091) },
        { to: [pods('clusters-blue', { app: 'oauth-openshift' })], ports: tcp(6443) },
        { to: [pods('clusters-blue', { app: 'ignition-server-proxy' })], ports: tcp(8443) },
      ],
    },
    'clusters-blue-edge/edge-to-edge': {
      podSelector: { matchLabels: edge },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [peer], ports: vxlan }],
      egress: [{ to: [peer], ports: vxlan }],
    },
  });
});

test('the control plane lets the edge in to each kind of pod on its own port', () => {
  const from = [pods('clusters-blue-edge', edge)];
  const spec = (app: string, ...ports: number[]) => ({
    podSelector: { matchLabels: { app } },
    policyTypes: ['Ingress'],
    ingress: [{ from, ports: tcp(...ports) }],
  });
  expect(specs(controlPlanePolicies(blue, {}))).toEqual({
    'clusters-blue/hcpio-edge-kube-apiserver': spec('kube-apiserver', 6443, 8091),
    'clusters-blue/hcpio-edge-oauth-openshift': spec('oauth-openshift', 6443),
    'clusters-blue/hcpio-edge-ignition-server-proxy': spec('ignition-server-proxy', 8443),
  });
});

test('a single edge may talk to a second one, which is heard as it comes and as it goes', () => {
  expect(specs(edgePolicies(single, {}))).toEqual(specs(edgePolicies(blue, {})));
});

test('what is not published is not opened: no OAuth with an outside identity provider', () => {
  const names = (plan: TenantPlan) => controlPlanePolicies(plan, {}).map((p) => p.metadata.name);
  expect(names(published(blue, ['kube-apiserver', 'konnectivity-server']))).toEqual(['hcpio-edge-kube-apiserver']);
  expect(names({ ...blue, upstreams: [] })).toEqual([]);
  expect(specs(edgePolicies({ ...single, upstreams: [] }, {}))).toMatchObject({
    'clusters-blue-edge/edge-to-control-plane': { egress: [] },
  });
});

test.each([
  [undefined, 6443],
  [443, 6443],
  [7443, 7443],
])('with networking.apiServer.port %s the API server listens on %i', (apiServerPort, port) => {
  const [policy] = controlPlanePolicies(published(blue, ['kube-apiserver']), { apiServerPort });
  expect(policy?.['spec']).toMatchObject({ ingress: [{ ports: tcp(port) }] });
});

describe('a port of the tenant’s own choice', () => {
  const upstream = 'clusters-blue/registry:5000';
  const plan: TenantPlan = { ...single, upstreams: [{ upstream, discovery: 'clusterIP', endpoints: [] }] };
  const registry = (spec: unknown) => service.parse({ kind: 'Service', metadata: { name: 'registry' }, spec });

  test('is opened to the pods of its Service, on the port where they listen', () => {
    const services = [registry({ selector: { role: 'registry_v2' }, ports: [{ port: 80 }, { port: 5000, targetPort: 'https' }] })];
    expect(specs(controlPlanePolicies(plan, { services }))).toEqual({
      'clusters-blue/hcpio-edge-registry': {
        podSelector: { matchLabels: { role: 'registry_v2' } },
        policyTypes: ['Ingress'],
        ingress: [{ from: [pods('clusters-blue-edge', edge)], ports: tcp('https') }],
      },
    });
  });

  test.each([
    ['that does not exist', []],
    ['without that port', [registry({ selector: { role: 'registry' }, ports: [{ port: 80 }] })]],
    ['that selects no pods', [registry({ ports: [{ port: 5000 }] })]],
  ])('opens nothing for a Service %s', (_, services) => {
    expect(controlPlanePolicies(plan, { services })).toEqual([]);
  });
});

test.each(Object.entries(samplePlans))('mistake 18: no policy names a port that HyperShift does not have (%s)', (_, plan) => {
  expect(JSON.stringify([edgePolicies(plan, {}), controlPlanePolicies(plan, {})])).not.toMatch(/\b(22623|8132|8090|9090)\b/);
});

test('the API by Route is still the pods on 6443', () => {
  expect(specs(controlPlanePolicies(allRoutes, {}))).toMatchObject({
    'clusters-blue/hcpio-edge-kube-apiserver': { ingress: [{ ports: tcp(6443, 8091) }] },
  });
});
