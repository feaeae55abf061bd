import type { FindingText } from '../api/finding.ts';
import { segmentCidrs } from '../gateway/segment-cidrs.ts';
import { type Cidr, formatCidr, overlaps, readCidr } from '../net/cidr.ts';
import { addressOf, familyOf } from '../net/ip.ts';
import { specialNetworks } from '../net/special-networks.ts';
import { type CheckInput, check, hostedClusterRef, tenantRef } from './check.ts';

interface ForeignNetwork {
  readonly cidr: string;
  readonly owner: string;
}

/** A segment that overlaps any of these steals its traffic: the connected route of net1 is more specific than everything else. */
function foreignNetworks({ observed }: CheckInput): ForeignNetwork[] {
  const { hub, hostedCluster } = observed;
  const guest = hostedCluster?.spec.networking;
  const advertised = guest?.apiServer?.advertiseAddress;
  return [
    ...hub.clusterNetworks.map((cidr) => ({ cidr, owner: "the hub's pod network" })),
    ...hub.serviceNetworks.map((cidr) => ({ cidr, owner: "the hub's service network" })),
    ...hub.nodeAddresses.map((address) => ({ cidr: hostCidr(address), owner: 'the address of a hub node' })),
    ...(guest?.clusterNetwork ?? []).map(({ cidr }) => ({ cidr, owner: "the hosted cluster's pod network" })),
    ...(guest?.serviceNetwork ?? []).map(({ cidr }) => ({ cidr, owner: "the hosted cluster's service network" })),
    ...(advertised === undefined || familyOf(advertised) === undefined
      ? []
      : [{ cidr: hostCidr(advertised), owner: "the nodes' local API address (networking.apiServer.advertiseAddress)" }]),
    ...specialNetworks.map(({ cidr, what }) => ({ cidr: formatCidr(cidr), owner: what })),
  ];
}

const hostCidr = (address: string): string => `${address}/${addressOf(address).family === 'ipv4' ? 32 : 128}`;

export const segmentOverlapsNothing = check('HCPIO-NET-003', (input) => {
  const foreign = foreignNetworks(input).flatMap(({ cidr, owner }) => withParsed(cidr, (parsed) => ({ cidr, owner, parsed })));
  return segmentsOf(input).flatMap(({ text, parsed, path }) =>
    foreign
      .filter((other) => overlaps(parsed, other.parsed))
      .map(
        (other): FindingText => ({
          object: tenantRef(input.observed),
          path,
          message: `segment ${text} overlaps ${other.owner} ${other.cidr}: choose a CIDR outside it`,
          fix: `set spec.segment.cidrs (and networking.machineNetwork of the HostedCluster, before it is created) to a network that does not overlap ${other.cidr}`,
        }),
      ),
  );
});

export const machineNetworkAgrees = check('HCPIO-NET-007', ({ observed }) => {
  const machineNetwork = (observed.hostedCluster?.spec.networking.machineNetwork ?? []).map((n) => n.cidr);
  const { cidrs } = observed.tenantNetwork.spec.segment;
  if (cidrs.length === 0 || observed.hostedCluster === undefined || sameMembers(cidrs, machineNetwork)) return [];
  if (cidrs.some((cidr) => readCidr(cidr) === undefined)) return [];
  const wanted = cidrs.map((cidr) => `{cidr: ${cidr}}`).join(', ');
  return [
    {
      object: hostedClusterRef(observed),
      path: 'spec.networking.machineNetwork',
      message: `networking.machineNetwork is ${machineNetwork.length === 0 ? 'not set' : machineNetwork.join(', ')}, the segment is ${cidrs.join(', ')}; the guest's noProxy and address choice follow machineNetwork`,
      fix: `create the HostedCluster with networking.machineNetwork: [${wanted}] (it cannot be changed later)`,
    },
  ];
});

/** NodePools at their largest, with the machines that a rolling replacement adds, must fit. */
export const poolIsLargeEnough = check('HCPIO-NET-012', (input) => {
  const need = input.observed.nodePools.reduce((sum, pool) => sum + machinesAtMost(pool.spec), 0);
  return (['ipv4', 'ipv6'] as const).flatMap((family): FindingText[] => {
    const addresses = input.plan.addresses[family];
    if (addresses === undefined || input.plan.dhcp.serve === 'Nobody') return [];
    const size = addresses.pool.reduce((sum, [first, last]) => sum + Number(addressOf(last).value - addressOf(first).value + 1n), 0);
    if (size >= need) return [];
    return [
      {
        object: tenantRef(input.observed),
        path: 'spec.segment.cidrs',
        message: `the ${family === 'ipv4' ? 'IPv4' : 'IPv6'} pool of ${addresses.cidr} has ${size} addresses, but the NodePools can grow to ${need} machines while they are replaced`,
        fix: 'use a larger segment, shorten spec.segment.reserved, raise spec.gateway.dhcp.poolSize, or lower the maxima of the NodePools',
      },
    ];
  });
});

type PoolSpec = CheckInput['observed']['nodePools'][number]['spec'];

function machinesAtMost(spec: PoolSpec): number {
  const most = spec.autoScaling?.max ?? spec.replicas ?? 0;
  const surge = spec.management?.replace?.rollingUpdate?.maxSurge ?? 1;
  return most + (typeof surge === 'number' ? surge : Math.ceil((most * Number.parseInt(surge, 10)) / 100));
}

const LARGEST_COMFORTABLE_PREFIX = 22;

export const broadcastDomainIsSmall = check('HCPIO-NET-013', (input) =>
  segmentsOf(input)
    .filter(({ parsed }) => parsed.family === 'ipv4' && parsed.prefix < LARGEST_COMFORTABLE_PREFIX)
    .map(({ text, path }) => ({
      object: tenantRef(input.observed),
      path,
      message: `${text} is one broadcast domain for thousands of machines, and the neighbour table of a hub node holds 1,024 entries by default`,
      fix: 'use a /22 or smaller, or raise net.ipv4.neigh.default.gc_thresh3 on the hub nodes',
    })),
);

export const tenantsDoNotShareAddresses = check('HCPIO-NET-014', (input) => {
  const { attachment } = input.observed.tenantNetwork.spec.segment;
  const neighbours = input.observed.neighbours.filter((other) => other.sameSegment);
  return segmentsOf(input).flatMap(({ text, parsed, path }) =>
    neighbours.flatMap((other) =>
      other.cidrs
        .filter((cidr) => withParsed(cidr, (p) => overlaps(parsed, p)).some(Boolean))
        .map((cidr) => ({
          object: tenantRef(input.observed),
          path,
          message: `${text} overlaps ${cidr} of tenant ${other.tenant} on the same segment (${[...new Set([attachment, other.attachment])].join(' and ')})`,
          fix: 'give each tenant its own attachment (VLAN), or networks that do not overlap',
        })),
    ),
  );
});

export const ipv6SegmentIsA64 = check('HCPIO-NET-015', (input) =>
  segmentsOf(input)
    .filter(({ parsed }) => parsed.family === 'ipv6' && parsed.prefix !== 64)
    .map(({ text, path }) => ({
      object: tenantRef(input.observed),
      path,
      message: `${text} is no /64: machines cannot configure addresses by themselves (SLAAC) and depend on DHCPv6 alone`,
      fix: 'use a /64',
    })),
);

export const mtuCarriesTheSegment = check('HCPIO-NET-017', ({ observed }) => {
  const { mtu } = observed.tenantNetwork.spec.segment;
  const attached = observed.attachments.find(
    (nad) => `${nad.metadata.namespace}/${nad.metadata.name}` === observed.tenantNetwork.spec.segment.attachment,
  );
  const limit = attached === undefined ? undefined : mtuOf(attached.spec.config);
  if (limit === undefined || mtu <= limit) return [];
  return [
    {
      object: tenantRef(observed),
      path: 'spec.segment.mtu',
      message: `the MTU is ${mtu}, but attachment ${observed.tenantNetwork.spec.segment.attachment} carries ${limit} only`,
      fix: `set spec.segment.mtu to ${limit} or less`,
    },
  ];
});

export const someoneAdvertisesIpv6 = check('HCPIO-NET-018', (input) =>
  segmentsOf(input)
    .filter(({ parsed }) => parsed.family === 'ipv6')
    .map(({ text, path }) => ({
      object: tenantRef(input.observed),
      path,
      message: `DHCPv6 carries no default route: machines on ${text} learn it from router advertisements, which hcpio does not send`,
      fix: "let the segment's router send router advertisements with the managed flag",
    })),
);

export const hubNetworksAreKnown = check('HCPIO-NET-019', ({ observed }) => {
  if (observed.hub.clusterNetworks.length > 0 && observed.hub.serviceNetworks.length > 0) return [];
  return [
    {
      object: tenantRef(observed),
      message: "the hub's own pod and service networks are not known, so an overlap with them was not looked for",
      fix: 'add the hub configuration: kubectl get networks.config.openshift.io cluster -o yaml, or kubectl get nodes,servicecidrs -o yaml',
    },
  ];
});

export const segmentCanBeProbed = check('HCPIO-NET-022', ({ observed, plan }) => {
  const full = [plan.addresses.ipv4, plan.addresses.ipv6].flatMap((family) => (family && family.prober === undefined ? [family.cidr] : []));
  return full.map((cidr) => ({
    object: tenantRef(observed),
    path: 'spec.segment.reserved',
    message: `no address of ${cidr} is left to probe the segment from, so nobody can prove that it answers, and NodePools that wait for the proof wait for ever`,
    fix: 'reserve less or use a larger network; or set spec.nodePools to Ignore',
  }));
});

function mtuOf(config: string): number | undefined {
  try {
    const value: unknown = JSON.parse(config);
    const first = (value as { plugins?: { mtu?: unknown }[] }).plugins?.[0] ?? (value as { mtu?: unknown });
    return typeof first.mtu === 'number' && first.mtu > 0 ? first.mtu : undefined;
  } catch {
    return undefined;
  }
}

function segmentsOf({ observed }: CheckInput): { text: string; parsed: Cidr; path: string }[] {
  const { cidrs, path } = segmentCidrs(observed);
  return cidrs.flatMap((text, i) => withParsed(text, (parsed) => ({ text, parsed, path: path(i) })));
}

/** Texts that are no CIDR are told by the address plan; here they are passed over. */
function withParsed<T>(text: string, make: (parsed: Cidr) => T): T[] {
  const parsed = readCidr(text);
  return parsed === undefined ? [] : [make(parsed)];
}

const sameMembers = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((item) => b.includes(item));

export const segmentChecks = [
  segmentOverlapsNothing,
  machineNetworkAgrees,
  poolIsLargeEnough,
  broadcastDomainIsSmall,
  tenantsDoNotShareAddresses,
  ipv6SegmentIsA64,
  mtuCarriesTheSegment,
  someoneAdvertisesIpv6,
  hubNetworksAreKnown,
  segmentCanBeProbed,
];
