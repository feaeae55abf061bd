import { type Case, gateway } from './case.ts';

export const dhcpCases: readonly Case[] = [
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
];
