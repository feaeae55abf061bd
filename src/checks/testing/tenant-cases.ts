import { type Case, neighbour } from './case.ts';

export const tenantCases: readonly Case[] = [
  {
    code: 'HCPIO-TEN-001',
    when: 'the cluster is missing',
    change: { observed: { hostedCluster: undefined } },
    says: 'clusters/blue TenantNetwork spec.hostedCluster: there is no HostedCluster clusters/blue',
  },
  {
    code: 'HCPIO-TEN-004',
    when: 'the platform is another',
    change: { hostedClusterSpec: { platform: { type: 'AWS' } } },
    says: 'clusters/blue HostedCluster spec.platform.type: the workers are of platform AWS, and hcpio serves VMs of OpenShift Virtualization',
  },
  {
    code: 'HCPIO-TEN-005',
    when: 'the VMs run elsewhere',
    change: { hostedClusterSpec: { platform: { type: 'KubeVirt', kubevirt: { credentials: { infraNamespace: 'x' } } } } },
    says: 'clusters/blue HostedCluster spec.platform.kubevirt.credentials: the VMs run on another infrastructure cluster, so an edge on this hub is not on their segment',
  },
  {
    code: 'HCPIO-TEN-007',
    when: 'another TenantNetwork serves the cluster',
    change: { observed: { neighbours: [{ ...neighbour, hostedCluster: 'clusters/blue', sameSegment: false }] } },
    says: 'clusters/blue TenantNetwork spec.hostedCluster: clusters/blue and clusters/red both serve HostedCluster clusters/blue',
  },
  {
    code: 'HCPIO-TEN-008',
    when: 'the annotation names another attachment',
    change: { hostedClusterAnnotations: { 'hcpio.io/tenant-network': 'default/vlan200' } },
    says: 'clusters/blue HostedCluster metadata.annotations["hcpio.io/tenant-network"]: the annotation names "default/vlan200", the TenantNetwork "default/vlan100"; the TenantNetwork wins',
  },
  {
    code: 'HCPIO-TEN-009',
    when: 'the edge namespace is a control plane',
    change: { observed: { edgeNamespaceOwners: ['clusters/blue-edge'] } },
    says: 'clusters/blue HostedCluster: the edge belongs into namespace clusters-blue-edge, which is the control-plane namespace of HostedCluster clusters/blue-edge',
  },
  {
    code: 'HCPIO-TEN-010',
    when: 'the name is too long',
    change: { spec: { hostedCluster: 'a'.repeat(60) } },
    says: `clusters/${'a'.repeat(60)} HostedCluster metadata.name: HyperShift cannot make namespace clusters-${'a'.repeat(60)}: it has 69 characters, and 63 is the most`,
  },
  {
    code: 'HCPIO-MODE-001',
    when: 'the mode has no planner',
    change: { spec: { mode: 'PrimaryUDN' } },
    says: 'clusters/blue TenantNetwork spec.mode: mode PrimaryUDN is not built yet',
  },
  {
    code: 'HCPIO-MODE-002',
    when: 'settings of another mode are there',
    change: { spec: { loadBalancer: {} } },
    says: 'clusters/blue TenantNetwork spec.loadBalancer: spec.loadBalancer holds settings of another mode than Gateway',
  },
];
