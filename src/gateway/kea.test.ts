import { describe, expect, test } from 'vitest';
import { keaFiles } from './kea.ts';
import type { Dhcp4File, Dhcp6File } from './kea-config.ts';
import { KEA_3_0 } from './kea-layout.ts';
import { segmentMac } from './segment-mac.ts';
import type { TenantPlan } from './tenant-plan.ts';
import { contentOf, edgeOf, expectGoldenFiles, goldenEdges } from './testing/sample-edges.ts';
import { allRoutes, blue, dualStack, single } from './testing/sample-plans.ts';

const dhcp4 = (plan: TenantPlan, name: 'edge-a' | 'edge-b' = 'edge-a') =>
  (JSON.parse(contentOf(keaFiles(plan, edgeOf(plan, name)), 'kea-dhcp4.json')) as Dhcp4File).Dhcp4;
const dhcp6 = (plan: TenantPlan) => (JSON.parse(contentOf(keaFiles(plan, edgeOf(plan)), 'kea-dhcp6.json')) as Dhcp6File).Dhcp6;

test.each(goldenEdges)('$sample, $edge.name: as agreed', (sample) => expectGoldenFiles(sample, keaFiles(sample.plan, sample.edge)));

const PROBER = segmentMac(blue, { name: 'prober' });

test('there is one file per IP family, and none when another server gives out addresses', () => {
  const names = (plan: TenantPlan) => keaFiles(plan, edgeOf(plan)).map(({ container, name }) => `${container}/${name}`);
  expect(names(blue)).toEqual(['dhcp/kea-dhcp4.json']);
  expect(names(dualStack)).toEqual(['dhcp/kea-dhcp4.json', 'dhcp/kea-dhcp6.json']);
  expect(names({ ...dualStack, dhcp: { ...dualStack.dhcp, serve: 'Nobody' } })).toEqual([]);
});

describe('the pair', () => {
  const hooks = (plan: TenantPlan, name?: 'edge-a' | 'edge-b') => dhcp4(plan, name)['hooks-libraries'];

  test('both edges know each other by the addresses of their own link, and edge-a is the primary', () => {
    const [, ofA] = hooks(blue);
    const [, ofB] = hooks(blue, 'edge-b');
    const peers = [
      { name: 'edge-a', url: 'http://169.254.77.1:8004/', role: 'primary', 'auto-failover': true },
      { name: 'edge-b', url: 'http://169.254.77.2:8004/', role: 'standby', 'auto-failover': true },
    ];
    expect(ofA?.parameters?.['high-availability'][0]).toMatchObject({
      'this-server-name': 'edge-a',
      mode: 'hot-standby',
      'heartbeat-delay': 300,
      'max-unacked-clients': 0,
      peers,
    });
    expect(ofB?.parameters?.['high-availability'][0]).toMatchObject({ 'this-server-name': 'edge-b', peers });
  });

  test('a single edge has no partner to wait for', () => {
    expect(hooks(single)).toEqual([{ library: '/usr/lib/x86_64-linux-gnu/kea/hooks/libdhcp_lease_cmds.so' }]);
  });

  test('the two families do not share a port', () => {
    const [, ha] = dhcp6(dualStack)['hooks-libraries'];
    expect(ha?.parameters?.['high-availability'][0].peers.map(({ url }) => url)).toEqual([
      'http://169.254.77.1:8006/',
      'http://169.254.77.2:8006/',
    ]);
  });
});

test('Kea 3.0 gets the keys that it renamed, and nothing else changes', () => {
  const edge = edgeOf(blue);
  const of = (content: string) => JSON.parse(content) as Dhcp4File;
  const old = of(contentOf(keaFiles(blue, edge), 'kea-dhcp4.json')).Dhcp4;
  const { 'control-socket': socket, ...rest } = old;
  expect(of(contentOf(keaFiles(blue, edge, KEA_3_0), 'kea-dhcp4.json')).Dhcp4).toEqual({
    ...rest,
    'control-sockets': [socket],
    subnet4: old.subnet4.map((subnet) => ({ ...subnet, pools: subnet.pools.map(({ pool }) => ({ pool, 'client-classes': ['KNOWN'] })) })),
  });
});

test('a worker keeps its lease over its boot, whatever client id its initramfs and its root send', () => {
  expect(dhcp4(blue)['match-client-id']).toBe(false);
});

test('DHCPv6 finds machines by their MAC where the client gives it away, and names the resolvers of both edges', () => {
  const { 'mac-sources': sources, subnet6 } = dhcp6(dualStack);
  expect(sources).toEqual(['duid', 'ipv6-link-local']);
  expect(subnet6).toEqual([
    {
      id: 1,
      subnet: 'fd00:100::/64',
      interface: 'net1',
      pools: [{ pool: 'fd00:100::a - fd00:100::1009', 'client-class': 'KNOWN' }],
      'option-data': [
        { code: 23, 'csv-format': true, data: 'fd00:100::2, fd00:100::4' },
        { code: 24, 'csv-format': true, data: 'blue.example.com' },
      ],
      reservations: [
        { 'hw-address': '02:00:00:00:01:01', 'ip-addresses': ['fd00:100::a'], hostname: 'blue-workers-x7k20-1' },
        { 'hw-address': PROBER, 'ip-addresses': ['fd00:100::5'], hostname: 'prober' },
      ],
    },
  ]);
});

test('a machine without a planned address is known all the same, and takes one of the pool', () => {
  const plan: TenantPlan = {
    ...blue,
    dhcp: { ...blue.dhcp, reservations: [{ machine: 'late', mac: '02:00:00:00:01:02', addresses: {} }] },
  };
  expect(dhcp4(plan).subnet4[0]?.reservations[0]).toEqual({ 'hw-address': '02:00:00:00:01:02', hostname: 'late' });
});

test('mistake 6: the server is one that needs no NET_ADMIN and has no limit of a thousand leases', () => {
  const pool = [['10.7.0.10', '10.7.15.255']] as const;
  const { ipv4 } = blue.addresses;
  if (ipv4 === undefined) throw new Error('blue has IPv4');
  const server = dhcp4({ ...blue, addresses: { ipv4: { ...ipv4, cidr: '10.7.0.0/16', pool } } });
  expect(server.subnet4[0]?.pools).toEqual([{ pool: '10.7.0.10 - 10.7.15.255', 'client-class': 'KNOWN' }]);
  // Raw sockets are all that it asks of the kernel, and without them it leaves instead of serving nobody.
  expect(server['interfaces-config']).toMatchObject({ 'dhcp-socket-type': 'raw', 'service-sockets-require-all': true });
});

test('mistake 8: the server has a planned address of its own and listens there and nowhere else', () => {
  expect(dhcp4(blue)['interfaces-config'].interfaces).toEqual(['net1/192.168.100.2']);
  expect(dhcp4(blue, 'edge-b')['interfaces-config'].interfaces).toEqual(['net1/192.168.100.4']);
  expect(dhcp6(dualStack)['interfaces-config'].interfaces).toEqual(['net1/fd00:100::2']);
});

test('mistake 9: the pool is what the plan says, in pieces where something stands in the way', () => {
  expect(dhcp4(blue).subnet4[0]?.pools.map(({ pool }) => pool)).toEqual([
    '192.168.100.10 - 192.168.100.199',
    '192.168.100.221 - 192.168.100.254',
  ]);
  expect(dhcp4(allRoutes).subnet4[0]?.pools).toEqual([{ pool: '192.168.100.10 - 192.168.100.254' }]);
});

test("mistake 10: machines search the cluster's own domain, and cluster.local is nowhere", () => {
  const options = dhcp4(blue).subnet4[0]?.['option-data'].filter(({ code }) => code === 15 || code === 119);
  expect(options).toEqual([
    { code: 15, 'csv-format': true, data: 'blue.example.com' },
    { code: 119, 'csv-format': true, data: 'blue.example.com' },
  ]);
  expect(keaFiles(dualStack, edgeOf(dualStack)).filter(({ content }) => content.includes('cluster.local'))).toEqual([]);
});

test('mistake 11: only machines of the tenant get an address, each by its MAC; declined addresses come back within minutes', () => {
  const { subnet4, ...server } = dhcp4(blue);
  expect(subnet4[0]?.pools.map((pool) => pool['client-class'])).toEqual(['KNOWN', 'KNOWN']);
  expect(subnet4[0]?.reservations).toEqual([
    { 'hw-address': '02:00:00:00:01:01', 'ip-address': '192.168.100.10', hostname: 'blue-workers-x7k20-1' },
    // Known, so that it is answered as a machine would be; it is offered the address that it has.
    { 'hw-address': PROBER, 'ip-address': '192.168.100.5', hostname: 'prober' },
  ]);
  expect(server).toMatchObject({ 'host-reservation-identifiers': ['hw-address'], 'decline-probation-period': 300, 'valid-lifetime': 900 });
  // Only when the tenant says so is anybody served.
  expect(dhcp4(allRoutes).subnet4[0]?.pools.some((pool) => 'client-class' in pool)).toBe(false);
});
