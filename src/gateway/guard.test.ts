import { describe, expect, test } from 'vitest';
import { guardFiles } from './guard.ts';
import { segmentMac } from './segment-mac.ts';
import type { EdgePlan, OpenPort, TenantPlan } from './tenant-plan.ts';
import { contentOf, edgeOf, expectGoldenFiles, goldenEdges, sampleEdges } from './testing/sample-edges.ts';
import { blue, dualStack, single } from './testing/sample-plans.ts';

const rules = (plan: TenantPlan, edge: EdgePlan = edgeOf(plan)) => contentOf(guardFiles(plan, edge), 'guard.nft');
const withPorts = (plan: TenantPlan, openPorts: readonly OpenPort[]): TenantPlan => ({ ...plan, openPorts });

/** The rules of one chain of a table, without its hook. */
function chain(text: string, table: string, name: string): string[] {
  const body = new RegExp(`^table ${table} \\{\\n[\\s\\S]*?^ {4}chain ${name} \\{\\n([\\s\\S]*?)^ {4}\\}$`, 'm').exec(text)?.[1] ?? '';
  return body
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '' && !one.startsWith('type '));
}

test.each(goldenEdges)('$sample, $edge.name: as agreed', (sample) => expectGoldenFiles(sample, guardFiles(sample.plan, sample.edge)));

test('every table replaces its former self, so the rules can be loaded again at any time', () => {
  const commands = rules(blue)
    .split('\n')
    .filter((one) => /^(add|delete|table)/.test(one));
  expect(commands).toEqual([
    'add table inet hcpio',
    'delete table inet hcpio',
    'table inet hcpio {',
    'add table arp hcpio_arp',
    'delete table arp hcpio_arp',
    'table arp hcpio_arp {',
  ]);
});

describe('the link between the edges', () => {
  test('only the peer may use it, and only for adverts, leases and an echo', () => {
    const peer = 'ether saddr 02:68:63:70:00:02 ip saddr 169.254.77.2 ip daddr 169.254.77.1';
    expect(chain(rules(blue), 'inet hcpio', 'peer')).toEqual([
      `${peer} ct state { established, related } accept`,
      `${peer} meta l4proto 112 accept`,
      `${peer} tcp dport { 8004, 8006 } accept`,
      `${peer} icmp type echo-request accept`,
      'counter name "dropped_peer" drop',
    ]);
  });

  test('a single edge has the same rules, so that a second one is heard as soon as it comes', () => {
    expect(chain(rules(single), 'inet hcpio', 'peer')).toEqual(chain(rules(blue), 'inet hcpio', 'peer'));
  });
});

test('DHCPv6 is open to the group that clients ask, and DHCPv4 to the broadcast', () => {
  const plan = withPorts(dualStack, [
    { protocol: 'udp', port: 67, on: 'any', purpose: 'DHCP' },
    { protocol: 'udp', port: 547, on: 'any', purpose: 'DHCPv6' },
  ]);
  expect(chain(rules(plan), 'inet hcpio', 'segment').filter((rule) => rule.includes('dport'))).toEqual([
    'ip daddr { 192.168.100.2, 192.168.100.3, 255.255.255.255 } udp dport { 67 } accept',
    'ip6 daddr { fd00:100::2, fd00:100::3, ff02::1:2 } udp dport { 547 } accept',
  ]);
});

test('DNS and DHCP leave no trace in the connection table, which a flood could fill', () => {
  expect(chain(rules(blue), 'inet hcpio', 'untracked_prerouting')).toEqual([
    'policy accept',
    'iifname "net1" udp dport { 67, 53 } notrack',
  ]);
  expect(chain(rules(blue), 'inet hcpio', 'untracked_output')).toEqual(['policy accept', 'oifname "net1" udp sport { 67, 53 } notrack']);
  expect(rules(withPorts(blue, []))).not.toContain('notrack');
});

describe('mistake 27: DNS forwarding, foreign addresses and routing through the pod are no ways round the gateway', () => {
  test('nothing is routed between any two interfaces', () => {
    for (const { plan, edge } of sampleEdges) {
      const forward = chain(rules(plan, edge), 'inet hcpio', 'forward');
      expect([forward[0], forward.at(-1)]).toEqual(['policy drop', 'counter name "dropped_forward" drop']);
      expect(forward.join()).not.toMatch(/accept|jump|goto|return/);
    }
    expect(chain(rules(blue), 'inet hcpio', 'forward')).toEqual([
      'policy drop',
      'iifname "net1" ip daddr 192.168.100.0/24 counter name "dropped_forward" drop',
      'iifname "net1" update @passing { ether saddr }',
      'counter name "dropped_forward" drop',
    ]);
  });

  test("nothing from the segment reaches the pod's address on the hub, also not as part of a connection", () => {
    expect(chain(rules(blue), 'inet hcpio', 'segment')[0]).toBe(
      'ip daddr != { 192.168.100.2, 192.168.100.3, 255.255.255.255 } goto refused',
    );
    expect(chain(rules(blue), 'inet hcpio', 'refused')).toEqual([
      'meta pkttype host meta l4proto { tcp, udp } update @knocking { ether saddr }',
      'counter name "dropped_segment" drop',
    ]);
  });

  test("nothing from the hub reaches the segment's addresses", () => {
    expect(chain(rules(dualStack), 'inet hcpio', 'input')).toEqual([
      'policy drop',
      'iifname "lo" accept',
      'iifname "net1" jump segment',
      'iifname "peer0" jump peer',
      'iifname "eth0" ip daddr { 192.168.100.2, 192.168.100.3 } counter name "dropped_hub_to_segment" drop',
      'iifname "eth0" ip6 daddr { fd00:100::2, fd00:100::3 } counter name "dropped_hub_to_segment" drop',
      'iifname "eth0" ip daddr 169.254.77.1 counter name "dropped_hub_to_segment" drop',
      'iifname "eth0" accept',
    ]);
  });

  test("the pod's address on the hub is neither asked for nor told on the segment", () => {
    expect(chain(rules(blue), 'arp hcpio_arp', 'input')).toEqual([
      'policy accept',
      'iifname "net1" arp saddr ip 192.168.100.2 counter name "claims_of_our_address" update @claiming_edge { arp saddr ether }',
      `iifname "net1" arp saddr ip 192.168.100.3 arp saddr ether != { ${blue.edges.map((one) => segmentMac(blue, one)).join(', ')} } counter name "claims_of_our_address" update @claiming_vip { arp saddr ether }`,
      'iifname "eth0" arp operation request arp daddr ip { 192.168.100.2, 192.168.100.3, 169.254.77.1 } counter name "dropped_questions" drop',
    ]);
    expect(chain(rules(blue), 'arp hcpio_arp', 'output')).toEqual([
      'policy accept',
      'oifname "net1" arp operation reply arp saddr ip != { 192.168.100.2, 192.168.100.3 } update @asking { arp daddr ether }',
      'oifname "net1" arp saddr ip != { 192.168.100.2, 192.168.100.3, 0.0.0.0 } counter name "dropped_answers" drop',
    ]);
    expect(chain(rules(blue), 'inet hcpio', 'output')).toEqual([
      'policy accept',
      'oifname "net1" ip saddr != { 192.168.100.2, 192.168.100.3 } counter name "dropped_segment_out" drop',
    ]);
  });
});

describe('mistake 29: the segment has a policy, whatever its attachment is', () => {
  test('what is not open is dropped, and what is open is open on the address that serves it', () => {
    expect(chain(rules(blue), 'inet hcpio', 'segment')).toEqual([
      'ip daddr != { 192.168.100.2, 192.168.100.3, 255.255.255.255 } goto refused',
      'icmp type redirect counter name "dropped_segment" drop',
      'ct state { established, related } accept',
      'ct state invalid counter name "dropped_segment" drop',
      'ip daddr { 192.168.100.2, 192.168.100.3 } icmp type echo-request limit rate 100/second accept',
      'ct state new meta l4proto tcp add @ip_clients { ip saddr ct count over 2048 } goto crowded',
      'ip daddr { 192.168.100.2, 192.168.100.3, 255.255.255.255 } udp dport { 67 } accept',
      'ip daddr { 192.168.100.2 } udp dport { 53 } accept',
      'ip daddr { 192.168.100.2 } tcp dport { 53 } accept',
      'ip daddr { 192.168.100.3 } tcp dport { 80, 443, 6443 } accept',
      'goto refused',
    ]);
  });

  test('a plan without open ports opens none', () => {
    expect(chain(rules(withPorts(blue, [])), 'inet hcpio', 'segment').filter((rule) => rule.includes('dport'))).toEqual([]);
  });

  test('of IPv6 only neighbours are resolved: no router and no redirect is believed', () => {
    const icmp = chain(rules(dualStack), 'inet hcpio', 'segment').filter((rule) => rule.includes('icmpv6'));
    expect(icmp).toEqual([
      'ip6 hoplimit 255 icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept',
      'icmpv6 type mld-listener-query accept',
      'ip6 daddr { fd00:100::2, fd00:100::3 } icmpv6 type echo-request limit rate 100/second accept',
    ]);
  });
});
