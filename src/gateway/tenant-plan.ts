import type { Finding } from '../api/finding.ts';
import type { Mode } from '../api/tenant-network.ts';
import type { AddressPlan, FamilyAddresses } from '../net/address-plan.ts';

/** The plan of one tenant in mode Gateway: what must be true, as plain data. `hcpio plan -o json` prints it; keep it stable. */
export interface TenantPlan {
  readonly tenant: string;
  readonly mode: Mode;
  readonly controlPlaneNamespace: string;
  readonly edgeNamespace: string;
  readonly addresses: AddressPlan;
  /** Every record of the segment's zones. */
  readonly names: readonly NameRecord[];
  readonly listeners: readonly PlannedListener[];
  /** Where the gateway dials for each upstream that the listeners name. */
  readonly upstreams: readonly PlannedUpstream[];
  readonly segment: SegmentPlan;
  readonly edges: readonly EdgePlan[];
  /** Where the segment is looked at from; absent when no address is left for it. */
  readonly prober?: ProberPlan;
  readonly endpoints: readonly PlannedEndpoint[];
  readonly dhcp: DhcpPlan;
  readonly dns: DnsPlan;
  /** All that answers on the segment; everything else is dropped by the guard. */
  readonly openPorts: readonly OpenPort[];
  readonly findings: readonly Finding[];
}

export type { Family } from '../net/ip.ts';
export type { FamilyAddresses };
export type Range = FamilyAddresses['pool'][number];

export interface SegmentPlan {
  /** The VMs' NetworkAttachmentDefinition. */
  readonly attachment: string;
  readonly mtu: number;
  /** <cluster>.<baseDomain>; options 15 and 119, and the zone of machine names. */
  readonly domain: string;
}

export type NameRecord =
  | { readonly name: string; readonly type: 'A' | 'AAAA'; readonly address: string }
  | { readonly name: string; readonly type: 'CNAME' | 'TXT' | 'PTR'; readonly target: string };

export interface PlannedListener {
  readonly address: string;
  readonly port: number;
  readonly kind: 'tcp' | 'sni';
  readonly routes: readonly PlannedRoute[];
}

export interface PlannedRoute {
  /** null is the default chain: no SNI, or one that no other route names. */
  readonly sni: string | null;
  /** `namespace/service:port` on the hub, or `guest:https` and `guest:http` for the routers on the workers. */
  readonly upstream: string;
}

/** Where the gateway dials to for one `upstream` of the listeners. */
export interface PlannedUpstream {
  readonly upstream: string;
  /** ClusterIPs, pod addresses or worker addresses, by kind. Empty while unknown. */
  readonly endpoints: readonly { readonly address: string; readonly port: number }[];
  /** Pods are balanced one by one (konnectivity agents must meet every server); a ClusterIP balances by itself. */
  readonly discovery: 'clusterIP' | 'pods' | 'workers';
}

/** A pod of ours with a leg on the segment. */
export interface Station {
  readonly name: 'edge-a' | 'edge-b' | 'prober';
  readonly addresses: { readonly ipv4?: string; readonly ipv6?: string };
}

export interface ProberPlan extends Station {
  readonly name: 'prober';
}

export interface EdgePlan extends Station {
  readonly name: 'edge-a' | 'edge-b';
  /**
   * The link between the two edges. A single edge has its end of it too: nobody answers there, and when a second edge comes, or goes, the
   * pod of the first stays what it is and serves on.
   */
  readonly peer: {
    readonly name: 'edge-a' | 'edge-b';
    readonly address: string;
    readonly mac: string;
    readonly peerAddress: string;
    readonly peerMac: string;
  };
  /** VRRP priority; the first edge is preferred at a cold start only (nopreempt). */
  readonly priority: number;
}

export interface PlannedEndpoint {
  readonly service: 'APIServer' | 'OAuthServer' | 'Konnectivity' | 'Ignition' | 'MetricsProxy';
  readonly strategy: 'LoadBalancer' | 'NodePort' | 'Route';
  readonly host: string | null;
  readonly port: number | null;
  readonly upstream: string;
}

export interface Reservation {
  readonly machine: string;
  readonly mac: string;
  readonly addresses: { readonly ipv4?: string; readonly ipv6?: string };
}

export interface DhcpPlan {
  readonly serve: 'KnownMachines' | 'Anyone' | 'Nobody';
  readonly leaseSeconds: number;
  readonly options: readonly DhcpOption[];
  readonly reservations: readonly Reservation[];
}

/** One DHCPv4 option as a person reads it; the Kea renderer knows the encoding. */
export interface DhcpOption {
  readonly code: number;
  readonly name: string;
  readonly data: string;
}

export interface DnsPlan {
  readonly zones: readonly Zone[];
  readonly upstreams: readonly string[];
  /** Names that are answered NXDOMAIN and never forwarded: the hub's own and private reverse zones. */
  readonly denied: readonly string[];
}

export interface Zone {
  readonly origin: string;
  /** Unknown names of the zone are asked upstream (only where upstreams exist): the zone may be shared with others. */
  readonly fallthrough: boolean;
  readonly records: readonly NameRecord[];
}

export interface OpenPort {
  readonly protocol: 'tcp' | 'udp';
  readonly port: number;
  readonly on: 'edge' | 'vip' | 'any';
  readonly purpose: string;
}
