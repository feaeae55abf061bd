import { expect, test } from 'vitest';
import { layoutOf } from './layout.ts';

test('everything that the machine could mix up carries the name of the lab', () => {
  const { dir, hub, nodes, fabric, segments } = layoutOf({ name: 'blue', nodes: 2 });
  const namespaces = [hub.netns, fabric.netns, ...nodes.map((node) => node.netns), ...segments.map((segment) => segment.router.netns)];
  expect(dir).toBe('/var/lib/hcpio-lab/blue');
  expect(namespaces).toEqual([
    'blue-hub-cp',
    'blue-fab',
    'blue-hub-a',
    'blue-hub-b',
    'blue-router-vlan100',
    'blue-router-vlan200',
    'blue-router-vlan300',
  ]);
});

test('a second node is like the first but for its name and addresses', () => {
  expect(layoutOf({ name: 'lab', nodes: 2 }).nodes[1]).toEqual({
    name: 'hub-b',
    netns: 'lab-hub-b',
    address: '10.90.0.12',
    podCidr: '10.128.1.0/24',
    containerd: { socket: '/var/lib/hcpio-lab/lab/nodes/hub-b/run/containerd/containerd.sock', namespace: 'k8s.io' },
    dir: '/var/lib/hcpio-lab/lab/nodes/hub-b',
    bridges: { vlan100: 'br100', vlan200: 'br200', vlan300: 'br300' },
  });
});

test('names that could collide or grow too long are refused', () => {
  for (const name of ['', 'a-b', 'A', '1a', '../x', 'a'.repeat(17)]) {
    expect(() => layoutOf({ name, nodes: 0 }), name).toThrow(`"${name}" cannot name a lab`);
  }
});

test('the longest name still leaves room for unix sockets', () => {
  const [node] = layoutOf({ name: 'a'.repeat(16), nodes: 1 }).nodes;
  expect(node?.containerd.socket.length).toBeLessThan(108);
});

test('more nodes than there are letters to name them are refused', () => {
  expect(() => layoutOf({ name: 'lab', nodes: 21 })).toThrow('a lab has 0 to 20 nodes, not 21');
});
