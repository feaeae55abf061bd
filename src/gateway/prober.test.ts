import type { StatefulSetSpec } from 'kubernetes-types/apps/v1.d.ts';
import { expect, test } from 'vitest';
import { hashOfList } from '../probes/probe-list.ts';
import { probeList } from './probes.ts';
import { renderGateway } from './render.ts';
import type { TenantPlan } from './tenant-plan.ts';
import { sampleOptions } from './testing/sample-options.ts';
import { blue, dualStack, single } from './testing/sample-plans.ts';

const rendered = (plan: TenantPlan, authorities = {}) => renderGateway(plan, { ...sampleOptions, authorities });
const set = (plan: TenantPlan, authorities = {}): StatefulSetSpec =>
  rendered(plan, authorities).manifests.find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === 'prober')?.[
    'spec'
  ] as StatefulSetSpec;
const listOf = (plan: TenantPlan): string =>
  rendered(plan)
    .files.find(({ edge }) => edge === 'prober')
    ?.files.find(({ name }) => name === 'probes.json')?.content ?? '';

test("the prober runs from the operator's image without root, capabilities, token or a way to the hub", () => {
  const { template } = set(blue);
  const pod = template.spec;
  expect({
    image: pod?.containers[0]?.image,
    token: pod?.automountServiceAccountToken,
    links: pod?.enableServiceLinks,
    container: pod?.containers[0]?.securityContext,
    pod: pod?.securityContext,
    labels: template.metadata?.labels?.['app.kubernetes.io/name'],
  }).toEqual({
    image: sampleOptions.proberImage,
    token: false,
    links: false,
    container: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    pod: {
      runAsNonRoot: true,
      runAsUser: 65_532,
      runAsGroup: 65_532,
      fsGroup: 65_532,
      seccompProfile: { type: 'RuntimeDefault' },
      sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }],
    },
    labels: 'hcpio-prober',
  });
});

test('its guard runs first, in the image that has nft, with its own address', () => {
  const [guard] = set(dualStack).template.spec?.initContainers ?? [];
  expect([guard?.image, guard?.env]).toEqual([
    sampleOptions.image,
    [
      { name: 'SEGMENT_ADDRESSES', value: '192.168.100.5/24 fd00:100::5/64' },
      { name: 'SEGMENT_VIPS', value: '192.168.100.3 fd00:100::3' },
    ],
  ]);
});

test('only the operator may ask it, and it may ask nobody on the hub', () => {
  const policies = rendered(blue).manifests.filter(
    ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.namespace === 'clusters-blue-edge',
  );
  const selecting = policies.filter((policy) => JSON.stringify(policy['spec']).includes('hcpio-prober'));
  expect(selecting.map((policy) => policy['spec'])).toEqual([
    {
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'hcpio-prober' } },
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [
            {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'hcpio-system' } },
              podSelector: { matchLabels: { 'app.kubernetes.io/name': 'hcpio-operator' } },
            },
          ],
          ports: [{ protocol: 'TCP', port: 8068 }],
        },
      ],
    },
  ]);
  expect(policies[0]?.['spec']).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
});

test('a new machine, a new name or a certificate changes what it looks at, and does not make it anew', () => {
  const more: TenantPlan = { ...blue, names: [...blue.names, { name: 'x.blue.example.com', type: 'A', address: '192.168.100.9' }] };
  expect(set(more)).toEqual(set(blue));
  expect(set(blue, { root: 'PEM' })).toEqual(set(blue));
  expect(hashOfList(listOf(more))).not.toBe(hashOfList(listOf(blue)));
});

test('a single edge is probed alone, and DHCP of others is left alone', () => {
  expect(probeList(single, {}).edges.map(({ name }) => name)).toEqual(['edge-a']);
  expect('dhcp' in probeList({ ...blue, dhcp: { ...blue.dhcp, serve: 'Nobody', options: [], reservations: [] } }, {})).toBe(false);
});

test('names of the hub that are asked for are names that exist there, and never one that we serve', () => {
  expect(probeList(blue, {}).dns.denied).toEqual([
    'kubernetes.default.svc.cluster.local',
    'api.apps.mgmt.example.com',
    'api.mgmt.example.com',
  ]);
  const shared = { ...blue.dns, denied: ['cluster.local', 'blue.example.com'] };
  expect(probeList({ ...blue, dns: shared }, {}).dns.denied).toEqual(['kubernetes.default.svc.cluster.local']);
});

test('a service that is not published yet is looked for all the same', () => {
  const endpoints = blue.endpoints.map((one) => (one.service === 'Ignition' ? { ...one, host: null, port: null } : one));
  expect(probeList({ ...blue, endpoints }, {}).endpoints.at(-1)).toEqual({
    service: 'Ignition',
    host: null,
    port: null,
    addresses: ['192.168.100.3'],
    trust: 'required',
    ca: null,
    caFrom: 'Secret clusters-blue/ignition-server-ca-cert',
  });
});
