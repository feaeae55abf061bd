/** Refuses a TenantNetwork that cannot work, by the same checks that the operator, the CLI and the console run. */
import { readTenantNetwork } from '../../api/defaults.ts';
import { formatPath } from '../../api/field-path.ts';
import { type FieldProblem, isRecord } from '../../api/field-problem.ts';
import { type Finding, finding } from '../../api/finding.ts';
import type { FindingCode } from '../../api/finding-catalogue.ts';
import type { TenantNetwork } from '../../api/tenant-network.ts';
import { earlierOf } from '../../hosted-cluster/earlier.ts';
import { observeTenant } from '../../hosted-cluster/select.ts';
import { planTenant } from '../../tenant/plan.ts';
import { line, type Sorted, sortAtAdmission } from './admission-findings.ts';
import type { AdmissionRequest, Decision } from './admission-review.ts';
import type { HubKnowledge } from './hub-knowledge.ts';

const NOT_READY = 'the operator has not read the hub yet: whether this fits the other networks will be told in the status';

/**
 * An update may keep the mistakes that the object has already: the hub can change under a tenant (a node is added, a neighbour
 * comes), and that must not stop a person from repairing something else, or the operator from removing its finalizer.
 */
export function validateTenantNetwork(request: AdmissionRequest, hub: HubKnowledge): Decision {
  const { operation, object, oldObject } = request;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return {};
  if (isRecord(object) && isBeingDeleted(object)) return {};
  const now = findingsOf(object, hub);
  const before = operation === 'UPDATE' ? new Set(findingsOf(oldObject, hub).refused.map(line)) : new Set<string>();
  const refused = now.refused.map(line).filter((text) => !before.has(text));
  const kept = now.refused.map(line).filter((text) => before.has(text));
  const warnings = [...kept, ...now.warned.map(line), ...(hub.ready() ? [] : [NOT_READY])];
  return { ...(refused.length === 0 ? {} : { refusal: refused.join('\n') }), warnings };
}

function findingsOf(object: unknown, hub: HubKnowledge): Sorted {
  const { value, problems } = readTenantNetwork(object);
  if (value === undefined) return { refused: problems.map((problem) => problemFinding(object, problem)), warned: [] };
  return planned(value, isRecord(object) ? object['status'] : undefined, hub);
}

function planned(tenantNetwork: TenantNetwork, status: unknown, { index, ready }: HubKnowledge): Sorted {
  const observed = observeTenant(index, tenantNetwork, earlierOf(status));
  const sorted = sortAtAdmission(planTenant(observed).findings, observed);
  // What is missing may only be unread; what is there is there.
  return ready() ? sorted : { refused: sorted.refused, warned: [] };
}

const CODES: Readonly<Record<FieldProblem['kind'], FindingCode>> = { unknown: 'HCPIO-IN-003', value: 'HCPIO-IN-004', text: 'HCPIO-IN-008' };

function problemFinding(object: unknown, { kind, path, message, fix }: FieldProblem): Finding {
  const metadata = isRecord(object) && isRecord(object['metadata']) ? object['metadata'] : {};
  const { name = '', namespace = '' } = metadata as { name?: string; namespace?: string };
  return finding(CODES[kind], { object: { kind: 'TenantNetwork', namespace, name }, path: formatPath(path), message, fix });
}

const isBeingDeleted = ({ metadata }: Record<string, unknown>): boolean =>
  isRecord(metadata) && metadata['deletionTimestamp'] !== undefined;
