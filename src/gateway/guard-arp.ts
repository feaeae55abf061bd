import { block, line, oneOf, type Statement } from './block-config.ts';
import { sighted, sightingSet } from './guard-sightings.ts';
import { counted, counterOf, ETH0, NET1, replaceTable } from './nft-table.ts';
import { segmentMac } from './segment-mac.ts';
import type { EdgePlan, TenantPlan } from './tenant-plan.ts';

/**
 * Linux answers ARP on any interface for any address that it has, so a tenant could ask for the pod's address on the hub and get it. The kernel
 * setting against this (arp_ignore) is not open to pods. IPv6 has no such weakness: neighbours are found by the interface's own addresses.
 * A segment without IPv4 has no ARP to answer at all.
 */
export function arpGuard(plan: TenantPlan, edge: EdgePlan): readonly Statement[] {
  const [own, vip] = [edge.addresses.ipv4, plan.addresses.ipv4?.vip];
  const hidden = [edge.peer.address];
  const sets = [counterOf('claims_of_our_address'), ...(['claiming_edge', 'claiming_vip', 'asking'] as const).map(sightingSet)];
  if (own === undefined || vip === undefined) return arpTable([], hidden, { sets, input: [], output: [] });
  const answered = oneOf([own, vip]);
  return arpTable([own, vip], hidden, {
    sets,
    input: [
      line`iifname ${NET1} arp saddr ip ${own} ${counted('claims_of_our_address')} ${sighted('claiming_edge', ...CLAIMANT)}`,
      // The VIP is at one edge or at the other. Anybody else who says that it is there lies, or does not know better.
      line`iifname ${NET1} arp saddr ip ${vip} arp saddr ether != ${oneOf(plan.edges.map((one) => segmentMac(plan, one)))} ${counted('claims_of_our_address')} ${sighted('claiming_vip', ...CLAIMANT)}`,
    ],
    output: [line`oifname ${NET1} arp operation reply arp saddr ip != ${answered} ${sighted('asking', 'arp', 'daddr', 'ether')}`],
  });
}

const CLAIMANT = ['arp', 'saddr', 'ether'] as const;

/** What is noticed beside. */
interface Notices {
  readonly sets: readonly Statement[];
  readonly input: readonly Statement[];
  readonly output: readonly Statement[];
}

/**
 * Answers for `ours` on the segment only, and for nothing of it, nor for `alsoHidden`, on the hub. On the segment the answers are stopped and
 * not the questions: an address that moves is announced by a question about itself, and who does not hear it goes on sending to the old place
 * for half a minute.
 */
export function arpTable(
  ours: readonly string[],
  alsoHidden: readonly string[],
  notices: Notices = { sets: [], input: [], output: [] },
): readonly Statement[] {
  const notForTheHub = [...ours, ...alsoHidden];
  return replaceTable('arp', 'hcpio_arp', [
    counterOf('dropped_questions'),
    counterOf('dropped_answers'),
    ...notices.sets,
    chain('input', [
      ...notices.input,
      ...(notForTheHub.length === 0
        ? []
        : [line`iifname ${ETH0} arp operation request arp daddr ip ${oneOf(notForTheHub)} ${counted('dropped_questions')} drop`]),
    ]),
    // A question tells who asks. 0.0.0.0 is the probe for duplicates.
    chain('output', [
      ...notices.output,
      line`oifname ${NET1} arp saddr ip != ${oneOf([...ours, '0.0.0.0'])} ${counted('dropped_answers')} drop`,
    ]),
  ]);
}

const chain = (name: 'input' | 'output', rules: readonly Statement[]): Statement =>
  block(line`chain ${name}`, [line`type filter hook ${name} priority filter`, line`policy accept`, ...rules]);
