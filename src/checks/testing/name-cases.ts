import { type Case, gateway } from './case.ts';

export const nameCases: readonly Case[] = [
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
];
