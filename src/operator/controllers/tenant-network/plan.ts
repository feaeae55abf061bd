/** What must be true, and whether it may be made so. The planning itself is `src/tenant`; this is the decision to follow it. */

import { formatPath } from '../../../api/field-path.ts';
import { type Finding, finding, sortFindings } from '../../../api/finding.ts';
import type { TenantPlan } from '../../../gateway/tenant-plan.ts';
import { readNamespaces } from '../../../hosted-cluster/namespace.ts';
import { hashOf } from '../../../kube/canonical.ts';
import { planTenant } from '../../../tenant/plan.ts';
import type { Tenant } from './observe.ts';

/** go: apply it. wait: not before HyperShift is further. refuse: not before somebody mended what the findings say. */
export type Planned =
  | { readonly verdict: 'go'; readonly plan: TenantPlan; readonly hash: string; readonly findings: readonly Finding[] }
  | { readonly verdict: 'wait' | 'refuse' | 'unreadable'; readonly plan: TenantPlan | undefined; readonly findings: readonly Finding[] };

export function planFor({ object, observed }: Tenant): Planned {
  if (observed === undefined) return { verdict: 'unreadable', plan: undefined, findings: unreadable(object) };
  const plan = planTenant(observed);
  const { findings } = plan;
  if (findings.some(stopsAll)) return { verdict: 'refuse', plan, findings };
  // Without it there is no control-plane namespace to put a policy into, and no way to tell whose the namespace is.
  if (readNamespaces(observed).hostedControlPlane === undefined) return { verdict: 'wait', plan, findings };
  return { verdict: 'go', plan, hash: hashOf({ ...plan, findings: [] }), findings };
}

/**
 * An error about one NodePool or one machine is no reason to leave the others without service: the plan leaves that one out.
 * Every other error is about the tenant as a whole.
 */
export const stopsAll = ({ severity, code }: Finding): boolean => severity === 'error' && !code.startsWith('HCPIO-NP-');

const unreadable = ({ metadata, problems }: Tenant['object']): readonly Finding[] =>
  sortFindings(
    problems.map((problem) =>
      finding('HCPIO-IN-004', {
        object: { kind: 'TenantNetwork', namespace: metadata.namespace, name: metadata.name },
        path: formatPath(problem.path),
        message: problem.message,
        fix: problem.fix,
      }),
    ),
  );
