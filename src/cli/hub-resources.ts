/** What only the command line reads of a hub; the rest is in src/operator/resources.ts. */
import type { Resource } from '../kube/object.ts';

export const VIRTUAL_MACHINE: Resource = {
  group: 'kubevirt.io',
  version: 'v1',
  plural: 'virtualmachines',
  kind: 'VirtualMachine',
  namespaced: true,
};
