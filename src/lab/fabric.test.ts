import { expect, test } from 'vitest';
import { fabricPlan } from './fabric.ts';
import { layoutOf } from './layout.ts';

const plan = fabricPlan(layoutOf({ name: 'lab', nodes: 2 }));

test('the switches come first, because everything else plugs into them', () => {
  expect(plan.map((wiring) => wiring.netns)).toEqual([
    'lab-fab',
    'lab-hub-cp',
    'lab-router-vlan100',
    'lab-router-vlan200',
    'lab-router-vlan300',
    'lab-hub-a',
    'lab-hub-b',
  ]);
});

test('a node has an address on the hub network and none on the segments', () => {
  const node = plan.find((wiring) => wiring.netns === 'lab-hub-a');
  expect(node?.ip.filter((line) => line.startsWith('addr'))).toEqual([
    'addr add 10.90.0.11/24 dev eth0',
    'addr add 10.128.0.1/24 dev cni0',
  ]);
  expect(node?.cables).toEqual([
    { inside: 'eth0', port: 'hub-a', bridge: 'hub0' },
    { inside: 'br100-up', port: 'hub-a-br100', bridge: 'br100' },
    { inside: 'br200-up', port: 'hub-a-br200', bridge: 'br200' },
    { inside: 'br300-up', port: 'hub-a-br300', bridge: 'br300' },
  ]);
});

test('the router of a segment is plugged into that segment only', () => {
  const router = plan.find((wiring) => wiring.netns === 'lab-router-vlan200');
  expect(router).toEqual({
    netns: 'lab-router-vlan200',
    sysctl: { 'net/ipv4/ip_forward': '1' },
    cables: [{ inside: 'vlan0', port: 'r-br200', bridge: 'br200' }],
    ip: ['addr add 192.168.200.1/24 dev vlan0'],
  });
});

test('the router of a segment with both families is at home in both', () => {
  const router = plan.find((wiring) => wiring.netns === 'lab-router-vlan300');
  expect(router?.ip).toEqual(['addr add 192.168.30.1/24 dev vlan0', 'addr add 2001:db8:30::1/64 dev vlan0 nodad']);
});

test('no interface has a name that the kernel would refuse', () => {
  const largest = fabricPlan(layoutOf({ name: 'a'.repeat(16), nodes: 20 }));
  const names = largest.flatMap((wiring) => wiring.cables.flatMap((cable) => [cable.inside, cable.port]));
  expect(names.filter((name) => name.length > 15)).toEqual([]);
});
