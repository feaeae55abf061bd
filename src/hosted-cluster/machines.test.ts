import { expect, test } from 'vitest';
import { readMachines } from './machines.ts';
import { virtualMachineInstance } from './objects.ts';
import { blueObserved } from './testing/blue.ts';

/** As HyperShift makes them: bridge binding, interface `iface<i>_<namespace>-<nad>`, in the control-plane namespace. */
const IFACE = 'iface1_default-vlan100';
const vmi = (name: string, interfaces: readonly Record<string, unknown>[], networkName = 'default/vlan100', namespace = 'clusters-blue') =>
  virtualMachineInstance.parse({
    kind: 'VirtualMachineInstance',
    metadata: { name, namespace },
    spec: { networks: [{ name: IFACE, multus: { networkName } }] },
    status: { interfaces },
  });
const read = (...machines: ReturnType<typeof vmi>[]) => readMachines(blueObserved({ observed: { machines } }));
const sentences = (...machines: ReturnType<typeof vmi>[]) =>
  read(...machines).findings.map((f) => `${f.code} ${f.severity} ${f.object}: ${f.message}`);

test('a machine has its MAC from the start and its addresses when the guest agent tells them', () => {
  const early = vmi('blue-1', [{ name: IFACE, mac: '02:00:00:00:01:0A' }]);
  const late = vmi('blue-2', [
    { name: IFACE, mac: '02-00-00-00-01-0b', ipAddress: '192.168.100.11', ipAddresses: ['192.168.100.11', 'FD00:100::B', 'fe80::1'] },
  ]);
  expect(read(late, early)).toEqual({
    machines: [
      { machine: 'blue-1', mac: '02:00:00:00:01:0a', seen: [] },
      { machine: 'blue-2', mac: '02:00:00:00:01:0b', seen: ['192.168.100.11', 'fd00:100::b'] },
    ],
    findings: [],
  });
});

test("addresses that OVN in the guest moved to a bridge are still the machine's", () => {
  const moved = vmi('blue-1', [
    { name: IFACE, mac: '02:00:00:00:01:0a' },
    { mac: '02:00:00:00:01:0A', ipAddress: '192.168.100.10' },
    { mac: '0a:58:0a:84:00:02', ipAddress: '10.132.0.2' },
  ]);
  expect(read(moved).machines).toEqual([{ machine: 'blue-1', mac: '02:00:00:00:01:0a', seen: ['192.168.100.10'] }]);
});

test('a bare network name is one of the namespace of the VM', () => {
  const leg = [{ name: IFACE, mac: '02:00:00:00:01:0a' }];
  const own = blueObserved({
    spec: { segment: { attachment: 'clusters-blue/vlan100' } },
    observed: { machines: [vmi('blue-1', leg, 'vlan100')] },
  });
  expect(readMachines(own).machines.map((m) => m.machine)).toEqual(['blue-1']);
  expect(read(vmi('blue-1', leg, 'vlan100')).machines).toEqual([]);
});

test('VMs of other networks and other namespaces are not on the segment', () => {
  const leg = [{ name: IFACE, mac: '02:00:00:00:01:0a' }];
  expect(read(vmi('a', leg, 'default/vlan200'), vmi('b', leg, 'default/vlan100', 'clusters-red'))).toEqual({ machines: [], findings: [] });
});

test("in a namespace that is not the tenant's no machine is ours", () => {
  const observed = blueObserved();
  expect(readMachines({ ...observed, hostedControlPlanes: [] })).toEqual({ machines: [], findings: [] });
});

test('a machine without a MAC is waited for', () => {
  expect(sentences(vmi('blue-1', []), vmi('blue-2', [{ name: IFACE, mac: 'soon' }]))).toEqual([
    'HCPIO-NP-007 info clusters-blue/blue-1 VirtualMachineInstance: waiting for KubeVirt to tell the MAC address of machine blue-1 on default/vlan100',
    'HCPIO-NP-007 info clusters-blue/blue-2 VirtualMachineInstance: waiting for KubeVirt to tell the MAC address of machine blue-2 on default/vlan100',
  ]);
});

test('two machines with one MAC: the first by name has it, and the other is told', () => {
  const leg = (mac: string) => [{ name: IFACE, mac }];
  const twins = [vmi('blue-2', leg('02:00:00:00:01:0A')), vmi('blue-1', leg('02:00:00:00:01:0a'))];
  expect(read(...twins).machines.map((m) => m.machine)).toEqual(['blue-1']);
  expect(sentences(...twins)).toEqual([
    'HCPIO-NP-006 error clusters-blue/blue-2 VirtualMachineInstance: machines blue-1 and blue-2 both have MAC address 02:00:00:00:01:0a; only blue-1 gets an address',
  ]);
});

test('a machine whose name is no DNS label cannot be a host', () => {
  const leg = [{ name: IFACE, mac: '02:00:00:00:01:0a' }];
  expect(read(vmi('pool.v2-1', leg)).machines).toEqual([]);
  expect(sentences(vmi('pool.v2-1', leg))).toEqual([
    'HCPIO-NP-005 error clusters-blue/pool.v2-1 VirtualMachineInstance: "pool.v2-1" is no DNS label, so the machine cannot have it as its host name and its Node would not be found',
  ]);
});

test('a machine with two legs on the segment has both', () => {
  const two = virtualMachineInstance.parse({
    kind: 'VirtualMachineInstance',
    metadata: { name: 'blue-1', namespace: 'clusters-blue' },
    spec: {
      networks: [
        { name: 'default' },
        { name: 'a', multus: { networkName: 'default/vlan100' } },
        { name: 'b', multus: { networkName: 'default/vlan100' } },
      ],
    },
    status: {
      interfaces: [
        { name: 'b', mac: '02:00:00:00:01:0b' },
        { name: 'a', mac: '02:00:00:00:01:0a' },
      ],
    },
  });
  expect(read(two)).toEqual({
    machines: [
      { machine: 'blue-1', mac: '02:00:00:00:01:0a', seen: [] },
      { machine: 'blue-1', mac: '02:00:00:00:01:0b', seen: [] },
    ],
    findings: [],
  });
});
