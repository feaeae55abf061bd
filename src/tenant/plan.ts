import { sortFindings } from '../api/finding.ts';
import { runChecks } from '../checks/all.ts';
import { planGateway } from '../gateway/plan.ts';
import type { TenantPlan } from '../gateway/tenant-plan.ts';
import type { Observed } from '../hosted-cluster/observed.ts';

/**
 * From what was read to what must be true, with everything that is wrong or waited for. Pure: the operator, the CLI and the webhook call it.
 * The other modes are refused by a check (HCPIO-MODE-001) until they have planners of their own.
 */
export function planTenant(observed: Observed): TenantPlan {
  const { plan, findings, ...context } = planGateway(observed);
  return { ...plan, findings: sortFindings([...findings, ...runChecks({ observed, plan, ...context })]) };
}
