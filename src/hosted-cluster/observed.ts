import type { TenantNetwork } from '../api/tenant-network.ts';
import type { Authorities } from './authorities.ts';
import type { EndpointSlice, HostedCluster, HostedControlPlane, Nad, NodePool, Route, Service, VirtualMachineInstance } from './objects.ts';

/** What is known of the hub's own networks and names; everything the segment must not touch. */
export interface Hub {
  readonly clusterNetworks: readonly string[];
  readonly serviceNetworks: readonly string[];
  /** Node addresses: the machine network is not written down anywhere, so each address stands for itself. */
  readonly nodeAddresses: readonly string[];
  readonly ingressDomain: string;
  readonly baseDomain: string;
  readonly proxy:
    | { readonly httpsProxy?: string | undefined; readonly httpProxy?: string | undefined; readonly noProxy: string }
    | undefined;
}

/** Another tenant, as far as it can get in the way of this one. */
export interface Neighbour {
  readonly tenant: string;
  readonly hostedCluster: string;
  readonly attachment: string;
  /** Its attachment leads to the same bridge and VLAN, under whatever name. */
  readonly sameSegment: boolean;
  readonly cidrs: readonly string[];
}

/** What an earlier plan gave to a machine; keeps addresses where they are while machines come and go. */
export interface Allocation {
  readonly mac: string;
  readonly addresses: readonly string[];
}

/** The addresses of one family that a plan fixes, as workers were told them. */
export interface FixedAddresses {
  readonly cidr: string;
  readonly router?: string | undefined;
  readonly edgeA: string;
  readonly vip: string;
  readonly edgeB?: string | undefined;
}

/** What an earlier plan made of the segment, out of the status of its TenantNetwork. */
export interface Earlier {
  readonly allocations: readonly Allocation[];
  readonly guestRouter?: SeenRouter;
  readonly inForce?: { readonly ipv4?: FixedAddresses | undefined; readonly ipv6?: FixedAddresses | undefined } | undefined;
}

export const NOTHING_EARLIER: Earlier = { allocations: [] };

/** The hosted cluster's own router, read through its kubeconfig; unknown until there is one. */
export interface GuestRouter {
  readonly httpsPort: number;
  readonly httpPort: number;
  /** Names of the machines that run a router pod; empty means every worker forwards (externalTrafficPolicy Cluster). */
  readonly machines: readonly string[];
}

/** Undefined: nobody has looked. Absent: somebody has, and it is not there yet. */
export type SeenRouter = GuestRouter | 'absent' | undefined;

/** Everything that was read about one tenant: the whole input of the planner. */
export interface Observed extends Earlier {
  readonly tenantNetwork: TenantNetwork;
  readonly hostedCluster: HostedCluster | undefined;
  /** Every HostedControlPlane of the control-plane namespace, so that a wrong one can be told apart. */
  readonly hostedControlPlanes: readonly HostedControlPlane[];
  readonly services: readonly Service[];
  readonly routes: readonly Route[];
  readonly endpointSlices: readonly EndpointSlice[];
  readonly attachments: readonly Nad[];
  readonly nodePools: readonly NodePool[];
  readonly machines: readonly VirtualMachineInstance[];
  readonly hub: Hub;
  readonly neighbours: readonly Neighbour[];
  /** HostedClusters whose control plane lives in the namespace that the edge wants: `blue-edge` beside `blue`. */
  readonly edgeNamespaceOwners: readonly string[];
  readonly guestRouter: SeenRouter;
  readonly authorities: Authorities;
}
