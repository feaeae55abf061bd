import { isDnsName, isWildcardName } from '../api/text.ts';
import { parseResolver } from '../gateway/resolver.ts';
import { familyOf } from '../net/ip.ts';
import { check, hostedClusterRef, tenantRef } from './check.ts';

export const domainIsADnsName = check('HCPIO-DNS-001', ({ observed, plan }) => {
  const { domain } = plan.segment;
  if (observed.hostedCluster === undefined || isDnsName(domain)) return [];
  return [
    {
      object: hostedClusterRef(observed),
      path: 'spec.dns.baseDomain',
      message:
        domain === ''
          ? 'the cluster has no base domain, so its machines and apps have no names'
          : `${JSON.stringify(domain)} is no DNS name`,
      fix: 'set spec.dns.baseDomain to a DNS name in lower case before the cluster is created',
    },
  ];
});

export const recordsDoNotContradict = check('HCPIO-DNS-002', ({ observed, settings, plan }) => {
  const own = new Map<string, Set<string>>();
  const user = new Set(settings.dns.records.map((r) => `${r.name} ${r.type} ${r.value}`));
  for (const record of plan.names) {
    const value = 'address' in record ? record.address : record.target;
    if (user.has(`${record.name} ${record.type} ${value}`)) continue;
    own.set(record.name, (own.get(record.name) ?? new Set()).add(record.type));
  }
  return settings.dns.records.flatMap((record, i) => {
    const types = own.get(record.name);
    // A CNAME stands alone (RFC 1034 3.6.2); a second address would send half of the workers elsewhere.
    if (types === undefined || !(types.has(record.type) || record.type === 'CNAME')) return [];
    return [
      {
        object: tenantRef(observed),
        path: `spec.gateway.dns.records[${i}]`,
        message: `${record.name} is published by the cluster itself and cannot be ${record.type} ${record.value} as well`,
        fix: 'remove the record',
      },
    ];
  });
});

export const upstreamsAreAddresses = check('HCPIO-DNS-003', ({ observed, settings }) =>
  settings.dns.upstreams.flatMap((upstream, i) =>
    parseResolver(upstream) !== undefined
      ? []
      : [
          {
            object: tenantRef(observed),
            path: `spec.gateway.dns.upstreams[${i}]`,
            message: `${JSON.stringify(upstream)} is neither an address nor address:port`,
            fix: 'write 192.0.2.53, 192.0.2.53:5353, 2001:db8::53 or [2001:db8::53]:5353',
          },
        ],
  ),
);

export const upstreamsAreOutside = check('HCPIO-DNS-004', ({ observed, settings, plan }) => {
  const edges = plan.edges.flatMap((edge) => Object.values(edge.addresses));
  return settings.dns.upstreams.flatMap((upstream, i) => {
    const address = parseResolver(upstream);
    if (address === undefined || !(edges.includes(address) || address.startsWith('127.') || address === '::1')) return [];
    return [
      {
        object: tenantRef(observed),
        path: `spec.gateway.dns.upstreams[${i}]`,
        message: `${address} is the edge itself: a query would go round in circles`,
        fix: 'name a resolver outside the edge, or none at all',
      },
    ];
  });
});

export const domainIsNotTheHubs = check('HCPIO-DNS-005', ({ observed, plan }) => {
  const { ingressDomain } = observed.hub;
  if (ingressDomain === '' || !plan.segment.domain.endsWith(`.${ingressDomain}`)) return [];
  return [
    {
      object: hostedClusterRef(observed),
      path: 'spec.dns.baseDomain',
      message: `the cluster domain ${plan.segment.domain} lies under the hub's ingress domain ${ingressDomain}; only this cluster's own names of it exist on the segment`,
      fix: 'create the cluster with baseDomainPassthrough: false and a base domain of its own',
    },
  ];
});

export const recordValuesFit = check('HCPIO-DNS-006', ({ observed, settings }) =>
  settings.dns.records.flatMap((record, i) =>
    fits(record.type, record.value)
      ? []
      : [
          {
            object: tenantRef(observed),
            path: `spec.gateway.dns.records[${i}].value`,
            message: `${JSON.stringify(record.value)} is no value for a record of type ${record.type}`,
            fix: {
              A: 'give an IPv4 address',
              AAAA: 'give an IPv6 address',
              CNAME: 'give a DNS name in lower case',
              TXT: 'give printable text without quotes and backslashes',
            }[record.type],
          },
        ],
  ),
);

function fits(type: 'A' | 'AAAA' | 'CNAME' | 'TXT', value: string): boolean {
  if (type === 'A') return familyOf(value) === 'ipv4';
  if (type === 'AAAA') return familyOf(value) === 'ipv6';
  if (type === 'CNAME') return isDnsName(value) && !isWildcardName(value);
  return /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(value);
}

export const nameChecks = [
  domainIsADnsName,
  recordsDoNotContradict,
  upstreamsAreAddresses,
  upstreamsAreOutside,
  domainIsNotTheHubs,
  recordValuesFit,
];
