/**
 * Which findings stop a TenantNetwork at the door. The rule: what the person at the keyboard can put right in this very object
 * is refused; what another object has to bring or to change is a warning, because objects may be applied in any order and
 * the reconciler looks again when they come.
 */
import type { Finding } from '../../api/finding.ts';
import type { FindingCode } from '../../api/finding-catalogue.ts';
import type { Observed } from '../../hosted-cluster/observed.ts';

export interface Sorted {
  readonly refused: readonly Finding[];
  readonly warned: readonly Finding[];
}

/** On this object, but another one that is missing may still come. */
const WAITED_FOR: ReadonlySet<FindingCode> = new Set(['HCPIO-TEN-001', 'HCPIO-ATT-001']);

/** On another object, but nothing that is done to it can help: here this TenantNetwork has no place. */
const HOPELESS: ReadonlySet<FindingCode> = new Set(['HCPIO-TEN-004', 'HCPIO-TEN-005', 'HCPIO-TEN-009']);

/** The stores follow a Service of such a name only from the first plan on, so here it would always be missing. */
const UNKNOWN_HERE: ReadonlySet<FindingCode> = new Set(['HCPIO-EP-010']);

/** Where the cluster is not there, neither is what it says of its networks. */
const OF_THE_CLUSTER: ReadonlySet<FindingCode> = new Set(['HCPIO-NET-006']);

export function sortAtAdmission(findings: readonly Finding[], { tenantNetwork, hostedCluster }: Observed): Sorted {
  const self = `${tenantNetwork.metadata.namespace}/${tenantNetwork.metadata.name} TenantNetwork`;
  const isRefused = ({ code, severity, object }: Finding): boolean => {
    if (severity !== 'error' || WAITED_FOR.has(code)) return false;
    if (OF_THE_CLUSTER.has(code) && hostedCluster === undefined) return false;
    return object === self || HOPELESS.has(code);
  };
  const known = findings.filter(({ code, severity }) => severity !== 'info' && !UNKNOWN_HERE.has(code));
  return { refused: known.filter(isRefused), warned: known.filter((finding) => !isRefused(finding)) };
}

/** `HCPIO-NET-014 spec.segment.cidrs[0]: ... Fix: ...`: one line, because that is how kubectl shows it. */
export function line({ code, path, message, fix }: Finding): string {
  const where = path === undefined || message.startsWith(path) ? '' : ` ${path}`;
  return `${code}${where}: ${message}. Fix: ${fix}`;
}
