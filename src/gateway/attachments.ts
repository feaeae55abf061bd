import { type Finding, finding, Refusal } from '../api/finding.ts';
import type { Nad } from '../hosted-cluster/objects.ts';
import { SEGMENT_TABLE } from './edge-ports.ts';
import { edgeLabels, tenantRef } from './labels.ts';
import type { KubeObject } from './rendered.ts';
import { readSegmentLink, type SegmentLink } from './segment-link.ts';
import { segmentMac } from './segment-mac.ts';
import type { FamilyAddresses, Station, TenantPlan } from './tenant-plan.ts';

export type AttachmentInput = Pick<
  TenantPlan,
  'tenant' | 'controlPlaneNamespace' | 'edgeNamespace' | 'addresses' | 'segment' | 'edges' | 'prober'
>;

export interface Attachments {
  /** One NetworkAttachmentDefinition per edge, and one for the prober, named like it. */
  readonly nads: readonly KubeObject[];
  /** A node resource that only nodes with the segment have; the edges ask for one, so that they land where the VMs can. */
  readonly resource?: string;
  readonly findings: readonly Finding[];
}

/** Written by the bridge marker of OpenShift Virtualization, among others, and copied to the VMs' pods by KubeVirt. */
const RESOURCE_ANNOTATION = 'k8s.v1.cni.cncf.io/resourceName';

/** Where Multus lets every pod take an attachment from, when it isolates namespaces as OpenShift's does. Not configurable there. */
const SHARED_NAMESPACES = ['default', 'openshift-multus', 'openshift-sriov-network-operator', 'openshift-cnv'];

/**
 * The edges' own attachments, derived from the VMs': same wire, own addresses. One per edge, in the edge's namespace, because VMs need an
 * attachment without IPAM and an edge needs one with: the bridge plugin ignores addresses asked for by annotation when there is no IPAM.
 */
export function deriveAttachments(input: AttachmentInput, nads: readonly Nad[]): Attachments {
  const nad = find(input, nads);
  const { link, findings } = readSegmentLink(nad);
  const resource = nad.metadata.annotations[RESOURCE_ANNOTATION];
  return {
    nads: [...input.edges, ...(input.prober === undefined ? [] : [input.prober])].map((edge) => attachment(input, edge, link)),
    ...(resource === undefined ? {} : { resource }),
    findings: [...findings, ...isolation(input, nad)],
  };
}

/** The value of `k8s.v1.cni.cncf.io/networks` on an edge's pod. */
export const networks = (input: Pick<TenantPlan, 'tenant' | 'edgeNamespace'>, edge: Station): string =>
  JSON.stringify([{ name: edge.name, namespace: input.edgeNamespace, interface: 'net1', mac: segmentMac(input, edge) }]);

function find(input: AttachmentInput, nads: readonly Nad[]): Nad {
  const where = { object: tenantRef(input), path: 'spec.segment.attachment' };
  const [namespace = '', name = '', ...rest] = input.segment.attachment.split('/');
  if (namespace === '' || name === '' || rest.length > 0) {
    throw new Refusal(
      finding('HCPIO-ATT-005', {
        ...where,
        message: `${JSON.stringify(input.segment.attachment)} is not namespace/name`,
        fix: 'write the namespace and the name of the attachment, such as default/vlan100',
      }),
    );
  }
  const nad = nads.find((candidate) => candidate.metadata.namespace === namespace && candidate.metadata.name === name);
  if (nad !== undefined) return nad;
  throw new Refusal(
    finding('HCPIO-ATT-001', {
      ...where,
      message: `there is no NetworkAttachmentDefinition ${input.segment.attachment}`,
      fix: `create it, or name one of those that exist: kubectl get network-attachment-definitions -A`,
    }),
  );
}

/** About the VMs: their pods live in the control-plane namespace. The edge's own attachments are always where the edge is. */
function isolation({ controlPlaneNamespace }: AttachmentInput, { metadata: { namespace, name } }: Nad): Finding[] {
  if (namespace === controlPlaneNamespace || SHARED_NAMESPACES.includes(namespace)) return [];
  return [
    finding('HCPIO-ATT-008', {
      object: { kind: 'NetworkAttachmentDefinition', namespace, name },
      message: `the VMs in namespace ${controlPlaneNamespace} cannot use it: Multus lets a pod use attachments of its own namespace and of ${SHARED_NAMESPACES.join(', ')}`,
      fix: `create the attachment in namespace default and set spec.segment.attachment to default/${name}`,
    }),
  ];
}

const attachment = (input: AttachmentInput, edge: Station, link: SegmentLink): KubeObject => ({
  apiVersion: 'k8s.cni.cncf.io/v1',
  kind: 'NetworkAttachmentDefinition',
  metadata: { name: edge.name, namespace: input.edgeNamespace, labels: edgeLabels(input, edge) },
  spec: { config: JSON.stringify(link.type === 'ovn-k8s-cni-overlay' ? ovnConfig(input, edge, link) : chain(input, edge, link)) },
});

/** Old enough for every runtime, new enough for a chain. */
const CNI_VERSION = '0.3.1';

/**
 * The interface, its addresses, and source routing where there is a router to route to.
 *
 * `sbr` with a fixed table adds the rule `from <edge> lookup 100` and nothing else, so the routes of that table are listed here, the
 * connected one first: answers to neighbours must not depend on the router. They name their gateway themselves, as one that stood
 * beside the address would be put into the connected route as well. The connected route of the main table stays, which a default `sbr`
 * would remove: what the edge dials on the segment of its own accord (workers, resolvers) still finds it. Plugins before 1.6 know neither
 * `table`; they move all of net1's routes to the first free table, and that is 100 too.
 *
 * Without a router every client is a neighbour and the connected route is all there is to know: no `sbr`, no table 100, and never a
 * default route, which without `sbr` would share the pod's own traffic between the hub and the segment.
 */
const chain = (input: AttachmentInput, edge: Station, link: Exclude<SegmentLink, { type: 'ovn-k8s-cni-overlay' }>) => {
  const families = addressesOf(input, edge);
  // The prober asks its neighbours only, and must not have a way to anybody else.
  const routed = edge.name === 'prober' ? [] : families.filter(({ family }) => family.router !== undefined);
  return {
    cniVersion: CNI_VERSION,
    name: edge.name,
    plugins: [
      {
        ...link,
        capabilities: { mac: true }, // without this the pod's annotation may ask for a MAC, and nobody hears it
        mtu: Math.min(link.mtu || input.segment.mtu, input.segment.mtu),
        // The bridge plugin turns duplicate address detection off unless told, and the guard waits for its verdict.
        ...(link.type !== 'macvlan' && input.addresses.ipv6 !== undefined ? { enabledad: true } : {}),
        ipam: {
          type: 'static',
          addresses: families.map(({ address }) => ({ address })),
          ...(routed.length === 0 ? {} : { routes: routed.flatMap(({ family }) => routesOf(family)) }),
        },
      },
      ...(routed.length === 0 ? [] : [{ type: 'sbr', table: SEGMENT_TABLE }]),
    ],
  };
};

const SCOPE_LINK = 253;

const routesOf = ({ cidr, router }: FamilyAddresses) => [
  { dst: cidr, table: SEGMENT_TABLE, scope: SCOPE_LINK },
  { dst: cidr.includes(':') ? '::/0' : '0.0.0.0/0', gw: router, table: SEGMENT_TABLE },
];

/**
 * OVN reads this itself: no chain, no IPAM plugin, the VMs' network by its name and with the very same parameters. Nor are the addresses
 * asked for by annotation (`ips`): OVN writes what was asked for into the port's security, and then drops the VIP. So the port has a MAC
 * only, the guard puts the address on, and Multus' network-status shows none.
 */
const ovnConfig = (input: AttachmentInput, edge: Station, { network, ...link }: Extract<SegmentLink, { type: 'ovn-k8s-cni-overlay' }>) => ({
  cniVersion: CNI_VERSION,
  name: network,
  ...link,
  topology: 'localnet',
  netAttachDefName: `${input.edgeNamespace}/${edge.name}`,
});

/** The edge's addresses with their prefix lengths. */
export const addressesOf = (
  input: Pick<TenantPlan, 'addresses'>,
  edge: Station,
): { readonly family: FamilyAddresses; readonly address: string }[] =>
  (['ipv4', 'ipv6'] as const).flatMap((name) => {
    const family = input.addresses[name];
    const address = edge.addresses[name];
    return family === undefined || address === undefined ? [] : [{ family, address: `${address}/${family.cidr.split('/')[1]}` }];
  });
