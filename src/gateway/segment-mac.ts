import { createHash } from 'node:crypto';
import type { Station, TenantPlan } from './tenant-plan.ts';

/**
 * The MAC of an edge, and of the prober, on the segment: always the same, so a recreated pod is the same neighbour to everybody, and each edge knows the
 * other's without asking the segment, where anyone can answer. An edge whose link to its peer is silent looks whether the VIP is still
 * there under this MAC before it takes it.
 */
export function segmentMac({ tenant }: Pick<TenantPlan, 'tenant'>, { name }: Pick<Station, 'name'>): string {
  const hash = createHash('sha256').update(`${tenant} ${name}`).digest('hex');
  // 02: administered locally, one receiver.
  return ['02', ...(hash.match(/../g) ?? []).slice(0, 5)].join(':');
}
