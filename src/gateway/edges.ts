import type { Availability } from '../api/tenant-network.ts';
import type { EdgePlan, FamilyAddresses, ProberPlan, TenantPlan } from './tenant-plan.ts';

/**
 * The link between the two edges is theirs alone (a VXLAN between two pods), so its addresses and MACs are the same for every tenant
 * and never change: VRRP and Kea's pair want fixed peers, and pod addresses are not.
 */
const LINK = {
  'edge-a': { address: '169.254.77.1', mac: '02:68:63:70:00:01' },
  'edge-b': { address: '169.254.77.2', mac: '02:68:63:70:00:02' },
} as const;

/** edge-a wins a cold start; later nobody preempts, so the number decides nothing. */
const PRIORITY = { 'edge-a': 150, 'edge-b': 100 } as const;

export function planEdges(addresses: TenantPlan['addresses'], availability: Availability): EdgePlan[] {
  if (addresses.ipv4 === undefined && addresses.ipv6 === undefined) return [];
  const first = edge('edge-a', 'edge-b', pick(addresses, 'edgeA'));
  return availability === 'Single' ? [first] : [first, edge('edge-b', 'edge-a', pick(addresses, 'edgeB'))];
}

/** It stands on the segment as a worker does, beside the edges: what it sees is what a worker would see. */
export function planProber(addresses: TenantPlan['addresses']): ProberPlan | undefined {
  const own = pick(addresses, 'prober');
  const families = Object.keys(addresses).length;
  return families > 0 && Object.keys(own).length === families ? { name: 'prober', addresses: own } : undefined;
}

function edge(name: EdgePlan['name'], peer: EdgePlan['name'], addresses: EdgePlan['addresses']): EdgePlan {
  const [own, other] = [LINK[name], LINK[peer]];
  return {
    name,
    addresses,
    priority: PRIORITY[name],
    peer: { name: peer, address: own.address, mac: own.mac, peerAddress: other.address, peerMac: other.mac },
  };
}

function pick(addresses: TenantPlan['addresses'], field: keyof Pick<FamilyAddresses, 'edgeA' | 'edgeB' | 'prober'>): EdgePlan['addresses'] {
  const ipv4 = addresses.ipv4?.[field];
  const ipv6 = addresses.ipv6?.[field];
  return { ...(ipv4 === undefined ? {} : { ipv4 }), ...(ipv6 === undefined ? {} : { ipv6 }) };
}
