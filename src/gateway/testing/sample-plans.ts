import type { EdgePlan, NameRecord, TenantPlan } from '../tenant-plan.ts';

/** Plans for the renderers' tests, one per shape that changes what is rendered. The planner's own tests prove that it makes such plans. */
const edges: readonly EdgePlan[] = [
  {
    name: 'edge-a',
    addresses: { ipv4: '192.168.100.2' },
    priority: 150,
    peer: {
      name: 'edge-b',
      address: '169.254.77.1',
      mac: '02:68:63:70:00:01',
      peerAddress: '169.254.77.2',
      peerMac: '02:68:63:70:00:02',
    },
  },
  {
    name: 'edge-b',
    addresses: { ipv4: '192.168.100.4' },
    priority: 100,
    peer: {
      name: 'edge-a',
      address: '169.254.77.2',
      mac: '02:68:63:70:00:02',
      peerAddress: '169.254.77.1',
      peerMac: '02:68:63:70:00:01',
    },
  },
];

const vip = '192.168.100.3';
const a = (name: string, address: string): NameRecord => ({ name, type: 'A', address });
const names: readonly NameRecord[] = [
  a('api.blue.example.com', vip),
  a('api-int.blue.example.com', vip),
  a('oauth.blue.example.com', vip),
  a('konnectivity.blue.example.com', vip),
  a('ignition.blue.example.com', vip),
  a('*.apps.blue.example.com', vip),
  a('edge-a.blue.example.com', '192.168.100.2'),
  a('edge-b.blue.example.com', '192.168.100.4'),
  a('blue-workers-x7k20-1.blue.example.com', '192.168.100.10'),
];
const reverse: readonly NameRecord[] = [
  { name: '2.100.168.192.in-addr.arpa', type: 'PTR', target: 'edge-a.blue.example.com' },
  { name: '10.100.168.192.in-addr.arpa', type: 'PTR', target: 'blue-workers-x7k20-1.blue.example.com' },
];

/** API by LoadBalancer with a hostname, the rest by Route: the commonest way. Two edges, IPv4, no upstream resolvers. */
export const blue: TenantPlan = {
  tenant: 'clusters/blue',
  mode: 'Gateway',
  controlPlaneNamespace: 'clusters-blue',
  edgeNamespace: 'clusters-blue-edge',
  addresses: {
    ipv4: {
      cidr: '192.168.100.0/24',
      router: '192.168.100.1',
      edgeA: '192.168.100.2',
      vip,
      edgeB: '192.168.100.4',
      prober: '192.168.100.5',
      pool: [
        ['192.168.100.10', '192.168.100.199'],
        ['192.168.100.221', '192.168.100.254'],
      ],
    },
  },
  names: [...names, ...reverse],
  listeners: [
    { address: vip, port: 80, kind: 'tcp', routes: [{ sni: null, upstream: 'guest:http' }] },
    {
      address: vip,
      port: 443,
      kind: 'sni',
      routes: [
        { sni: 'oauth.blue.example.com', upstream: 'clusters-blue/oauth-openshift:6443' },
        { sni: 'konnectivity.blue.example.com', upstream: 'clusters-blue/konnectivity-server:8091' },
        { sni: 'ignition.blue.example.com', upstream: 'clusters-blue/ignition-server-proxy:443' },
        { sni: '*.apps.blue.example.com', upstream: 'guest:https' },
      ],
    },
    { address: vip, port: 6443, kind: 'tcp', routes: [{ sni: null, upstream: 'clusters-blue/kube-apiserver:6443' }] },
  ],
  upstreams: [
    { upstream: 'clusters-blue/kube-apiserver:6443', discovery: 'clusterIP', endpoints: [{ address: '172.30.10.1', port: 6443 }] },
    { upstream: 'clusters-blue/oauth-openshift:6443', discovery: 'clusterIP', endpoints: [{ address: '172.30.10.2', port: 6443 }] },
    {
      upstream: 'clusters-blue/konnectivity-server:8091',
      discovery: 'pods',
      endpoints: [
        { address: '10.128.0.21', port: 8091 },
        { address: '10.128.1.22', port: 8091 },
      ],
    },
    { upstream: 'clusters-blue/ignition-server-proxy:443', discovery: 'clusterIP', endpoints: [{ address: '172.30.10.4', port: 443 }] },
    { upstream: 'guest:https', discovery: 'workers', endpoints: [{ address: '192.168.100.10', port: 31443 }] },
    { upstream: 'guest:http', discovery: 'workers', endpoints: [{ address: '192.168.100.10', port: 31080 }] },
  ],
  segment: { attachment: 'default/vlan100', mtu: 1500, domain: 'blue.example.com' },
  edges,
  prober: { name: 'prober', addresses: { ipv4: '192.168.100.5' } },
  endpoints: [
    {
      service: 'APIServer',
      strategy: 'LoadBalancer',
      host: 'api.blue.example.com',
      port: 6443,
      upstream: 'clusters-blue/kube-apiserver:6443',
    },
    {
      service: 'OAuthServer',
      strategy: 'Route',
      host: 'oauth.blue.example.com',
      port: 443,
      upstream: 'clusters-blue/oauth-openshift:6443',
    },
    {
      service: 'Konnectivity',
      strategy: 'Route',
      host: 'konnectivity.blue.example.com',
      port: 443,
      upstream: 'clusters-blue/konnectivity-server:8091',
    },
    {
      service: 'Ignition',
      strategy: 'Route',
      host: 'ignition.blue.example.com',
      port: 443,
      upstream: 'clusters-blue/ignition-server-proxy:443',
    },
  ],
  dhcp: {
    serve: 'KnownMachines',
    leaseSeconds: 900,
    options: [
      { code: 3, name: 'routers', data: '192.168.100.1' },
      { code: 6, name: 'domain-name-servers', data: '192.168.100.2, 192.168.100.4' },
      { code: 15, name: 'domain-name', data: 'blue.example.com' },
      { code: 42, name: 'ntp-servers', data: '192.168.100.1' },
      { code: 119, name: 'domain-search', data: 'blue.example.com' },
      { code: 121, name: 'classless-static-route', data: '0.0.0.0/0 - 192.168.100.1' },
    ],
    reservations: [{ machine: 'blue-workers-x7k20-1', mac: '02:00:00:00:01:01', addresses: { ipv4: '192.168.100.10' } }],
  },
  dns: {
    upstreams: [],
    denied: ['cluster.local', 'apps.mgmt.example.com', 'mgmt.example.com', '10.in-addr.arpa', '168.192.in-addr.arpa', 'd.f.ip6.arpa'],
    zones: [
      { origin: 'blue.example.com', fallthrough: false, records: names },
      { origin: '100.168.192.in-addr.arpa', fallthrough: false, records: reverse },
    ],
  },
  openPorts: [
    { protocol: 'udp', port: 67, on: 'any', purpose: 'DHCP' },
    { protocol: 'udp', port: 53, on: 'edge', purpose: 'DNS' },
    { protocol: 'tcp', port: 53, on: 'edge', purpose: 'DNS' },
    { protocol: 'tcp', port: 80, on: 'vip', purpose: 'apps' },
    { protocol: 'tcp', port: 443, on: 'vip', purpose: 'oauth, konnectivity, ignition, apps' },
    { protocol: 'tcp', port: 6443, on: 'vip', purpose: 'API' },
  ],
  findings: [],
};

/** One edge alone: no Kea pair, and nobody at the other end of its link. */
export const single: TenantPlan = {
  ...blue,
  addresses: {
    ipv4: {
      cidr: '192.168.100.0/24',
      router: '192.168.100.1',
      edgeA: '192.168.100.2',
      vip,
      prober: '192.168.100.5',
      pool: [['192.168.100.10', '192.168.100.254']],
    },
  },
  edges: edges.slice(0, 1),
};

/** Of fd00:100::/64. */
const IPV6_REVERSE_ZONE = '0.0.0.0.0.0.0.0.0.0.1.0.0.0.d.f.ip6.arpa';

/** Both families, a jumbo MTU and upstream resolvers. */
export const dualStack: TenantPlan = {
  ...blue,
  addresses: {
    ...blue.addresses,
    ipv6: {
      cidr: 'fd00:100::/64',
      router: 'fd00:100::1',
      edgeA: 'fd00:100::2',
      vip: 'fd00:100::3',
      edgeB: 'fd00:100::4',
      prober: 'fd00:100::5',
      pool: [['fd00:100::a', 'fd00:100::1009']],
    },
  },
  segment: { ...blue.segment, mtu: 9000 },
  prober: { name: 'prober', addresses: { ipv4: '192.168.100.5', ipv6: 'fd00:100::5' } },
  edges: edges.map((edge) => ({ ...edge, addresses: { ...edge.addresses, ipv6: edge.name === 'edge-a' ? 'fd00:100::2' : 'fd00:100::4' } })),
  listeners: blue.listeners.flatMap((listener) => [listener, { ...listener, address: 'fd00:100::3' }]),
  dhcp: {
    ...blue.dhcp,
    options: [...blue.dhcp.options, { code: 26, name: 'interface-mtu', data: '9000' }],
    reservations: [
      { machine: 'blue-workers-x7k20-1', mac: '02:00:00:00:01:01', addresses: { ipv4: '192.168.100.10', ipv6: 'fd00:100::a' } },
    ],
  },
  openPorts: [...blue.openPorts, { protocol: 'udp', port: 547, on: 'any', purpose: 'DHCPv6' }],
  dns: {
    ...blue.dns,
    upstreams: ['192.168.100.1', '[fd00:100::1]:5353'],
    zones: [
      {
        origin: 'blue.example.com',
        fallthrough: true,
        records: [
          ...names,
          ...names
            .filter((n) => n.type === 'A' && n.address === vip)
            .map((n) => ({ name: n.name, type: 'AAAA' as const, address: 'fd00:100::3' })),
        ],
      },
      ...blue.dns.zones.slice(1),
      { origin: IPV6_REVERSE_ZONE, fallthrough: false, records: [] },
    ],
  },
};

const aaaa = (name: string, address: string): NameRecord => ({ name, type: 'AAAA', address });
const ipv6Names: readonly NameRecord[] = [
  ...names.filter((record) => record.type === 'A' && record.address === vip).map(({ name }) => aaaa(name, 'fd00:100::3')),
  aaaa('edge-a.blue.example.com', 'fd00:100::2'),
  aaaa('edge-b.blue.example.com', 'fd00:100::4'),
  aaaa('blue-workers-x7k20-1.blue.example.com', 'fd00:100::a'),
];
const ipv6Reverse: readonly NameRecord[] = [
  { name: `2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.${IPV6_REVERSE_ZONE}`, type: 'PTR', target: 'edge-a.blue.example.com' },
];

/** Everything by Route: the API is the default chain of 443, and a segment without a router. */
export const allRoutes: TenantPlan = {
  ...blue,
  addresses: {
    ipv4: {
      cidr: '192.168.100.0/24',
      edgeA: '192.168.100.1',
      vip: '192.168.100.2',
      edgeB: '192.168.100.3',
      prober: '192.168.100.4',
      pool: [['192.168.100.10', '192.168.100.254']],
    },
  },
  edges: edges.map((edge) => ({ ...edge, addresses: { ipv4: edge.name === 'edge-a' ? '192.168.100.1' : '192.168.100.3' } })),
  prober: { name: 'prober', addresses: { ipv4: '192.168.100.4' } },
  listeners: [
    {
      address: '192.168.100.2',
      port: 443,
      kind: 'sni',
      routes: [...(blue.listeners[1]?.routes ?? []), { sni: null, upstream: 'clusters-blue/kube-apiserver:6443' }],
    },
  ],
  dhcp: { ...blue.dhcp, serve: 'Anyone', options: blue.dhcp.options.filter((o) => o.code !== 3 && o.code !== 121), reservations: [] },
};

/** A segment without IPv4. The hub's own networks have it, so the gateway takes IPv6 on one side and dials IPv4 on the other. */
export const ipv6Only: TenantPlan = {
  ...dualStack,
  addresses: { ...(dualStack.addresses.ipv6 === undefined ? {} : { ipv6: dualStack.addresses.ipv6 }) },
  names: [...ipv6Names, ...ipv6Reverse],
  segment: blue.segment,
  edges: edges.map((edge) => ({ ...edge, addresses: { ipv6: edge.name === 'edge-a' ? 'fd00:100::2' : 'fd00:100::4' } })),
  prober: { name: 'prober', addresses: { ipv6: 'fd00:100::5' } },
  listeners: blue.listeners.map((listener) => ({ ...listener, address: 'fd00:100::3' })),
  upstreams: blue.upstreams.map((upstream) =>
    upstream.discovery === 'workers'
      ? { ...upstream, endpoints: upstream.endpoints.map(({ port }) => ({ address: 'fd00:100::a', port })) }
      : upstream,
  ),
  dhcp: {
    ...blue.dhcp,
    options: [],
    reservations: [{ machine: 'blue-workers-x7k20-1', mac: '02:00:00:00:01:01', addresses: { ipv6: 'fd00:100::a' } }],
  },
  dns: {
    ...blue.dns,
    zones: [
      { origin: 'blue.example.com', fallthrough: false, records: ipv6Names },
      { origin: IPV6_REVERSE_ZONE, fallthrough: false, records: ipv6Reverse },
    ],
  },
  openPorts: [...blue.openPorts.filter(({ port }) => port !== 67), { protocol: 'udp', port: 547, on: 'any', purpose: 'DHCPv6' }],
};

export const samplePlans = { blue, single, dualStack, ipv6Only, allRoutes };
