import { blueObserved } from '../../hosted-cluster/testing/blue.ts';
import { type Case, gateway, neighbour, segment } from './case.ts';

export const segmentCases: readonly Case[] = [
  {
    code: 'HCPIO-NET-009',
    when: 'a pin takes the place where the router is',
    change: gateway({ addresses: { vip: '192.168.100.1' } }),
    says: 'clusters/blue TenantNetwork spec.gateway.addresses.vip: the router and the VIP both want 192.168.100.1',
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
];
