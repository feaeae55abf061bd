/** What only the command line reads of a hub; the rest is in src/operator/resources.ts. */
import type { Resource } from '../kube/object.ts';

export const VIRTUAL_MACHINE: Resource = {
  group: 'kubevirt.io',
  version: 'v1',
  plural: 'virtualmachines',
  kind: 'VirtualMachine',
  namespaced: true,
};

const machines = (version: string): Resource => ({
  group: 'cluster.x-k8s.io',
  version,
  plural: 'machines',
  kind: 'Machine',
  namespaced: true,
});
/** Newest first. */
export const CLUSTER_API_MACHINES = [machines('v1beta2'), machines('v1beta1')] as const;
