import { describe, expect, test } from 'vitest';
import type { FindingCode } from '../api/finding-catalogue.ts';
import { blueObserved, type Change } from '../hosted-cluster/testing/blue.ts';
import { planTenant } from '../tenant/plan.ts';
import { allChecks } from './all.ts';

/** What a user reads: one sentence per finding of that code, for the healthy tenant with one thing changed. */
const sentences = (code: FindingCode, change: Change): string[] =>
  planTenant(blueObserved(change))
    .findings.filter((f) => f.code === code)
    .map((f) => `${f.object}${f.path === undefined ? '' : ` ${f.path}`}: ${f.message}`);

test('a healthy tenant has nothing to be told', () => {
  expect(planTenant(blueObserved()).findings).toEqual([]);
});

interface Case {
  readonly code: FindingCode;
  readonly when: string;
  readonly change: Change;
  readonly says: string;
}
const gateway = (settings: Record<string, unknown>): Change => ({ spec: { gateway: settings } });
const segment = (settings: Record<string, unknown>): Change => ({
  spec: { segment: { attachment: 'default/vlan100', cidrs: ['192.168.100.0/24'], ...settings } },
});
const proxied = (noProxy: string): Change => ({
  hostedClusterSpec: { configuration: { proxy: { httpsProxy: 'http://proxy.example.com:3128', noProxy } } },
});
const neighbour = {
  tenant: 'clusters/red',
  hostedCluster: 'clusters/red',
  attachment: 'default/vlan-100',
  sameSegment: true,
  cidrs: ['192.168.100.128/25'],
};
const inForce = (change: Record<string, string> = {}) => ({
  inForce: { ipv4: { cidr: '192.168.100.0/24', router: '192.168.100.1', edgeA: '192.168.100.2', vip: '192.168.100.3', ...change } },
});
const NO_PROXY =
  'ignition.blue.example.com,api.blue.example.com,oauth.blue.example.com,konnectivity.blue.example.com,.apps.blue.example.com';
const nodePort = (address: string) =>
  ['APIServer', 'OAuthServer', 'Konnectivity', 'Ignition'].map((service) => ({
    service,
    servicePublishingStrategy: { type: 'NodePort', nodePort: { address } },
  }));

/** Each check fires here; that it is silent on a healthy tenant is shown above. */
const cases: readonly Case[] = [
  {
    code: 'HCPIO-NET-020',
    when: 'the VIP is pinned elsewhere while a worker runs',
    change: { spec: { gateway: { addresses: { vip: '192.168.100.7' } } }, observed: inForce() },
    says: 'clusters/blue TenantNetwork spec.gateway.addresses.vip: the VIP would change from 192.168.100.3 to 192.168.100.7, and the worker that runs would go on using 192.168.100.3',
  },
  {
    code: 'HCPIO-NET-020',
    when: 'the segment moves while a worker runs',
    change: { observed: inForce({ cidr: '192.168.101.0/24' }) },
    says: 'clusters/blue TenantNetwork spec.segment.cidrs: the network would change from 192.168.101.0/24 to 192.168.100.0/24, and the worker that runs would go on using 192.168.101.0/24',
  },
  {
    code: 'HCPIO-NET-021',
    when: 'a range is reserved in which a machine has its address',
    change: {
      ...segment({ reserved: ['192.168.100.50-192.168.100.60'] }),
      observed: { allocations: [{ mac: '02:00:00:00:01:01', addresses: ['192.168.100.55'] }] },
    },
    says: 'clusters/blue TenantNetwork spec: machine blue-workers-1 would lose its address 192.168.100.55, which is no longer in the pool',
  },
  {
    code: 'HCPIO-NET-021',
    when: 'an edge is pinned to the address of a machine',
    change: {
      ...gateway({ addresses: { edgeB: '192.168.100.55' } }),
      observed: { allocations: [{ mac: '02:00:00:00:01:01', addresses: ['192.168.100.55'] }] },
    },
    says: 'clusters/blue TenantNetwork spec: machine blue-workers-1 would lose its address 192.168.100.55, which would be the address of edge-b',
  },
  {
    code: 'HCPIO-EP-014',
    when: 'no router runs in the guest yet',
    change: { observed: { guestRouter: 'absent' } },
    says: 'clusters/blue HostedCluster: no router runs in the hosted cluster yet, so *.apps.blue.example.com leads nowhere',
  },
  {
    code: 'HCPIO-TEN-001',
    when: 'the cluster is missing',
    change: { observed: { hostedCluster: undefined } },
    says: 'clusters/blue TenantNetwork spec.hostedCluster: there is no HostedCluster clusters/blue',
  },
  {
    code: 'HCPIO-TEN-004',
    when: 'the platform is another',
    change: { hostedClusterSpec: { platform: { type: 'AWS' } } },
    says: 'clusters/blue HostedCluster spec.platform.type: the workers are of platform AWS, and hcpio serves VMs of OpenShift Virtualization',
  },
  {
    code: 'HCPIO-TEN-005',
    when: 'the VMs run elsewhere',
    change: { hostedClusterSpec: { platform: { type: 'KubeVirt', kubevirt: { credentials: { infraNamespace: 'x' } } } } },
    says: 'clusters/blue HostedCluster spec.platform.kubevirt.credentials: the VMs run on another infrastructure cluster, so an edge on this hub is not on their segment',
  },
  {
    code: 'HCPIO-TEN-007',
    when: 'another TenantNetwork serves the cluster',
    change: { observed: { neighbours: [{ ...neighbour, hostedCluster: 'clusters/blue', sameSegment: false }] } },
    says: 'clusters/blue TenantNetwork spec.hostedCluster: clusters/blue and clusters/red both serve HostedCluster clusters/blue',
  },
  {
    code: 'HCPIO-TEN-008',
    when: 'the annotation names another attachment',
    change: { hostedClusterAnnotations: { 'hcpio.io/tenant-network': 'default/vlan200' } },
    says: 'clusters/blue HostedCluster metadata.annotations["hcpio.io/tenant-network"]: the annotation names "default/vlan200", the TenantNetwork "default/vlan100"; the TenantNetwork wins',
  },
  {
    code: 'HCPIO-TEN-009',
    when: 'the edge namespace is a control plane',
    change: { observed: { edgeNamespaceOwners: ['clusters/blue-edge'] } },
    says: 'clusters/blue HostedCluster: the edge belongs into namespace clusters-blue-edge, which is the control-plane namespace of HostedCluster clusters/blue-edge',
  },
  {
    code: 'HCPIO-TEN-010',
    when: 'the name is too long',
    change: { spec: { hostedCluster: 'a'.repeat(60) } },
    says: `clusters/${'a'.repeat(60)} HostedCluster metadata.name: HyperShift cannot make namespace clusters-${'a'.repeat(60)}: it has 69 characters, and 63 is the most`,
  },
  {
    code: 'HCPIO-EP-013',
    when: 'the EndpointSlices are missing',
    change: { observed: { endpointSlices: [] } },
    says: 'clusters-blue/konnectivity-server Service: its pods are not known, so the gateway dials its ClusterIP, and an agent may not meet every server',
  },
  {
    code: 'HCPIO-DNS-004',
    when: "an upstream is the hub's",
    change: gateway({ dns: { upstreams: ['172.30.0.10'] } }),
    says: 'clusters/blue TenantNetwork spec.gateway.dns.upstreams[0]: 172.30.0.10 is an address of the hub, which the segment must not reach',
  },
  {
    code: 'HCPIO-DNS-007',
    when: 'a record claims a top-level domain',
    change: gateway({ dns: { records: [{ name: 'com', type: 'A', value: '192.168.100.9' }] } }),
    says: 'clusters/blue TenantNetwork spec.gateway.dns.records[0].name: com would answer for the whole of .com',
  },
  {
    code: 'HCPIO-DNS-002',
    when: 'a CNAME has company',
    change: gateway({
      dns: {
        records: [
          { name: 'x.corp.example.com', type: 'CNAME', value: 'y.corp.example.com' },
          { name: 'x.corp.example.com', type: 'A', value: '192.168.100.9' },
        ],
      },
    }),
    says: 'clusters/blue TenantNetwork spec.gateway.dns.records[0]: x.corp.example.com is a CNAME and has another record, or points at itself',
  },
  {
    code: 'HCPIO-NP-009',
    when: 'a machine is called api',
    change: { observed: { machines: blueObserved().machines.map((vmi) => ({ ...vmi, metadata: { ...vmi.metadata, name: 'api' } })) } },
    says: 'clusters-blue/api VirtualMachineInstance metadata.name: machine api has the name of a published service or of an edge, api.blue.example.com, and cannot be found by it',
  },
  {
    code: 'HCPIO-NET-009',
    when: 'a pin takes the place where the router is',
    change: gateway({ addresses: { vip: '192.168.100.1' } }),
    says: 'clusters/blue TenantNetwork spec.gateway.addresses.vip: the router and the VIP both want 192.168.100.1',
  },
  {
    code: 'HCPIO-MODE-001',
    when: 'the mode has no planner',
    change: { spec: { mode: 'PrimaryUDN' } },
    says: 'clusters/blue TenantNetwork spec.mode: mode PrimaryUDN is not built yet',
  },
  {
    code: 'HCPIO-MODE-002',
    when: 'settings of another mode are there',
    change: { spec: { loadBalancer: {} } },
    says: 'clusters/blue TenantNetwork spec.loadBalancer: spec.loadBalancer holds settings of another mode than Gateway',
  },
  {
    code: 'HCPIO-NET-003',
    when: "the segment lies in the hub's pod network",
    change: segment({ cidrs: ['10.129.4.0/24'] }),
    says: "clusters/blue TenantNetwork spec.segment.cidrs[0]: segment 10.129.4.0/24 overlaps the hub's pod network 10.128.0.0/14: choose a CIDR outside it",
  },
  {
    code: 'HCPIO-NET-003',
    when: 'a hub node has an address of the segment',
    change: segment({ cidrs: ['192.168.10.0/24'] }),
    says: 'clusters/blue TenantNetwork spec.segment.cidrs[0]: segment 192.168.10.0/24 overlaps the address of a hub node 192.168.10.11/32: choose a CIDR outside it',
  },
  {
    code: 'HCPIO-NET-006',
    when: 'nobody says which network it is',
    change: { ...segment({ cidrs: [] }), hostedClusterSpec: { networking: {} } },
    says: 'clusters/blue TenantNetwork spec.segment.cidrs: neither spec.segment.cidrs nor networking.machineNetwork of the HostedCluster says which network the segment is',
  },
  {
    code: 'HCPIO-NET-007',
    when: 'machineNetwork is not set',
    change: { hostedClusterSpec: { networking: {} } },
    says: "clusters/blue HostedCluster spec.networking.machineNetwork: networking.machineNetwork is not set, the segment is 192.168.100.0/24; the guest's noProxy and address choice follow machineNetwork",
  },
  {
    code: 'HCPIO-NET-012',
    when: 'the NodePools outgrow the pool',
    change: { nodePoolSpec: { replicas: null, autoScaling: { min: 1, max: 300 } } },
    says: 'clusters/blue TenantNetwork spec.segment.cidrs: the IPv4 pool of 192.168.100.0/24 has 245 addresses, but the NodePools can grow to 301 machines while they are replaced',
  },
  {
    code: 'HCPIO-NET-013',
    when: 'the segment is a /16',
    change: segment({ cidrs: ['192.169.0.0/16'] }),
    says: 'clusters/blue TenantNetwork spec.segment.cidrs[0]: 192.169.0.0/16 is one broadcast domain for thousands of machines, and the neighbour table of a hub node holds 1,024 entries by default',
  },
  {
    code: 'HCPIO-NET-014',
    when: 'a neighbour on the same VLAN overlaps',
    change: { observed: { neighbours: [neighbour] } },
    says: 'clusters/blue TenantNetwork spec.segment.cidrs[0]: 192.168.100.0/24 overlaps 192.168.100.128/25 of tenant clusters/red on the same segment (default/vlan100 and default/vlan-100)',
  },
  {
    code: 'HCPIO-NET-015',
    when: 'the IPv6 network is a /96',
    change: segment({ cidrs: ['2001:db8::/96'] }),
    says: 'clusters/blue TenantNetwork spec.segment.cidrs[0]: 2001:db8::/96 is no /64: machines cannot configure addresses by themselves (SLAAC) and depend on DHCPv6 alone',
  },
  {
    code: 'HCPIO-NET-017',
    when: 'the attachment carries less',
    change: {
      ...segment({ mtu: 9000 }),
      nadConfig: { cniVersion: '0.3.1', name: 'vlan100', type: 'bridge', bridge: 'br100', mtu: 1500, macspoofchk: true },
    },
    says: 'clusters/blue TenantNetwork spec.segment.mtu: the MTU is 9000, but attachment default/vlan100 carries 1500 only',
  },
  {
    code: 'HCPIO-NET-018',
    when: 'there is IPv6',
    change: segment({ cidrs: ['2001:db8::/64'] }),
    says: 'clusters/blue TenantNetwork spec.segment.cidrs[0]: DHCPv6 carries no default route: machines on 2001:db8::/64 learn it from router advertisements, which hcpio does not send',
  },
  {
    code: 'HCPIO-NET-019',
    when: 'the hub says nothing of its networks',
    change: { observed: { hub: { ...blueObserved().hub, clusterNetworks: [] } } },
    says: "clusters/blue TenantNetwork: the hub's own pod and service networks are not known, so an overlap with them was not looked for",
  },
  {
    code: 'HCPIO-EP-002',
    when: 'the published address cannot be the VIP',
    change: {
      hostedClusterSpec: { services: nodePort('10.9.9.9') },
      observed: {
        services: blueObserved().services.map((s) => ({
          ...s,
          spec: { ...s.spec, type: 'NodePort', ports: s.spec.ports.map((p) => ({ ...p, nodePort: 30000 + p.port })) },
        })),
      },
    },
    says: 'clusters/blue HostedCluster spec.services[2].servicePublishingStrategy: workers will dial Konnectivity at 10.9.9.9, but the gateway answers on 192.168.100.3',
  },
  {
    code: 'HCPIO-EP-003',
    when: 'an extra port is taken',
    change: gateway({ ports: [{ port: 6443, service: 'oauth-openshift', servicePort: 6443 }] }),
    says: 'clusters/blue TenantNetwork: APIServer and spec.gateway.ports (oauth-openshift) both want port 6443 of the VIP',
  },
  {
    code: 'HCPIO-EP-010',
    when: 'an extra port has no Service',
    change: gateway({ ports: [{ port: 7000, service: 'nothing', servicePort: 1 }] }),
    says: 'clusters/blue TenantNetwork spec.gateway.ports[0].service: there is no Service clusters-blue/nothing to publish',
  },
  {
    code: 'HCPIO-DNS-001',
    when: 'the base domain is no name',
    change: { hostedClusterSpec: { dns: { baseDomain: 'Exa mple' } } },
    says: 'clusters/blue HostedCluster spec.dns.baseDomain: "blue.Exa mple" is no DNS name',
  },
  {
    code: 'HCPIO-DNS-002',
    when: 'a record contradicts the cluster',
    change: gateway({ dns: { records: [{ name: 'api.blue.example.com', type: 'A', value: '192.168.100.77' }] } }),
    says: 'clusters/blue TenantNetwork spec.gateway.dns.records[0]: api.blue.example.com is published by the cluster itself and cannot be A 192.168.100.77 as well',
  },
  {
    code: 'HCPIO-DNS-003',
    when: 'an upstream is a name',
    change: gateway({ dns: { upstreams: ['dns.example.com'] } }),
    says: 'clusters/blue TenantNetwork spec.gateway.dns.upstreams[0]: "dns.example.com" is neither an address nor address:port',
  },
  {
    code: 'HCPIO-DNS-004',
    when: 'an upstream is the edge itself',
    change: gateway({ dns: { upstreams: ['192.168.100.2:53'] } }),
    says: 'clusters/blue TenantNetwork spec.gateway.dns.upstreams[0]: 192.168.100.2 is the edge itself: a query would go round in circles',
  },
  {
    code: 'HCPIO-DNS-005',
    when: "the cluster domain lies under the hub's apps",
    change: { hostedClusterSpec: { dns: { baseDomain: 'apps.mgmt.example.com' } } },
    says: "clusters/blue HostedCluster spec.dns.baseDomain: the cluster domain blue.apps.mgmt.example.com lies under the hub's ingress domain apps.mgmt.example.com; only this cluster's own names of it exist on the segment",
  },
  {
    code: 'HCPIO-DNS-006',
    when: 'a value does not fit',
    change: gateway({ dns: { records: [{ name: 'x.example.com', type: 'AAAA', value: '192.168.1.1' }] } }),
    says: 'clusters/blue TenantNetwork spec.gateway.dns.records[0].value: "192.168.1.1" is no value for a record of type AAAA',
  },
  {
    code: 'HCPIO-DHCP-001',
    when: 'an option is ours',
    change: gateway({ dhcp: { options: [{ code: 6, data: '192.168.100.9' }] } }),
    says: 'clusters/blue TenantNetwork spec.gateway.dhcp.options[0].code: option 6 (domain-name-servers) is worked out from the plan',
  },
  {
    code: 'HCPIO-DHCP-002',
    when: 'an option holds a line break',
    change: gateway({ dhcp: { options: [{ code: 66, data: 'a\nb' }] } }),
    says: 'clusters/blue TenantNetwork spec.gateway.dhcp.options[0].data: the value of option 66 holds a quote, a backslash or an unprintable character',
  },
  {
    code: 'HCPIO-DHCP-003',
    when: 'a time server is a name',
    change: gateway({ dhcp: { ntpServers: ['ntp.example.com'] } }),
    says: 'clusters/blue TenantNetwork spec.gateway.dhcp.ntpServers[0]: "ntp.example.com" is not an IP address, and option 42 carries addresses only',
  },
  {
    code: 'HCPIO-DHCP-004',
    when: 'leases last a day',
    change: gateway({ dhcp: { leaseSeconds: 86_400 } }),
    says: 'clusters/blue TenantNetwork spec.gateway.dhcp.leaseSeconds: a deleted VM keeps its address for up to 24 h, because it sends no release; replacing all workers may run out of addresses',
  },
  {
    code: 'HCPIO-DHCP-005',
    when: 'anyone is served',
    change: gateway({ dhcp: { serve: 'Anyone' } }),
    says: 'clusters/blue TenantNetwork spec.gateway.dhcp.serve: anyone on the segment gets an address, so one VM can take all of them in about a second',
  },
  {
    code: 'HCPIO-NP-001',
    when: 'attachDefaultNetwork is left true',
    change: { kubevirt: { attachDefaultNetwork: null } },
    says: "clusters/blue-workers NodePool spec.platform.kubevirt.attachDefaultNetwork: VMs of NodePool blue-workers also sit on the hub's pod network: they are not isolated, and take their default route there",
  },
  {
    code: 'HCPIO-NP-002',
    when: 'the VMs are elsewhere',
    change: { kubevirt: { additionalNetworks: [{ name: 'default/vlan200' }] } },
    says: 'clusters/blue-workers NodePool spec.platform.kubevirt.additionalNetworks: VMs of NodePool blue-workers are not attached to default/vlan100',
  },
  {
    code: 'HCPIO-NP-003',
    when: 'there is no NodePool',
    change: { observed: { nodePools: [] } },
    says: 'clusters/blue HostedCluster: there is no NodePool yet, so nobody needs addresses',
  },
  {
    code: 'HCPIO-NP-004',
    when: 'a person paused the pool',
    change: { nodePoolSpec: { pausedUntil: 'true' } },
    says: 'clusters/blue-workers NodePool spec.pausedUntil: NodePool blue-workers was paused by somebody else; hcpio will not release it',
  },
  {
    code: 'HCPIO-NP-008',
    when: 'the pool is empty',
    change: {
      ...segment({ reserved: ['192.168.100.11-192.168.100.254'] }),
      observed: {
        machines: [1, 2].flatMap((n) =>
          blueObserved().machines.map((vmi) => ({
            ...vmi,
            metadata: { ...vmi.metadata, name: `m${n}` },
            status: { interfaces: [{ name: 'iface1_default-vlan100', mac: `02:00:00:00:01:0${n}` }] },
          })),
        ),
      },
    },
    says: 'clusters-blue/m2 VirtualMachineInstance: the pool has no address left for machine m2',
  },
  {
    code: 'HCPIO-PRX-001',
    when: 'noProxy misses ignition',
    change: proxied('kubernetes'),
    says: 'clusters/blue HostedCluster spec.configuration.proxy.noProxy: noProxy does not cover ignition.blue.example.com: VMs will fetch their ignition config through the proxy, which cannot reach it',
  },
  {
    code: 'HCPIO-PRX-002',
    when: 'noProxy misses the API',
    change: proxied('ignition.blue.example.com'),
    says: 'clusters/blue HostedCluster spec.configuration.proxy.noProxy: noProxy covers neither api.blue.example.com nor kubernetes: every node will reach its API through the proxy, which cannot reach it',
  },
  {
    code: 'HCPIO-PRX-003',
    when: 'noProxy misses OAuth',
    change: proxied(NO_PROXY.replace('oauth.blue.example.com,', '')),
    says: 'clusters/blue HostedCluster spec.configuration.proxy.noProxy: noProxy does not cover oauth.blue.example.com: OAuthServer will be dialled through the proxy',
  },
  {
    code: 'HCPIO-NET-022',
    when: 'no address is left for the prober',
    change: {
      spec: {
        segment: { attachment: 'default/vlan100', cidrs: ['192.168.100.8/29'], reserved: ['192.168.100.12-192.168.100.13'] },
        gateway: { availability: 'Single' },
      },
    },
    says: 'clusters/blue TenantNetwork spec.segment.reserved: no address of 192.168.100.8/29 is left to probe the segment from, so nobody can prove that it answers, and NodePools that wait for the proof wait for ever',
  },
  {
    code: 'HCPIO-PRX-004',
    when: 'noProxy misses the apps',
    change: proxied(NO_PROXY.replace(',.apps.blue.example.com', '')),
    says: "clusters/blue HostedCluster spec.configuration.proxy.noProxy: noProxy does not cover .apps.blue.example.com: the cluster's own checks of console and ingress go through the proxy",
  },
  {
    code: 'HCPIO-PRX-005',
    when: 'noProxy misses the segment',
    change: { hostedClusterSpec: { networking: {}, configuration: { proxy: { httpsProxy: 'http://p:1', noProxy: NO_PROXY } } } },
    says: 'clusters/blue HostedCluster spec.configuration.proxy.noProxy: the segment 192.168.100.0/24 is not in noProxy, because networking.machineNetwork does not hold it',
  },
];

describe('a check tells', () => {
  test.each(cases)('$code when $when', ({ code, change, says }) => {
    expect(sentences(code, change)).toContain(says);
  });
});

test('a proxy with a complete noProxy is nothing to be told about', () => {
  expect(planTenant(blueObserved(proxied(NO_PROXY))).findings).toEqual([]);
});

describe('what workers were told', () => {
  const codes = (change: Change) => planTenant(blueObserved(change)).findings.map(({ code }) => code);
  const pinned = { gateway: { addresses: { vip: '192.168.100.7' } } };

  test('may change while none of them runs', () => {
    expect(codes({ spec: pinned, observed: { ...inForce(), machines: [] } })).toEqual([]);
    expect(codes({ spec: pinned, observed: inForce() })).toEqual(['HCPIO-NET-020']);
  });

  test('does not change when a second edge comes or goes', () => {
    expect(codes({ observed: inForce() })).toEqual([]);
    expect(codes({ spec: { gateway: { availability: 'Single' } }, observed: inForce({ edgeB: '192.168.100.4' }) })).toEqual([]);
  });

  test('is told with the way out, for all of it that would change', () => {
    const change = segment({ router: 'None' });
    const { findings } = planTenant(blueObserved({ ...change, observed: inForce() }));
    expect(findings.map(({ path }) => path)).toEqual(['spec.gateway.addresses.edgeA', 'spec.gateway.addresses.vip', 'spec.segment.router']);
    expect(findings[2]).toMatchObject({
      message: 'the router would change from 192.168.100.1 to nothing, and the worker that runs would go on using 192.168.100.1',
      fix: 'put 192.168.100.1 back, or let no worker run (kubectl scale --replicas 0 --namespace clusters nodepool blue-workers), and change it then',
    });
  });
});

test('every check of the table is shown to fire, here or beside its own code', () => {
  const elsewhere = new Set([
    'HCPIO-EP-012',
    'HCPIO-ATT-001',
    'HCPIO-ATT-002',
    'HCPIO-ATT-003',
    'HCPIO-ATT-004',
    'HCPIO-ATT-005',
    'HCPIO-ATT-006',
    'HCPIO-ATT-007',
    'HCPIO-ATT-008',
  ]);
  const shown = new Set<string>(cases.map((c) => c.code));
  expect(allChecks.map((c) => c.code).filter((code) => !shown.has(code) && !elsewhere.has(code))).toEqual([]);
});
