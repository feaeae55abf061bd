import { type Case, gateway, inForce, segment } from './case.ts';

export const liveAddressCases: readonly Case[] = [
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
];
