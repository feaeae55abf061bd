import { block, element, line, type Statement } from './block-config.ts';
import { counted, counterOf, NET1, PEER0, replaceTable, VRRP } from './nft-table.ts';
import type { TenantPlan } from './tenant-plan.ts';

/** Three adverts. The peer waits for part of a fourth before it takes over (RFC 5798, 6.1), so this edge is always silent first. */
const SILENT_AFTER_MILLISECONDS = 600;

/** A set needs a key that comes out of the packet. We want one bit that is the same for an advert and for a question, and this is always 0. */
const ALWAYS_ZERO = ['numgen', 'inc', 'mod', 1] as const;

/**
 * An edge answers for the VIP only while its own keepalived tells the peer that it holds it. A keepalived that was killed leaves the address
 * behind on net1; the peer takes over when it has heard no advert for a while, and a little before that this edge falls silent. Nobody has
 * to notice and nobody has to act: every advert that leaves keeps one element of a set alive, and without it questions for the VIP go
 * unanswered. The VIP's connections are left alone: whoever still sends here has not been told of another place.
 *
 * It needs peer0 to be there, and the egress hook of Linux 5.16. Where it does not load, a VIP that was left behind answers until somebody
 * takes it away.
 */
export const fence = ({ addresses: { ipv4, ipv6 } }: TenantPlan): readonly Statement[] =>
  replaceTable('netdev', 'hcpio_fence', [
    counterOf('unanswered'),
    block(line`set advertised`, [
      line`typeof ${ALWAYS_ZERO}`,
      line`size 2`,
      line`flags dynamic`,
      line`timeout ${`${SILENT_AFTER_MILLISECONDS}ms`}`,
    ]),
    block(line`chain adverts`, [
      line`type filter hook egress device ${PEER0} priority filter`,
      line`policy accept`,
      line`ip protocol ${VRRP} update @advertised ${element(...ALWAYS_ZERO)}`,
    ]),
    block(line`chain questions`, [
      line`type filter hook ingress device ${NET1} priority filter`,
      line`policy accept`,
      ...(ipv4 === undefined ? [] : [line`arp operation request arp daddr ip ${ipv4.vip} ${UNANSWERED}`]),
      ...(ipv6 === undefined ? [] : [line`icmpv6 type nd-neighbor-solicit icmpv6 taddr ${ipv6.vip} ${UNANSWERED}`]),
    ]),
  ]);

const UNANSWERED = [...ALWAYS_ZERO, '!=', '@advertised', ...counted('unanswered'), 'drop'];
