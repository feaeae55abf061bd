/** What the API server saw: its own audit log, so that nobody has to believe what the operator says of itself. */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './hub.ts';

/** Who the operator is in these tests. Impersonated, so that its requests can be told from those of the test itself. */
export const OPERATOR_USER = 'system:serviceaccount:hcpio-system:hcpio-operator';

export interface Request {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  readonly user: string;
  readonly at: string;
  /** What was sent; only of writes, and only in a log that was opened with bodies. */
  readonly body: unknown;
}
export type Write = Request;

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly impersonatedUser?: { readonly username: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestObject?: unknown;
  readonly stageTimestamp: string;
}

export interface AuditOptions {
  /** What was sent is logged too. */
  readonly bodies?: boolean;
  /** Reads are logged too, without what was answered. */
  readonly reads?: boolean;
}

const WRITING = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const policy = ({ bodies = false, reads = false }: AuditOptions) => ({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: bodies ? 'Request' : 'Metadata', verbs: WRITING }, { level: reads ? 'Metadata' : 'None' }],
});

/** More than the API server takes in one request. */
const LONGEST_LINE = 4 << 20;

/** Two seconds: on a busy machine it may be one before the operator has seen a change and answers it. */
const QUIET_LOOKS = 40;

export class AuditLog {
  readonly #dir = mkdtempSync(join(tmpdir(), 'hcpio-audit-'));
  readonly #path = join(this.#dir, 'audit.log');
  readonly #options: AuditOptions;

  constructor(options: AuditOptions = {}) {
    this.#options = options;
  }

  /** For `startControlPlane`. */
  get apiserverArgs(): readonly string[] {
    const file = join(this.#dir, 'policy.json');
    writeFileSync(file, JSON.stringify(policy(this.#options)));
    return [`--audit-policy-file=${file}`, `--audit-log-path=${this.#path}`];
  }

  /** Where the log ends now, at the end of a line; what comes after is what `writes` gives. */
  mark(): number {
    const start = Math.max(this.#size() - LONGEST_LINE, 0);
    return start + this.#read(start).lastIndexOf('\n') + 1;
  }

  writes(since = 0): readonly Write[] {
    return this.requests(since).filter(({ verb }) => WRITING.includes(verb));
  }

  /** All that is logged. A watch is there twice: when it begins, and when it ends. */
  requests(since = 0): readonly Request[] {
    // Up to the last whole line: the API server may be writing the next.
    const lines = this.#read(since).toString('utf8').split('\n').slice(0, -1);
    return lines.filter((line) => line !== '').map((line) => requestOf(JSON.parse(line) as AuditEvent));
  }

  #size(): number {
    return statSync(this.#path).size;
  }

  #read(since: number): Buffer {
    const bytes = Buffer.alloc(Math.max(this.#size() - since, 0));
    const file = openSync(this.#path, 'r');
    const read = readSync(file, bytes, 0, bytes.length, since);
    closeSync(file);
    return bytes.subarray(0, read);
  }

  /** Of the operator, without the renewal of its Lease. */
  byOperator(since = 0): readonly Write[] {
    return this.writes(since).filter(({ user, resource }) => user === OPERATOR_USER && resource !== 'leases');
  }

  /** Resolves when the operator has not written for a while, so that what it writes next is about what the test does next. */
  async quiet(): Promise<void> {
    let mark = this.mark();
    let asked = 0;
    await eventually('a quiet operator', async () => {
      const now = this.mark();
      asked = this.byOperator(mark).length === 0 ? asked + 1 : 0;
      mark = now;
      return asked >= QUIET_LOOKS;
    });
  }

  close(): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

const requestOf = ({
  verb,
  user,
  impersonatedUser,
  objectRef = {},
  responseStatus,
  requestObject,
  stageTimestamp,
}: AuditEvent): Request => ({
  verb,
  group: objectRef.apiGroup ?? '',
  resource: `${objectRef.resource ?? ''}${objectRef.subresource ? `/${objectRef.subresource}` : ''}`,
  namespace: objectRef.namespace ?? '',
  name: objectRef.name ?? '',
  code: responseStatus?.code ?? 0,
  user: (impersonatedUser ?? user).username,
  at: stageTimestamp,
  body: requestObject,
});
