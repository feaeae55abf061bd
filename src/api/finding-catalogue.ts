/**
 * Every finding that hcpio can make, in one table: the code is stable for ever, the title is what the reference page shows.
 * Families: IN input files, TEN tenant and hosted cluster, MODE modes, NET segment and addresses, ATT attachment (NAD),
 * EP published endpoints, DNS names, DHCP leases, NP NodePools and machines, PRX proxy,
 * GRD what the guards of the edges noticed.
 */
export type Severity = 'error' | 'warning' | 'info';

interface Entry {
  readonly severity: Severity;
  readonly title: string;
}

const error = (title: string): Entry => ({ severity: 'error', title });
const warning = (title: string): Entry => ({ severity: 'warning', title });
const info = (title: string): Entry => ({ severity: 'info', title });

export const catalogue = {
  'HCPIO-IN-001': error('a file is not readable YAML or JSON'),
  'HCPIO-IN-002': error('a document is not a Kubernetes object'),
  'HCPIO-IN-003': error('a field that TenantNetwork does not have'),
  'HCPIO-IN-004': error('a value of the wrong type or form'),
  'HCPIO-IN-005': error('the same object is given twice, and the two differ'),
  'HCPIO-IN-006': error('no TenantNetwork and no annotated HostedCluster in the input'),
  'HCPIO-IN-007': info('an object of a kind that plays no part was passed over'),
  'HCPIO-IN-008': error('text holds a line break, quote or control character where a name is needed'),

  'HCPIO-TEN-001': error('the HostedCluster does not exist'),
  'HCPIO-TEN-002': error('two HostedControlPlanes in one namespace'),
  'HCPIO-TEN-003': error('the control-plane namespace belongs to another HostedCluster'),
  'HCPIO-TEN-004': error('the platform is not KubeVirt'),
  'HCPIO-TEN-005': error('the VMs run on another infrastructure cluster'),
  'HCPIO-TEN-006': info('waiting for the HostedControlPlane'),
  'HCPIO-TEN-007': error('two TenantNetworks for one HostedCluster'),
  'HCPIO-TEN-008': warning('a TenantNetwork and the annotation shorthand say different things'),
  'HCPIO-TEN-009': error('the edge namespace is the control-plane namespace of another HostedCluster'),
  'HCPIO-TEN-010': error('the control-plane namespace would have too long a name'),

  'HCPIO-MODE-001': error('the mode is not built yet'),
  'HCPIO-MODE-002': error('settings of another mode than the chosen one'),

  'HCPIO-NET-001': error('a CIDR has host bits set'),
  'HCPIO-NET-002': error('text that is no CIDR or address'),
  'HCPIO-NET-003': error('the segment overlaps another network'),
  'HCPIO-NET-004': error('the prefix is too small or too large'),
  'HCPIO-NET-005': error('two CIDRs of one family'),
  'HCPIO-NET-006': error('no CIDR is known for the segment'),
  'HCPIO-NET-007': warning('segment.cidrs and networking.machineNetwork differ'),
  'HCPIO-NET-008': error('an address lies outside the segment or is not usable'),
  'HCPIO-NET-009': error('one address is wanted by two owners'),
  'HCPIO-NET-010': error('no address is left for an edge, the VIP or the pool'),
  'HCPIO-NET-011': error('a reserved range is malformed or outside the segment'),
  'HCPIO-NET-012': warning('the pool is smaller than the NodePools can grow'),
  'HCPIO-NET-013': warning('the segment is larger than one broadcast domain should be'),
  'HCPIO-NET-014': error('another tenant uses the same attachment with an overlapping CIDR'),
  'HCPIO-NET-015': warning('an IPv6 segment that is no /64'),
  'HCPIO-NET-016': error('an address pin of a family that the segment does not have'),
  'HCPIO-NET-017': error('the MTU cannot carry the segment'),
  'HCPIO-NET-018': info('IPv6 needs a router that sends router advertisements'),
  'HCPIO-NET-019': info('the networks of the hub are not known'),
  'HCPIO-NET-020': error('an address that workers were told would change while they run'),
  'HCPIO-NET-021': error('a machine would lose its address'),
  'HCPIO-NET-022': warning('no address is left to probe the segment from'),

  'HCPIO-ATT-001': error('the NetworkAttachmentDefinition does not exist'),
  'HCPIO-ATT-002': error('the NetworkAttachmentDefinition has IPAM where VMs need none'),
  'HCPIO-ATT-003': error('the NetworkAttachmentDefinition cannot be read'),
  'HCPIO-ATT-004': error('a CNI plugin that an edge cannot attach to'),
  'HCPIO-ATT-005': error('the attachment name is not namespace/name'),
  'HCPIO-ATT-006': error('an OVN network that assigns addresses itself'),
  'HCPIO-ATT-007': warning('MAC spoofing is not checked on the segment'),
  'HCPIO-ATT-008': error('a pod outside the default namespaces cannot use this NetworkAttachmentDefinition'),

  'HCPIO-EP-001': error('workers will dial an IP address that DNS cannot redirect'),
  'HCPIO-EP-002': error('a published NodePort address is not the VIP'),
  'HCPIO-EP-003': error('two services want one port of the VIP'),
  'HCPIO-EP-004': error('a publishing strategy that HyperShift does not support here'),
  'HCPIO-EP-005': info('waiting for an endpoint to be published'),
  'HCPIO-EP-006': info('waiting for the upstream Service'),
  'HCPIO-EP-007': error('two services share one host name'),
  'HCPIO-EP-008': error('a published host is no DNS name'),
  'HCPIO-EP-009': error('a service is missing from spec.services'),
  'HCPIO-EP-010': error('an extra port is taken or names a Service that does not exist'),
  'HCPIO-EP-011': error('the upstream Service does not have the expected port'),
  'HCPIO-EP-012': warning('an unknown SNI reaches the API server'),
  'HCPIO-EP-013': info('the konnectivity pods are not known'),
  'HCPIO-EP-014': info("waiting for the hosted cluster's own router"),

  'HCPIO-DNS-001': error('a name that is no DNS name'),
  'HCPIO-DNS-002': error('an extra record contradicts a published name'),
  'HCPIO-DNS-003': error('an upstream resolver is not an address'),
  'HCPIO-DNS-004': error('an upstream resolver is a hub or edge address'),
  'HCPIO-DNS-005': warning('the cluster domain lies in a zone of the hub'),
  'HCPIO-DNS-006': error('a record value does not fit its type'),
  'HCPIO-DNS-007': error("an extra record claims names that are not the tenant's"),

  'HCPIO-DHCP-001': error('a DHCP option that hcpio sets itself'),
  'HCPIO-DHCP-002': error('a DHCP option value does not fit its type'),
  'HCPIO-DHCP-003': error('an NTP server is not an address'),
  'HCPIO-DHCP-004': warning('leases are longer than a rolling replacement can bear'),
  'HCPIO-DHCP-005': warning('anyone on the segment may take an address'),
  'HCPIO-DHCP-006': error('somebody else gives out addresses on the segment'),

  'HCPIO-NP-001': error('VMs keep a leg on the pod network'),
  'HCPIO-NP-002': error('a NodePool is not attached to the segment'),
  'HCPIO-NP-003': info('no NodePool yet'),
  'HCPIO-NP-004': warning('a NodePool was paused by a person'),
  'HCPIO-NP-005': error('a machine name is no DNS label'),
  'HCPIO-NP-006': error('two machines have one MAC address'),
  'HCPIO-NP-007': info('a machine has no MAC address on the segment yet'),
  'HCPIO-NP-008': error('no address is left for a machine'),
  'HCPIO-NP-009': error('a machine has the name of a published service or an edge'),

  'HCPIO-PRX-001': error('workers will fetch ignition through the proxy'),
  'HCPIO-PRX-002': error('nodes will reach their API through the proxy'),
  'HCPIO-PRX-003': warning('OAuth or konnectivity will be dialled through the proxy'),
  'HCPIO-PRX-004': warning('the apps domain will be dialled through the proxy'),
  'HCPIO-PRX-005': warning('the segment is not in noProxy'),

  'HCPIO-GRD-001': warning('a machine on the segment claims an address of the edges'),
  'HCPIO-GRD-002': warning('a machine tries to get to the hub through an edge'),
  'HCPIO-GRD-003': info('a machine dials ports that are not published'),
  'HCPIO-GRD-004': warning('a machine has as many connections as one may have'),
} as const satisfies Record<string, Entry>;

export type FindingCode = keyof typeof catalogue;

/** Anchor of a code on the generated reference page. */
export const findingDocs = (code: FindingCode): string => `docs/reference/findings.md#${code.toLowerCase()}`;
