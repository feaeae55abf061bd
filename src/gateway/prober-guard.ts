import { block, line, oneOf, type Statement, writeStatements } from './block-config.ts';
import { PROBER_PORT } from './edge-ports.ts';
import { arpTable } from './guard-arp.ts';
import { counted, counterOf, ETH0, LO, NET1, replaceTable } from './nft-table.ts';
import type { ConfigFile } from './rendered.ts';
import type { Family, ProberPlan } from './tenant-plan.ts';

/**
 * The prober asks and is answered; nobody on the segment asks it anything, and nothing passes through it. It stands with one leg in the pod
 * network as an edge does, so it gets the same lock: without it a machine could use it as a router, or reach its report from the segment.
 */
export const proberGuardFiles = (prober: ProberPlan): readonly ConfigFile[] => [
  {
    container: 'guard',
    name: 'guard.nft',
    content: writeStatements([...packets(prober), ...arpTable(prober.addresses.ipv4 ? [prober.addresses.ipv4] : [], [])], 'nft'),
  },
];

const DROPS = ['segment', 'segment_out', 'hub', 'hub_out', 'forward'] as const;
const drop = (reason: (typeof DROPS)[number]) => [...counted(`dropped_${reason}`), 'drop'];

function packets({ addresses }: ProberPlan): readonly Statement[] {
  const owned = Object.entries(addresses) as [Family, string][];
  const ip = (family: Family): string => (family === 'ipv4' ? 'ip' : 'ip6');
  return replaceTable('inet', 'hcpio', [
    ...DROPS.map((reason) => counterOf(`dropped_${reason}`)),
    hook('input', [
      line`iifname ${LO} accept`,
      line`iifname ${NET1} jump segment`,
      ...owned.map(([family, own]) => line`iifname ${ETH0} ${ip(family)} daddr ${own} ${drop('hub')}`),
      line`iifname ${ETH0} tcp dport ${PROBER_PORT} accept`,
      line`iifname ${ETH0} meta l4proto ${oneOf(['icmp', 'icmpv6'])} accept`, // neighbours, and packets that were too large
      line`${drop('hub')}`,
    ]),
    hook('forward', [line`${drop('forward')}`]),
    hook('output', [
      line`oifname ${LO} accept`,
      ...owned.flatMap(([family, own]) => [
        line`oifname ${NET1} ${ip(family)} saddr ${oneOf(family === 'ipv4' ? [own] : [own, 'fe80::/10', '::'])} accept`,
      ]),
      line`oifname ${NET1} ${drop('segment_out')}`,
      // On the hub it answers and never asks.
      line`oifname ${ETH0} tcp sport ${PROBER_PORT} accept`,
      line`oifname ${ETH0} meta l4proto ${oneOf(['icmp', 'icmpv6'])} accept`,
      line`${drop('hub_out')}`,
    ]),
    block(line`chain segment`, [...owned.flatMap(([family, own]) => answers(family, own)), line`${drop('segment')}`]),
  ]);
}

/** Answers to what was asked. A DHCP server's comes by broadcast, which looks like part of no conversation. */
function answers(family: Family, own: string): readonly Statement[] {
  if (family === 'ipv4') {
    return [
      line`icmp type redirect ${drop('segment')}`,
      line`ip daddr ${own} ct state ${oneOf(['established', 'related'])} accept`,
      line`ip daddr ${oneOf([own, '255.255.255.255'])} udp sport 67 udp dport 68 accept`,
    ];
  }
  return [
    line`ip6 daddr ${own} ct state ${oneOf(['established', 'related'])} accept`,
    line`ip6 hoplimit 255 icmpv6 type ${oneOf(['nd-neighbor-solicit', 'nd-neighbor-advert'])} accept`,
    line`icmpv6 type mld-listener-query accept`,
    line`ip6 daddr fe80::/10 udp sport 547 udp dport 546 accept`,
  ];
}

const hook = (name: 'input' | 'forward' | 'output', rules: readonly Statement[]): Statement =>
  block(line`chain ${name}`, [line`type filter hook ${name} priority filter`, line`policy drop`, ...rules]);
