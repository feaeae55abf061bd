/** One look at the whole segment. */
import { hashOfList, type ProbeList } from '../probes/probe-list.ts';
import type { ProbeReport } from '../probes/report.ts';
import { type DhcpFindings, probeDhcp } from './dhcp-discover.ts';
import { probeDhcp6 } from './dhcp6-solicit.ts';
import { probeDns } from './dns.ts';
import { findLeg } from './leg.ts';
import { findHolder } from './neighbours.ts';
import { probeTls } from './tls.ts';

const NOTHING: DhcpFindings = { results: [], rogueServers: [] };

/** The text of the list, as it was written. */
export async function look(text: string): Promise<ProbeReport> {
  const list = JSON.parse(text) as ProbeList;
  const head = { tenant: list.tenant, list: hashOfList(text) };
  const leg = findLeg(list.cidrs);
  if (leg === undefined) {
    const message = `this machine has no address of ${list.cidrs.join(' or ')}`;
    const fix = 'look from a machine on the segment';
    const results = [{ group: 'DHCP', subject: 'segment', verdict: 'failed', message, fix, milliseconds: 0 } as const];
    return { ...head, results, answered: [], rogueServers: [], serials: [] };
  }
  const [dhcp, dhcp6, dns, tls] = await Promise.all([
    list.dhcp ? probeDhcp(list, list.dhcp, leg) : NOTHING,
    list.dhcp6 ? probeDhcp6(list, list.dhcp6, leg) : NOTHING,
    probeDns(list),
    probeTls(list.endpoints),
  ]);
  // The kernel remembers a neighbour for a while after it is gone: only one that answered just now holds the VIP.
  const { holder, results: strangers } = await findHolder(list);
  return {
    ...head,
    results: [...strangers, ...dhcp.results, ...dhcp6.results, ...dns.results, ...tls.results],
    ...(holder === undefined || tls.answered.length === 0 ? {} : { holder }),
    answered: tls.answered,
    rogueServers: [...dhcp.rogueServers, ...dhcp6.rogueServers],
    serials: dns.serials,
  };
}
