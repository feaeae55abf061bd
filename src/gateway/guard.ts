import { writeStatements } from './block-config.ts';
import { arpGuard } from './guard-arp.ts';
import { packetGuard } from './guard-packets.ts';
import type { ConfigFile } from './rendered.ts';
import type { EdgePlan, TenantPlan } from './tenant-plan.ts';

/** What must be in force before any other container of an edge starts. */
export const guardFiles = (plan: TenantPlan, edge: EdgePlan): readonly ConfigFile[] => [
  { container: 'guard', name: 'guard.nft', content: writeStatements([...packetGuard(plan, edge), ...arpGuard(plan, edge)], 'nft') },
];
