import { describe, expect, test } from 'vitest';
import { vipFiles } from './keepalived.ts';
import type { EdgePlan, TenantPlan } from './tenant-plan.ts';
import { contentOf, edgeOf, expectGoldenFiles, goldenEdges, sampleEdges } from './testing/sample-edges.ts';
import { allRoutes, blue, dualStack, single } from './testing/sample-plans.ts';

const config = (plan: TenantPlan, edge: EdgePlan = edgeOf(plan)) => contentOf(vipFiles(plan, edge), 'keepalived.conf');

/** The lines of the first block of that name, as they are indented inside it. */
function linesOf(text: string, name: string): string[] {
  const body = new RegExp(`^( *)${name} \\{\\n([\\s\\S]*?)^\\1\\}$`, 'm').exec(text)?.[2] ?? '';
  return body
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

test.each(goldenEdges)('$sample, $edge.name: as agreed', (sample) => expectGoldenFiles(sample, vipFiles(sample.plan, sample.edge)));

describe('the election', () => {
  test('adverts travel over the link between the edges, and a packet that was routed is not believed', () => {
    expect(linesOf(config(blue), 'vrrp_instance segment')).toEqual(
      expect.arrayContaining([
        'interface peer0',
        'unicast_src_ip 169.254.77.1',
        '169.254.77.2 min_ttl 255 max_ttl 255',
        'advert_int 0.2',
        'nopreempt',
      ]),
    );
  });

  test('both start as backups and the first edge wins a cold start only', () => {
    const start = (name: EdgePlan['name']) =>
      linesOf(config(blue, edgeOf(blue, name)), 'vrrp_instance segment').filter((one) => /^(state|priority|nopreempt)/.test(one));
    expect(start('edge-a')).toEqual(['state BACKUP', 'nopreempt', 'priority 150']);
    expect(start('edge-b')).toEqual(['state BACKUP', 'nopreempt', 'priority 100']);
  });

  test('both families move together, in one election', () => {
    const text = config(dualStack);
    expect(text.match(/vrrp_instance/g)).toHaveLength(1);
    expect(linesOf(text, 'virtual_ipaddress')).toEqual(['192.168.100.3/32 dev net1']);
    expect(linesOf(text, 'virtual_ipaddress_excluded')).toEqual(['fd00:100::3/128 dev net1']);
  });

  test('a segment with IPv6 alone has a VIP all the same', () => {
    const { ipv6 } = dualStack.addresses;
    if (ipv6 === undefined) throw new Error('it has IPv6');
    const plan: TenantPlan = {
      ...dualStack,
      addresses: { ipv6 },
      edges: dualStack.edges.map((edge) => ({ ...edge, addresses: { ipv6: edge.addresses.ipv6 ?? '' } })),
    };
    const text = config(plan);
    expect(linesOf(text, 'vrrp_instance segment')).toContain('no_virtual_ipaddress');
    expect(linesOf(text, 'virtual_ipaddress_excluded')).toEqual(['fd00:100::3/128 dev net1']);
    expect(linesOf(text, 'virtual_rules')).toEqual(['from fd00:100::3/128 lookup 101 priority 90']);
    // Routes to IPv4 resolvers would have nowhere to lead.
    expect(text).not.toContain('192.168.');
  });

  test('the VIP leaves when net1 or the gateway is down, and stays away while it answers elsewhere; no script is run', () => {
    const text = config(blue);
    expect(linesOf(text, 'track_interface')).toEqual(['net1']);
    expect(linesOf(text, 'track_file')).toEqual(['gateway_down', 'vip_elsewhere', 'yield']);
    for (const { plan, edge } of sampleEdges) expect(config(plan, edge)).not.toMatch(/script|notify|exec/);
  });

  test('a single edge takes part in it alone, so that nothing of it changes when a second one comes or goes', () => {
    expect(vipFiles(single, edgeOf(single))).toEqual(vipFiles(blue, edgeOf(blue)));
  });
});

test('mistake 1: an answer to a neighbour goes straight over net1, with a router and without', () => {
  expect(linesOf(config(blue), 'static_routes')[0]).toBe('192.168.100.0/24 dev net1 scope link src 192.168.100.2 table 101');
  expect(linesOf(config(allRoutes), 'static_routes')).toEqual([
    '192.168.100.0/24 dev net1 scope link src 192.168.100.1 table 101',
    'unreachable 0.0.0.0/0 table 101 metric 4278198272',
  ]);
});

test('mistake 2: the table that answers use has the segment itself beside the router', () => {
  for (const { plan, edge } of sampleEdges) {
    const routes = linesOf(config(plan, edge), 'static_routes');
    const cidrs = Object.values(plan.addresses).map(({ cidr }) => cidr);
    expect(cidrs.filter((cidr) => !routes.some((route) => route.startsWith(`${cidr} dev net1 `)))).toEqual([]);
    // And what finds no way there is dropped instead of leaving by the pod network.
    expect(routes.filter((route) => route.startsWith('unreachable'))).toHaveLength(cidrs.length);
  }
});

test('mistake 3: keepalived itself keeps routes and rules, of both families and with fixed priorities, so they come back after a link was down', () => {
  const text = config(dualStack);
  expect(linesOf(text, 'static_ipaddress')).toEqual(['fd00:100::2/64 dev net1']);
  expect(linesOf(text, 'static_routes')).toEqual([
    '192.168.100.0/24 dev net1 scope link src 192.168.100.2 table 101',
    '0.0.0.0/0 via 192.168.100.1 dev net1 src 192.168.100.2 table 101',
    'unreachable 0.0.0.0/0 table 101 metric 4278198272',
    'fd00:100::/64 dev net1 src fd00:100::2 table 101',
    '::/0 via fd00:100::1 dev net1 src fd00:100::2 table 101',
    'unreachable ::/0 table 101 metric 4278198272',
  ]);
  expect(linesOf(text, 'static_rules')).toEqual([
    'from 192.168.100.2/32 lookup 101 priority 91',
    'to 192.168.100.0/24 lookup 101 priority 92',
    'from fd00:100::2/128 lookup 101 priority 91',
    'to fd00:100::/64 lookup 101 priority 92',
    'to 192.168.100.1/32 lookup 101 priority 93',
    'to fd00:100::1/128 lookup 101 priority 93',
  ]);
  expect(linesOf(text, 'virtual_rules')).toEqual([
    'from 192.168.100.3/32 lookup 101 priority 90',
    'from fd00:100::3/128 lookup 101 priority 90',
  ]);
});

describe('mistake 21: no address is ever on two edges', () => {
  test('the VIP is the one address that both could have, and it is held by election, never by configuration', () => {
    const [a, b] = [config(blue), config(blue, edgeOf(blue, 'edge-b'))];
    expect(linesOf(a, 'virtual_ipaddress')).toEqual(linesOf(b, 'virtual_ipaddress'));
    expect(linesOf(a, 'static_ipaddress')).toEqual([]);
  });

  test('a restarted edge listens before it claims', () => {
    expect(linesOf(config(blue), 'global_defs')).toContain('vrrp_startup_delay 3');
  });

  test('an edge whose keepalived is gone stops answering for the VIP by itself', () => {
    const fence = contentOf(vipFiles(dualStack, edgeOf(dualStack)), 'fence.nft');
    expect(linesOf(fence, 'set advertised')).toEqual(['typeof numgen inc mod 1', 'size 2', 'flags dynamic', 'timeout 600ms']);
    expect(linesOf(fence, 'chain questions').slice(2)).toEqual([
      'arp operation request arp daddr ip 192.168.100.3 numgen inc mod 1 != @advertised counter name "unanswered" drop',
      'icmpv6 type nd-neighbor-solicit icmpv6 taddr fd00:100::3 numgen inc mod 1 != @advertised counter name "unanswered" drop',
    ]);
  });
});
