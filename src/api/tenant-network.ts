import * as z from 'zod';
import { dnsName, identifier, resourceName } from './text.ts';

/**
 * The TenantNetwork resource. This schema is the only source: types, defaults, CRD, field documentation and
 * the errors of the CLI and the webhook all come from it. `.describe` is what `hcpio explain` and `kubectl explain` print;
 * `.meta({'x-kubernetes-validations': ...})` are the rules that the API server itself enforces.
 */
export const GROUP = 'hcpio.io';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;

type CelRule = { readonly rule: string; readonly message: string };
const cel = (...rules: CelRule[]) => ({ 'x-kubernetes-validations': rules });

/** One address, or two of different families. */
const IS_PAIR =
  "self.split(',').size() <= 2 && self.split(',').all(a, isIP(a)) && (self.split(',').size() < 2 || ip(self.split(',')[0]).family() != ip(self.split(',')[1]).family())";

/** An address, or one of each family separated by a comma, as kubelet's --node-ip takes it. */
const addressPair = z
  .string()
  .min(2)
  .max(80)
  .meta(cel({ rule: IS_PAIR, message: 'must be an IP address, or one of each family separated by a comma' }));

const cidr = z
  .string()
  .min(4)
  .max(43)
  .meta(
    cel({
      rule: 'isCIDR(self) && cidr(self) == cidr(self).masked()',
      message: 'must be a network in CIDR notation without host bits, such as 192.168.100.0/24',
    }),
  );

const segment = z
  .object({
    attachment: z
      .string()
      .min(3)
      .max(127)
      .meta(
        cel({
          rule: "self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?/[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",
          message: 'must be namespace/name of a NetworkAttachmentDefinition',
        }),
      )
      .describe(
        'The NetworkAttachmentDefinition that the worker VMs use, as namespace/name. The attachments of the edge are derived from it.',
      ),
    cidrs: z
      .array(cidr)
      .max(2)
      .default([])
      .meta({
        'x-kubernetes-list-type': 'atomic',
        ...cel({
          rule: 'self.size() < 2 || !self.all(c, isCIDR(c)) || cidr(self[0]).ip().family() != cidr(self[1]).ip().family()',
          message: 'at most one CIDR of each IP family',
        }),
      })
      .describe('The networks of the segment, at most one per IP family. Default: networking.machineNetwork of the HostedCluster.'),
    router: z
      .string()
      .max(80)
      .optional()
      .meta(
        cel({
          rule: `self == 'None' || (${IS_PAIR})`,
          message: "must be an IP address, one of each family separated by a comma, or 'None'",
        }),
      )
      .describe(
        "The segment's router: an address, one of each family separated by a comma, or None for a segment without a router. Default: the first usable address.",
      ),
    mtu: z.int().min(1280).max(9216).default(1500).describe('The MTU of the segment. Workers are told by DHCP when it is not 1500.'),
    reserved: z
      .array(z.string().min(2).max(80))
      .max(64)
      .default([])
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Addresses that hcpio must leave alone: single addresses, first-last ranges or CIDRs.'),
  })
  .describe("The tenant's layer-2 network.");

const pins = z
  .object({
    edgeA: addressPair.optional().describe('Address of edge-a. Planned when absent.'),
    edgeB: addressPair.optional().describe('Address of edge-b. Planned when absent.'),
    vip: addressPair
      .optional()
      .describe(
        'The floating address of the gateway. Planned when absent; when the cluster publishes its services on an address of the segment, that one.',
      ),
    prober: addressPair.optional().describe('Address from which the segment is probed. Planned when absent; nobody dials it.'),
  })
  .describe('Fixed addresses for the edge, instead of planned ones.');

const dhcpOption = z
  .object({
    code: z.int().min(1).max(254).describe('The number of the DHCPv4 option.'),
    data: z.string().min(1).max(500).describe("The value, as Kea's csv-format takes it."),
  })
  .describe('One further DHCPv4 option.');

const dhcp = z
  .object({
    serve: z
      .enum(['KnownMachines', 'Anyone', 'Nobody'])
      .default('KnownMachines')
      .describe("Who gets an address: only this tenant's VMs, anyone on the segment, or nobody because another DHCP server does it."),
    leaseSeconds: z.int().min(60).max(86_400).default(900).describe('Lifetime of a lease. Deleted VMs release nothing, so keep it short.'),
    poolSize: z.int().min(1).max(65_536).default(4096).describe('The most addresses per IP family that the pool takes.'),
    ntpServers: z
      .array(z.string().min(2).max(45))
      .max(4)
      .default([])
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Addresses of time servers (option 42).'),
    options: z
      .array(dhcpOption)
      .max(32)
      .default([])
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['code'] })
      .describe('Further DHCPv4 options.'),
  })
  .describe('How addresses are given out on the segment.');

const dnsRecord = z
  .object({
    name: dnsName({ wildcard: true }).describe('The full name; *.domain for a wildcard.'),
    type: z.enum(['A', 'AAAA', 'CNAME', 'TXT']).describe('The record type.'),
    value: z.string().min(1).max(253).describe('An address, a name or a text, by type.'),
  })
  .describe('One further record.');

const dns = z
  .object({
    upstreams: z
      .array(z.string().min(2).max(52))
      .max(4)
      .default([])
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe(
        "Resolvers for all other names, as address or address:port. None means that nothing is forwarded. The hub's own resolver is never used.",
      ),
    records: z
      .array(dnsRecord)
      .max(256)
      .default([])
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Further records served on the segment.'),
  })
  .describe('Names on the segment.');

const port = z
  .object({
    port: z.int().min(1).max(65_535).describe('The port on the VIP.'),
    sni: dnsName({ wildcard: true }).optional().describe('Only TLS connections for this name. Absent: every connection to the port.'),
    service: identifier.describe('A Service in the control-plane namespace.'),
    servicePort: z.int().min(1).max(65_535).describe('The port of that Service.'),
  })
  .describe('One further TCP service on the VIP.');

const gateway = z
  .object({
    availability: z.enum(['HighlyAvailable', 'Single']).default('HighlyAvailable').describe('Two edges with a floating address, or one.'),
    addresses: pins.prefault({}),
    dhcp: dhcp.prefault({}),
    dns: dns.prefault({}),
    apps: z
      .enum(['Gateway', 'Workers', 'Nobody'])
      .default('Gateway')
      .describe('Where *.apps points: to the gateway, which forwards to the routers on the workers; straight to the workers; or nowhere.'),
    ports: z
      .array(port)
      .max(32)
      .default([])
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Further services of the control-plane namespace to publish on the segment.'),
  })
  .describe('Settings of mode Gateway.');

const notBuilt = (mode: string) => z.object({}).describe(`Settings of mode ${mode}. Not built yet.`);

export const tenantNetworkSpec = z
  .object({
    hostedCluster: resourceName.optional().describe('The HostedCluster in the same namespace. Default: the name of this object.'),
    segment,
    mode: z
      .enum(['Gateway', 'LoadBalancer', 'PrimaryUDN'])
      .default('Gateway')
      .describe('How the segment reaches the control plane. Only Gateway is built yet.'),
    gateway: gateway.optional(),
    loadBalancer: notBuilt('LoadBalancer').optional(),
    primaryUDN: notBuilt('PrimaryUDN').optional(),
    nodePools: z
      .enum(['Gate', 'Ignore'])
      .default('Gate')
      .describe('Gate holds the NodePools (pausedUntil) until the segment is proven. Ignore leaves them alone.'),
    deletionPolicy: z
      .enum(['Delete', 'Retain'])
      .default('Delete')
      .describe('What happens to the lease volumes when this object is deleted.'),
  })
  .describe('The wanted network of the tenant.')
  .meta(
    cel(
      { rule: "self.mode == 'Gateway' || !has(self.gateway)", message: 'gateway settings need mode Gateway' },
      { rule: "self.mode == 'LoadBalancer' || !has(self.loadBalancer)", message: 'loadBalancer settings need mode LoadBalancer' },
      { rule: "self.mode == 'PrimaryUDN' || !has(self.primaryUDN)", message: 'primaryUDN settings need mode PrimaryUDN' },
      { rule: 'self.mode == oldSelf.mode', message: 'mode cannot be changed: delete this object and create a new one' },
      // Not `self.?hostedCluster == oldSelf.?hostedCluster`: the API server cannot put a price on optional values and refuses the whole CRD.
      {
        rule: 'has(self.hostedCluster) == has(oldSelf.hostedCluster) && (!has(self.hostedCluster) || self.hostedCluster == oldSelf.hostedCluster)',
        message: 'hostedCluster cannot be changed',
      },
      { rule: 'self.segment.attachment == oldSelf.segment.attachment', message: 'segment.attachment cannot be changed: the VMs are on it' },
    ),
  );

export const tenantNetwork = z
  .object({
    apiVersion: z.literal(API_VERSION),
    kind: z.literal('TenantNetwork'),
    metadata: z.object({ name: resourceName, namespace: resourceName, uid: z.string().max(64).optional(), generation: z.int().optional() }),
    spec: tenantNetworkSpec,
  })
  .describe('TenantNetwork gives one HostedCluster its own isolated network.');

export type TenantNetwork = z.output<typeof tenantNetwork>;
export type TenantNetworkSpec = TenantNetwork['spec'];
export type Segment = TenantNetworkSpec['segment'];
export type GatewaySettings = z.output<typeof gateway>;
export type Mode = TenantNetworkSpec['mode'];
export type Availability = GatewaySettings['availability'];
export type AddressPins = GatewaySettings['addresses'];
export type ExtraPort = GatewaySettings['ports'][number];
export type ExtraRecord = GatewaySettings['dns']['records'][number];

/** The settings of mode Gateway with every default in place, also when the spec does not mention them. */
export const gatewaySettings = (spec: TenantNetworkSpec): GatewaySettings => spec.gateway ?? gateway.parse({});

export const hostedClusterName = (tn: TenantNetwork): string => tn.spec.hostedCluster ?? tn.metadata.name;
