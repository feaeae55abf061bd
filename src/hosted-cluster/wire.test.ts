import { expect, test } from 'vitest';
import { nad } from './objects.ts';
import { wireOf } from './wire.ts';

const wire = (config: unknown) =>
  wireOf(
    nad.parse({
      kind: 'NetworkAttachmentDefinition',
      metadata: { name: 'a', namespace: 'default' },
      spec: { config: typeof config === 'string' ? config : JSON.stringify(config) },
    }),
  );

test('attachments of one bridge and VLAN lead to one wire, alone or in a list', () => {
  expect(wire({ type: 'bridge', bridge: 'br1', vlan: 100 })).toBe('bridge br1 vlan 100');
  expect(wire({ name: 'x', plugins: [{ type: 'cnv-bridge', bridge: 'br1', vlan: 100 }, { type: 'tuning' }] })).toBe('bridge br1 vlan 100');
  expect(wire({ type: 'bridge', bridge: 'br1' })).toBe('bridge br1');
});

test('localnets are told by their physical network and VLAN, macvlans by their parent', () => {
  expect(wire({ type: 'ovn-k8s-cni-overlay', name: 'net', topology: 'localnet', physicalNetworkName: 'phys', vlanID: 7 })).toBe(
    'localnet phys vlan 7',
  );
  expect(wire({ type: 'ovn-k8s-cni-overlay', name: 'net', topology: 'localnet' })).toBe('localnet net');
  expect(wire({ type: 'macvlan', master: 'eth1' })).toBe('macvlan eth1');
});

test('what cannot be read is a wire of its own', () => {
  for (const config of ['', '{', '[]', '"x"', { type: 'host-device', device: 'eth3' }]) expect(wire(config)).toBe('attachment default/a');
});
