import { attempt, type Finding, finding, type ObjectRef, Refusal } from '../api/finding.ts';
import { type GatewaySettings, gatewaySettings } from '../api/tenant-network.ts';
import { appsDomain, clusterDomain } from '../hosted-cluster/domains.ts';
import { type Endpoint, readEndpoints } from '../hosted-cluster/endpoints.ts';
import { readMachines } from '../hosted-cluster/machines.ts';
import { readNamespaces } from '../hosted-cluster/namespace.ts';
import type { Observed } from '../hosted-cluster/observed.ts';
import { planAddresses } from '../net/address-plan.ts';
import { familyOf } from '../net/ip.ts';
import { planOptions } from './dhcp-options.ts';
import { planEdges, planProber } from './edges.ts';
import { type ListenerPlan, planListeners } from './listeners.ts';
import { planNames } from './names.ts';
import { planOpenPorts } from './open-ports.ts';
import { planReservations } from './reservations.ts';
import { segmentCidrs } from './segment-cidrs.ts';
import type { PlannedEndpoint, TenantPlan } from './tenant-plan.ts';
import { planUpstreams } from './upstreams.ts';
import { deniedZones, planZones } from './zones.ts';

/** The plan, and what was met on the way that the checks want to know. */
export interface GatewayPlan {
  readonly plan: Omit<TenantPlan, 'findings'>;
  readonly settings: GatewaySettings;
  readonly endpoints: readonly Endpoint[];
  readonly conflicts: ListenerPlan['conflicts'];
  readonly machinesLeft: readonly string[];
  readonly findings: readonly Finding[];
}

/**
 * Works out the whole network of one tenant. Always returns a plan: what cannot be known yet, or was refused, is left out of it,
 * and a finding says why.
 */
export function planGateway(observed: Observed): GatewayPlan {
  const { tenantNetwork, hostedCluster } = observed;
  const { segment } = tenantNetwork.spec;
  const settings = gatewaySettings(tenantNetwork.spec);
  const namespaces = readNamespaces(observed);
  const published = readEndpoints(observed);
  const machines = readMachines(observed);
  const domains = { cluster: hostedCluster ? clusterDomain(hostedCluster) : '', apps: hostedCluster ? appsDomain(hostedCluster) : '' };

  const endpoints = published.endpoints.map(plannedEndpoint);
  const addressing = attempt(() => addressesOf(observed, settings, endpoints));
  const addresses = addressing.value ?? {};
  const edges = planEdges(addresses, settings.availability);
  const prober = planProber(addresses);
  const { reservations, left } = planReservations(
    settings.dhcp.serve === 'Nobody' ? [] : machines.machines,
    addresses,
    observed.allocations,
  );
  const { listeners, conflicts } = planListeners(addresses, endpoints, domains.apps, settings, namespaces.controlPlane);
  const apiAlias = hostedCluster?.spec.kubeAPIServerDNSName;
  const names = planNames({ addresses, edges, endpoints, reservations, domains, settings, apiAlias });

  return {
    plan: {
      tenant: `${tenantNetwork.metadata.namespace}/${tenantNetwork.metadata.name}`,
      mode: tenantNetwork.spec.mode,
      controlPlaneNamespace: namespaces.controlPlane,
      edgeNamespace: namespaces.edge,
      addresses,
      names,
      listeners,
      upstreams: planUpstreams({ ...observed, listeners, reservations }),
      segment: { attachment: segment.attachment, mtu: segment.mtu, domain: domains.cluster },
      edges,
      ...(prober === undefined ? {} : { prober }),
      endpoints,
      dhcp: {
        serve: settings.dhcp.serve,
        leaseSeconds: settings.dhcp.leaseSeconds,
        options: planOptions(addresses.ipv4, segment.mtu, domains.cluster, settings.dhcp),
        reservations,
      },
      dns: {
        zones: planZones({ names, domains, addresses, forwarding: settings.dns.upstreams.length > 0 }),
        upstreams: settings.dns.upstreams,
        denied: deniedZones([observed.hub.baseDomain, observed.hub.ingressDomain]),
      },
      openPorts: planOpenPorts(listeners, endpoints, settings, addresses),
    },
    settings,
    endpoints: published.endpoints,
    conflicts,
    machinesLeft: left,
    findings: [...namespaces.findings, ...published.findings, ...addressing.findings, ...machines.findings],
  };
}

function addressesOf(observed: Observed, settings: GatewaySettings, endpoints: readonly PlannedEndpoint[]): TenantPlan['addresses'] {
  const object: ObjectRef = {
    kind: 'TenantNetwork',
    namespace: observed.tenantNetwork.metadata.namespace,
    name: observed.tenantNetwork.metadata.name,
  };
  const { segment } = observed.tenantNetwork.spec;
  const { cidrs } = segmentCidrs(observed);
  if (cidrs.length === 0) {
    throw new Refusal(
      finding('HCPIO-NET-006', {
        object,
        path: 'spec.segment.cidrs',
        message: 'neither spec.segment.cidrs nor networking.machineNetwork of the HostedCluster says which network the segment is',
        fix: 'set spec.segment.cidrs, for example to [192.168.100.0/24]',
      }),
    );
  }
  return planAddresses({
    object,
    cidrs,
    router: segment.router,
    pins: settings.addresses,
    reserved: segment.reserved,
    availability: settings.availability,
    poolSize: settings.dhcp.serve === 'Nobody' ? 0 : settings.dhcp.poolSize,
    publishedVip: publishedAddresses(endpoints),
  });
}

/** Addresses on which the cluster itself publishes its services: workers dial them as they are, so the gateway has to be there. */
const publishedAddresses = (endpoints: readonly PlannedEndpoint[]): string[] => [
  ...new Set(endpoints.flatMap((e) => (e.strategy === 'NodePort' && e.host !== null && familyOf(e.host) !== undefined ? [e.host] : []))),
];

const plannedEndpoint = (endpoint: Endpoint): PlannedEndpoint => ({
  service: endpoint.service,
  strategy: endpoint.strategy,
  host: endpoint.host?.text ?? null,
  port: endpoint.port ?? null,
  upstream: `${endpoint.upstream.namespace}/${endpoint.upstream.service}:${endpoint.upstream.port}`,
});
