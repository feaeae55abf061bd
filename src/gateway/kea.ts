import type { Dhcp4File, Dhcp6File, HighAvailability, Hook, Logger, OptionData, Pool, Server } from './kea-config.ts';
import { controlSocket, forKnownMachines, KEA_2_6, type KeaLayout } from './kea-layout.ts';
import { optionData } from './kea-options.ts';
import type { ConfigFile } from './rendered.ts';
import { segmentMac } from './segment-mac.ts';
import type { EdgePlan, Family, FamilyAddresses, Reservation, TenantPlan } from './tenant-plan.ts';

/** Where the two Keas of a tenant talk to each other, on the link between the edges. They accept no password there, so the guard lets nobody else in. */
export const HA_PORTS: Readonly<Record<Family, number>> = { ipv4: 8004, ipv6: 8006 };

/** The answers to a DECLINE loop: the default of a day would let one machine park the whole pool until tomorrow. */
const DECLINE_PROBATION_SECONDS = 300;
/** Leases never move between subnets, and there is one subnet per file. Kea keys its leases by this number. */
const SUBNET_ID = 1;
/** The default is one per CPU of the node, which a container with a fraction of one does not have. */
const THREADS = 2;

/** What the DHCP servers of one edge read; nothing when another server does it. Routers are announced by the segment, not by DHCPv6. */
export function keaFiles(plan: TenantPlan, edge: EdgePlan, layout: KeaLayout = KEA_2_6): readonly ConfigFile[] {
  if (plan.dhcp.serve === 'Nobody') return [];
  const { ipv4, ipv6 } = plan.addresses;
  return [
    ...(ipv4 === undefined || edge.addresses.ipv4 === undefined
      ? []
      : [file('kea-dhcp4.json', dhcp4(plan, edge, ipv4, edge.addresses.ipv4, layout))]),
    ...(ipv6 === undefined || edge.addresses.ipv6 === undefined
      ? []
      : [file('kea-dhcp6.json', dhcp6(plan, edge, ipv6, edge.addresses.ipv6, layout))]),
  ];
}

const dhcp4 = (plan: TenantPlan, edge: EdgePlan, addresses: FamilyAddresses, own: string, layout: KeaLayout): Dhcp4File => ({
  Dhcp4: {
    ...server(plan, edge, 'ipv4', layout),
    // Raw sockets see broadcasts of machines that have no address yet; plain UDP sockets serve relays only.
    'interfaces-config': { ...sockets(own), 'dhcp-socket-type': 'raw' },
    // We are the only server of the segment: a machine that asks for an address of elsewhere is told no at once instead of timing out.
    authoritative: true,
    // A worker boots twice, its initramfs and its root with different client ids but one MAC: the lease has to follow the MAC.
    'match-client-id': false,
    subnet4: [
      {
        id: SUBNET_ID,
        subnet: addresses.cidr,
        interface: 'net1',
        pools: pools(plan, addresses, layout),
        'option-data': plan.dhcp.options.map(optionData),
        reservations: knownMachines(plan).map(({ machine, mac, addresses: { ipv4 } }) => ({
          'hw-address': mac,
          ...(ipv4 === undefined ? {} : { 'ip-address': ipv4 }),
          hostname: machine,
        })),
      },
    ],
  },
});

const dhcp6 = (plan: TenantPlan, edge: EdgePlan, addresses: FamilyAddresses, own: string, layout: KeaLayout): Dhcp6File => ({
  Dhcp6: {
    ...server(plan, edge, 'ipv6', layout),
    'interfaces-config': sockets(own),
    // DHCPv6 has no field for the MAC; it is read from the client's DUID or its link-local address when it was made from the MAC.
    'mac-sources': ['duid', 'ipv6-link-local'],
    'preferred-lifetime': Math.floor((plan.dhcp.leaseSeconds * 5) / 8),
    subnet6: [
      {
        id: SUBNET_ID,
        subnet: addresses.cidr,
        interface: 'net1',
        pools: pools(plan, addresses, layout),
        'option-data': options6(plan),
        reservations: knownMachines(plan).map(({ machine, mac, addresses: { ipv6 } }) => ({
          'hw-address': mac,
          ...(ipv6 === undefined ? {} : { 'ip-addresses': [ipv6] as const }),
          hostname: machine,
        })),
      },
    ],
  },
});

/** The prober asks as a machine does and is offered what it has already; it never takes a lease. */
const knownMachines = (plan: TenantPlan): readonly Reservation[] => [
  ...plan.dhcp.reservations,
  ...(plan.prober === undefined
    ? []
    : [{ machine: plan.prober.name, mac: segmentMac(plan, plan.prober), addresses: plan.prober.addresses }]),
];

const DAEMON: Readonly<Record<Family, string>> = { ipv4: 'kea-dhcp4', ipv6: 'kea-dhcp6' };

const server = (plan: TenantPlan, edge: EdgePlan, family: Family, layout: KeaLayout): Omit<Server, 'interfaces-config'> => ({
  ...controlSocket(layout, DAEMON[family]),
  'lease-database': { type: 'memfile', persist: true, name: `${layout.data}/${DAEMON[family]}.leases.csv`, 'lfc-interval': 3600 },
  'hooks-libraries': hooks(plan, edge, family, layout),
  'multi-threading': { 'enable-multi-threading': true, 'thread-pool-size': THREADS, 'packet-queue-size': 256 },
  'valid-lifetime': plan.dhcp.leaseSeconds,
  'calculate-tee-times': true,
  'decline-probation-period': DECLINE_PROBATION_SECONDS,
  'host-reservation-identifiers': ['hw-address'],
  loggers: [logger(DAEMON[family], 'INFO'), logger(`${DAEMON[family]}.commands`, 'WARN')],
});

/** Of commands only the trouble: the partner and the edge's own watch ask every second, and each question would be a line. */
const logger = (name: string, severity: Logger['severity']): Logger => ({ name, 'output-options': [{ output: 'stdout' }], severity });

/**
 * Never `*`: the pod's other interfaces belong to the hub. Without `require-all` a Kea that may open no socket stays up and serves nobody;
 * the retries are for an IPv6 address that is still being checked for duplicates.
 */
const sockets = (own: string) =>
  ({
    interfaces: [`net1/${own}`],
    'service-sockets-require-all': true,
    'service-sockets-max-retries': 10,
    'service-sockets-retry-wait-time': 1000,
  }) as const;

/** lease_cmds is what the partner writes its leases with, and what frees the lease of a deleted machine. */
const hooks = (plan: TenantPlan, edge: EdgePlan, family: Family, { hooks: dir }: KeaLayout): readonly Hook[] => [
  { library: `${dir}/libdhcp_lease_cmds.so` },
  ...(plan.edges.length < 2
    ? []
    : [{ library: `${dir}/libdhcp_ha.so`, parameters: { 'high-availability': [highAvailability(plan, edge, family)] as const } }]),
];

/**
 * The documented sample takes a minute to notice a dead partner; with these it takes one to two seconds. Kea looks at its timers once a
 * second, or when a packet comes: so the partner that is gone refuses two heartbeats, and the second one is more than `max-response-delay`
 * after the last that it answered. A partner that is merely slow refuses nothing and is waited for; one that hangs is ended by its own
 * edge (deploy/edge/dhcp-watch).
 *
 * A new configuration starts the pair's conversation anew, and nobody is served before three heartbeats have passed: with one a second that
 * were four seconds for every machine that comes or goes.
 */
const highAvailability = (plan: TenantPlan, edge: EdgePlan, family: Family): HighAvailability => ({
  'this-server-name': edge.name,
  mode: 'hot-standby',
  'heartbeat-delay': 300,
  'max-response-delay': 1500,
  'max-ack-delay': 1000,
  'max-unacked-clients': 0, // do not wait for proof that clients are unserved: the partner is silent, so it is gone
  'restrict-commands': true,
  'multi-threading': {
    'enable-multi-threading': true,
    'http-dedicated-listener': true,
    'http-listener-threads': THREADS,
    'http-client-threads': THREADS,
  },
  peers: plan.edges.map(({ name, peer }) => ({
    name,
    url: `http://${peer.address}:${HA_PORTS[family]}/`,
    role: name === 'edge-a' ? 'primary' : 'standby',
    'auto-failover': true,
  })),
});

const pools = (plan: TenantPlan, { pool }: FamilyAddresses, layout: KeaLayout): readonly Pool[] =>
  pool.map(([first, last]) => ({ pool: `${first} - ${last}`, ...(plan.dhcp.serve === 'KnownMachines' ? forKnownMachines(layout) : {}) }));

function options6({ edges, segment }: TenantPlan): readonly OptionData[] {
  const servers = edges.flatMap(({ addresses }) => (addresses.ipv6 === undefined ? [] : [addresses.ipv6]));
  return [
    { code: 23, /* dns-servers */ 'csv-format': true, data: servers.join(', ') },
    ...(segment.domain === '' ? [] : [{ code: 24, /* domain-search */ 'csv-format': true, data: segment.domain }]),
  ];
}

const file = (name: string, content: object): ConfigFile => ({ container: 'dhcp', name, content: `${JSON.stringify(content, null, 2)}\n` });
