import { blueObserved } from '../../hosted-cluster/testing/blue.ts';
import { type Case, segment } from './case.ts';

export const nodePoolCases: readonly Case[] = [
  {
    code: 'HCPIO-NP-009',
    when: 'a machine is called api',
    change: { observed: { machines: blueObserved().machines.map((vmi) => ({ ...vmi, metadata: { ...vmi.metadata, name: 'api' } })) } },
    says: 'clusters-blue/api VirtualMachineInstance metadata.name: machine api has the name of a published service or of an edge, api.blue.example.com, and cannot be found by it',
  },
  {
    code: 'HCPIO-NP-001',
    when: 'attachDefaultNetwork is left true',
    change: { kubevirt: { attachDefaultNetwork: null } },
    says: "clusters/blue-workers NodePool spec.platform.kubevirt.attachDefaultNetwork: VMs of NodePool blue-workers also sit on the hub's pod network: they are not isolated, and take their default route there",
  },
  {
    code: 'HCPIO-NP-002',
    when: 'the VMs are elsewhere',
    change: { kubevirt: { additionalNetworks: [{ name: 'default/vlan200' }] } },
    says: 'clusters/blue-workers NodePool spec.platform.kubevirt.additionalNetworks: VMs of NodePool blue-workers are not attached to default/vlan100',
  },
  {
    code: 'HCPIO-NP-003',
    when: 'there is no NodePool',
    change: { observed: { nodePools: [] } },
    says: 'clusters/blue HostedCluster: there is no NodePool yet, so nobody needs addresses',
  },
  {
    code: 'HCPIO-NP-004',
    when: 'a person paused the pool',
    change: { nodePoolSpec: { pausedUntil: 'true' } },
    says: 'clusters/blue-workers NodePool spec.pausedUntil: NodePool blue-workers was paused by somebody else; hcpio will not release it',
  },
  {
    code: 'HCPIO-NP-008',
    when: 'the pool is empty',
    change: {
      ...segment({ reserved: ['192.168.100.11-192.168.100.254'] }),
      observed: {
        machines: [1, 2].flatMap((n) =>
          blueObserved().machines.map((vmi) => ({
            ...vmi,
            metadata: { ...vmi.metadata, name: `m${n}` },
            status: { interfaces: [{ name: 'iface1_default-vlan100', mac: `02:00:00:00:01:0${n}` }] },
          })),
        ),
      },
    },
    says: 'clusters-blue/m2 VirtualMachineInstance: the pool has no address left for machine m2',
  },
];
