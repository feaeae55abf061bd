import { isDnsName, isWildcardName } from '../api/text.ts';
import { parseResolver } from '../gateway/resolver.ts';
import { contains, readCidr } from '../net/cidr.ts';
import { addressOf, familyOf } from '../net/ip.ts';
import { specialNetworks } from '../net/special-networks.ts';
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
    const alone =
      record.type !== 'CNAME' ||
      (record.value !== record.name && settings.dns.records.every((other, j) => j === i || other.name !== record.name));
    if (alone && (types === undefined || !(types.has(record.type) || record.type === 'CNAME'))) return [];
    if (!alone && types === undefined) {
      return [
        {
          object: tenantRef(observed),
          path: `spec.gateway.dns.records[${i}]`,
          message: `${record.name} is a CNAME and has another record, or points at itself`,
          fix: 'a name that is a CNAME has no other record: remove one of them',
        },
      ];
    }
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

/** Not the edge, not the hub, and nothing that is no host at all: the segment has no way to them, and must not have one. */
export const upstreamsAreOutside = check('HCPIO-DNS-004', ({ observed, settings, plan }) => {
  const edges = plan.edges.flatMap((edge) => Object.values(edge.addresses));
  const { clusterNetworks, serviceNetworks, nodeAddresses } = observed.hub;
  const hub = [...clusterNetworks, ...serviceNetworks].flatMap((cidr) => readCidr(cidr) ?? []);
  const why = (address: string): string | undefined => {
    const parsed = addressOf(address);
    if (edges.includes(address)) return 'is the edge itself: a query would go round in circles';
    if (nodeAddresses.includes(address) || hub.some((cidr) => contains(cidr, parsed)))
      return 'is an address of the hub, which the segment must not reach';
    if (specialNetworks.some(({ cidr }) => contains(cidr, parsed))) return 'is no address of a resolver';
    return plan.addresses[parsed.family] === undefined
      ? `cannot be reached: the segment has no ${parsed.family === 'ipv4' ? 'IPv4' : 'IPv6'}`
      : undefined;
  };
  return settings.dns.upstreams.flatMap((upstream, i) => {
    const address = parseResolver(upstream);
    const reason = address === undefined ? undefined : why(address);
    if (reason === undefined) return [];
    return [
      {
        object: tenantRef(observed),
        path: `spec.gateway.dns.upstreams[${i}]`,
        message: `${address} ${reason}`,
        fix: 'name a resolver that the segment reaches through its router, or none at all',
      },
    ];
  });
});

/** A record is a zone of its own on the segment: `com` would hide all of it, and a name of the hub would come back from the dead. */
export const recordsAreTheTenants = check('HCPIO-DNS-007', ({ observed, settings, plan }) =>
  settings.dns.records.flatMap((record, i) => {
    const name = record.name.replace(/^\*\./, '');
    const denied = plan.dns.denied.find((zone) => name === zone || name.endsWith(`.${zone}`));
    if (name.includes('.') && denied === undefined) return [];
    return [
      {
        object: tenantRef(observed),
        path: `spec.gateway.dns.records[${i}].name`,
        message:
          denied === undefined
            ? `${record.name} would answer for the whole of .${name}`
            : `${record.name} lies in ${denied}, which is never answered on the segment`,
        fix: 'give a full name of a domain that is yours',
      },
    ];
  }),
);

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
  recordsAreTheTenants,
  domainIsADnsName,
  recordsDoNotContradict,
  upstreamsAreAddresses,
  upstreamsAreOutside,
  domainIsNotTheHubs,
  recordValuesFit,
];
