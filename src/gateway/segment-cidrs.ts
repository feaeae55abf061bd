import type { Observed } from '../hosted-cluster/observed.ts';

/** The segment's networks: as the TenantNetwork says, else as the HostedCluster does; and where a person would change them. */
export function segmentCidrs(observed: Pick<Observed, 'tenantNetwork' | 'hostedCluster'>): {
  readonly cidrs: readonly string[];
  readonly path: (index: number) => string;
} {
  const own = observed.tenantNetwork.spec.segment.cidrs;
  if (own.length > 0) return { cidrs: own, path: (i) => `spec.segment.cidrs[${i}]` };
  return {
    cidrs: (observed.hostedCluster?.spec.networking.machineNetwork ?? []).map((network) => network.cidr),
    path: () => 'spec.segment.cidrs',
  };
}
