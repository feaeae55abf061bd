/** What the API server saw: its own audit log of writes, so that nobody has to believe what the operator says of itself. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Who the operator is in these tests. Impersonated, so that its requests can be told from those of the test itself. */
export const OPERATOR_USER = 'system:serviceaccount:hcpio-system:hcpio-operator';

export interface Write {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  readonly user: string;
  readonly at: string;
}

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly impersonatedUser?: { readonly username: string };
  readonly objectRef?: { readonly resource?: string; readonly namespace?: string; readonly name?: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly stageTimestamp: string;
}

const POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] }, { level: 'None' }],
};

export class AuditLog {
  readonly #dir = mkdtempSync(join(tmpdir(), 'hcpio-audit-'));
  readonly #path = join(this.#dir, 'audit.log');

  /** For `startControlPlane`. */
  get apiserverArgs(): readonly string[] {
    const policy = join(this.#dir, 'policy.json');
    writeFileSync(policy, JSON.stringify(POLICY));
    return [`--audit-policy-file=${policy}`, `--audit-log-path=${this.#path}`];
  }

  /** Where the log ends now; what comes after is what `writes` gives. */
  mark(): number {
    return statSync(this.#path).size;
  }

  writes(since = 0): readonly Write[] {
    const lines = readFileSync(this.#path).subarray(since).toString('utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => writeOf(JSON.parse(line) as AuditEvent));
  }

  /** Of the operator, without the renewal of its Lease. */
  byOperator(since = 0): readonly Write[] {
    return this.writes(since).filter(({ user, resource }) => user === OPERATOR_USER && resource !== 'leases');
  }

  close(): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

const writeOf = ({ verb, user, impersonatedUser, objectRef = {}, responseStatus, stageTimestamp }: AuditEvent): Write => ({
  verb,
  resource: `${objectRef.resource ?? ''}${objectRef.subresource ? `/${objectRef.subresource}` : ''}`,
  namespace: objectRef.namespace ?? '',
  name: objectRef.name ?? '',
  code: responseStatus?.code ?? 0,
  user: (impersonatedUser ?? user).username,
  at: stageTimestamp,
});
