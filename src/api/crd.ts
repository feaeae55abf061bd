import { type OpenApiSchema, structuralSchema } from './open-api.ts';
import { GROUP, tenantNetwork, tenantNetworkSpec, VERSION } from './tenant-network.ts';
import { tenantNetworkStatus } from './tenant-network-status.ts';

/** What `kubectl get tenantnetworks` shows beside the name. */
const printerColumns = [
  { name: 'Mode', type: 'string', jsonPath: '.spec.mode' },
  { name: 'VIP', type: 'string', jsonPath: '.status.vip' },
  { name: 'Workers', type: 'integer', jsonPath: '.status.workers' },
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason', priority: 1 },
  { name: 'Segment', type: 'string', jsonPath: '.spec.segment.attachment', priority: 1 },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
] as const;

/** The schema of the whole object, as the reference documentation shows it. */
export function tenantNetworkSchema(): OpenApiSchema {
  return {
    description: tenantNetwork.description ?? '',
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: { description: `${GROUP}/${VERSION}.`, type: 'string' },
      kind: { description: 'TenantNetwork.', type: 'string' },
      metadata: { description: 'Standard object metadata. A TenantNetwork lives in the namespace of its HostedCluster.', type: 'object' },
      spec: structuralSchema(tenantNetworkSpec),
      status: structuralSchema(tenantNetworkStatus),
    },
  };
}

/** The CustomResourceDefinition, as `hcpio crd` prints it and `deploy/crd` holds it. */
export function tenantNetworkCrd() {
  const { properties, ...schema } = tenantNetworkSchema();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `tenantnetworks.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: {
        kind: 'TenantNetwork',
        listKind: 'TenantNetworkList',
        plural: 'tenantnetworks',
        singular: 'tenantnetwork',
        shortNames: ['tn'],
        categories: ['hcpio'],
      },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: printerColumns,
          // metadata is the API server's own business: a CRD may say no word about it.
          schema: { openAPIV3Schema: { ...schema, properties: { ...properties, metadata: { type: 'object' } } } },
        },
      ],
    },
  };
}
