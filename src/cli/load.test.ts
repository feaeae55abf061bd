import { describe, expect, test } from 'vitest';
import { load } from './load.ts';

const TENANT = `apiVersion: hcpio.io/v1alpha1
kind: TenantNetwork
metadata: {name: blue, namespace: clusters}
spec:
  segment:
    attachment: default/vlan100
    cidrs:
      - 192.168.100.0/24
      - fd00:100::/64
`;
const CLUSTER = `apiVersion: hypershift.openshift.io/v1beta1
kind: HostedCluster
metadata:
  name: red
  namespace: clusters
  annotations:
    hcpio.io/tenant-network: default/red
spec:
  platform: {type: KubeVirt}
  services:
    - service: OAuthServer
      servicePublishingStrategy: {type: Route}
    - service: APIServer
      servicePublishingStrategy:
        type: LoadBalancer
`;
const files = (texts: Readonly<Record<string, string>>) =>
  load(Object.entries(texts).map(([file, text]) => ({ file, text: Buffer.from(text) })));
const kinds = (texts: Readonly<Record<string, string>>): string[] =>
  files(texts).objects.map((object) => `${object.kind} ${object.metadata.name}`);

describe('objects are found in every form in which people keep them', () => {
  const json = JSON.stringify({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', namespace: 'x' }, spec: {} }, null, '\t');
  test.each([
    [
      'several documents, empty ones between them',
      `---\n${TENANT}---\n---\n# nothing\n---\n${CLUSTER}`,
      ['TenantNetwork blue', 'HostedCluster red'],
    ],
    [
      'a List',
      `apiVersion: v1\nkind: List\nitems:\n- ${TENANT.trim().replaceAll('\n', '\n  ')}\n- ${CLUSTER.trim().replaceAll('\n', '\n  ')}\n`,
      ['TenantNetwork blue', 'HostedCluster red'],
    ],
    [
      'a List in a List',
      `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: List, items: [${JSON.stringify(JSON.parse(json))}]}\n- ${TENANT.trim().replaceAll('\n', '\n  ')}`,
      ['Service a', 'TenantNetwork blue'],
    ],
    [
      'a typed list, whose items leave out their kind',
      `${TENANT}---\napiVersion: v1\nkind: ServiceList\nitems: [{metadata: {name: a}, spec: {}}]`,
      ['TenantNetwork blue', 'Service a'],
    ],
    ['JSON with tabs', json, ['Service a']],
    ['JSON documents one after the other', `${JSON.stringify(JSON.parse(json))}\n---\n${TENANT}`, ['Service a', 'TenantNetwork blue']],
    ['Windows line ends and a byte order mark', `\ufeff${TENANT.replaceAll('\n', '\r\n')}`, ['TenantNetwork blue']],
    [
      'merge keys',
      `x: &x {name: a, namespace: b}\napiVersion: v1\nkind: Service\nmetadata: {<<: *x}\nspec: {}\n---\n${TENANT}`,
      ['Service a', 'TenantNetwork blue'],
    ],
    [
      'any version of a kind that we read',
      `${TENANT}---\napiVersion: kubevirt.io/v1alpha3\nkind: VirtualMachineInstance\nmetadata: {name: a}`,
      ['TenantNetwork blue', 'VirtualMachineInstance a'],
    ],
  ])('%s', (_, text, expected) => {
    expect(kinds({ 'a.yaml': text })).toEqual(expected);
  });
});

test('an object that is given twice and says the same is one object, in whatever order', () => {
  const again = 'kind: Service\napiVersion: v1\nspec: {}\nmetadata: {namespace: x, name: a}\n';
  const service = 'apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: x}\nspec: {}\n';
  const { objects, findings } = files({ 'a.yaml': `${TENANT}---\n${service}`, 'b.yaml': `${again}---\n${TENANT}` });
  expect([objects.map(({ kind }) => kind), findings]).toEqual([['TenantNetwork', 'Service'], []]);
});

test('objects of others are passed over without a word', () => {
  const others = [
    'v1 Secret',
    'v1 Namespace',
    'apps/v1 Deployment',
    'karpenter.sh/v1 NodePool',
    'networking.k8s.io/v1 Ingress',
    'operator.openshift.io/v1 Network',
    'serving.knative.dev/v1 Service',
    'kubevirt.io/v1 VirtualMachine',
    'hypershift.openshift.io/v1beta1 ControlPlaneComponent',
  ];
  const text = others
    .map((other) => `apiVersion: ${other.split(' ')[0]}\nkind: ${other.split(' ')[1]}\nmetadata: {name: a}\n`)
    .join('---\n');
  expect(files({ 'tn.yaml': TENANT, 'others.yaml': text }).findings).toEqual([]);
});

test('a MAC address in YAML is text, whatever it looks like', () => {
  const text =
    'apiVersion: kubevirt.io/v1\nkind: VirtualMachineInstance\nmetadata: {name: a}\nstatus: {interfaces: [{name: n, mac: 52:54:00:12:34:56}]}';
  expect(files({ 'a.yaml': text }).objects).toMatchObject([{ status: { interfaces: [{ mac: '52:54:00:12:34:56' }] } }]);
});

describe('a finding is put at its line', () => {
  const { locate } = files({ 'tn.yaml': `# a comment\n${TENANT}`, 'hc.yaml': CLUSTER });
  test.each([
    ['clusters/blue TenantNetwork', undefined, 'tn.yaml:2'],
    ['clusters/blue TenantNetwork', 'spec.segment.cidrs', 'tn.yaml:8'],
    ['clusters/blue TenantNetwork', 'spec.segment.cidrs[1]', 'tn.yaml:10'],
    ['clusters/blue TenantNetwork', 'spec.segment.router', 'tn.yaml:6'],
    ['clusters/blue TenantNetwork', 'spec.gateway.dns.records[0].name', 'tn.yaml:5'],
    ['clusters/blue TenantNetwork', 'metadata.namespace', 'tn.yaml:4'],
    ['clusters/red HostedCluster', 'spec.services[APIServer].servicePublishingStrategy.type', 'hc.yaml:15'],
    ['clusters/red HostedCluster', 'spec.services[1].servicePublishingStrategy.loadBalancer', 'hc.yaml:14'],
    ['clusters/red HostedCluster', 'metadata.annotations["hcpio.io/tenant-network"]', 'hc.yaml:7'],
    ['clusters/red TenantNetwork', 'spec.segment.attachment', 'hc.yaml:7'],
    ['clusters/green TenantNetwork', 'spec.segment', undefined],
  ])('%s %s', (object, path, place) => {
    expect(locate(object, path)).toBe(place);
  });

  test('in a List', () => {
    const list = files({ 'l.yaml': `apiVersion: v1\nkind: List\nitems:\n- ${TENANT.trim().replaceAll('\n', '\n  ')}\n` });
    expect(list.locate('clusters/blue TenantNetwork', 'spec.segment.cidrs[1]')).toBe('l.yaml:12');
  });

  test('through an anchor', () => {
    const anchored = files({ 'a.yaml': `x: &segment\n  attachment: default/vlan100\n---\n${TENANT}` });
    expect(anchored.findings.map(({ code, at }) => `${code} ${at}`)).toEqual(['HCPIO-IN-002 a.yaml:1']);
  });
});

test('addresses that the operator gave out are read from the status', () => {
  const status = [
    'status:',
    '  machines: [{mac: "02:00:00:00:00:01", addresses: [192.168.100.77], machine: a}]',
    '  addresses: {ipv4: {cidr: 192.168.100.0/24, edgeA: 192.168.100.2, vip: 192.168.100.3}}',
  ].join('\n');
  expect([...files({ 'a.yaml': TENANT + status }).earlier]).toEqual([
    [
      'clusters/blue',
      {
        allocations: [{ mac: '02:00:00:00:00:01', addresses: ['192.168.100.77'], machine: 'a' }],
        inForce: { ipv4: { cidr: '192.168.100.0/24', edgeA: '192.168.100.2', vip: '192.168.100.3' } },
      },
    ],
  ]);
});

test('a status that nobody understands is not in the way', () => {
  const input = files({ 'a.yaml': `${TENANT}status: {machines: 7}` });
  expect([input.findings, [...input.earlier]]).toEqual([[], [['clusters/blue', { allocations: [] }]]]);
});
