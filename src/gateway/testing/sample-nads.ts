import { type Nad, nad } from '../../hosted-cluster/objects.ts';

/** The VMs' attachment as people write it, one per way of getting onto a VLAN. */
export const vmNad = (config: unknown, metadata: Partial<Nad['metadata']> = {}): Nad =>
  nad.parse({
    kind: 'NetworkAttachmentDefinition',
    metadata: { namespace: 'default', name: 'vlan100', ...metadata },
    spec: { config: typeof config === 'string' ? config : JSON.stringify(config) },
  });

export const bridgeConfig = { cniVersion: '0.3.1', name: 'vlan100', type: 'bridge', bridge: 'br100', macspoofchk: true, ipam: {} } as const;
export const cnvBridgeConfig = {
  cniVersion: '0.3.1',
  name: 'vlan100',
  type: 'cnv-bridge',
  bridge: 'br-tenants',
  vlan: 100,
  macspoofchk: true,
  preserveDefaultVlan: false,
  disableContainerInterface: true,
} as const;
export const macvlanConfig = { cniVersion: '0.3.1', name: 'vlan100', type: 'macvlan', master: 'ens4.100', mode: 'bridge' } as const;
export const localnetConfig = {
  cniVersion: '0.4.0',
  name: 'tenant-blue',
  type: 'ovn-k8s-cni-overlay',
  topology: 'localnet',
  netAttachDefName: 'default/vlan100',
  physicalNetworkName: 'physnet',
  vlanID: 100,
  mtu: 1500,
} as const;

export const sampleNads: readonly Nad[] = [vmNad(bridgeConfig)];
