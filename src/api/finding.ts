import { catalogue, type FindingCode, type Severity } from './finding-catalogue.ts';

/** What one check has to say to a person: what is wrong, where, and what to do about it. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** The object that has to change, as `namespace/name Kind`. */
  readonly object: string;
  /** The field that has to change, as `spec.segment.cidrs[0]`; absent when no single field is to blame. */
  readonly path?: string;
  readonly message: string;
  /** A command, a patch or a sentence that can be followed as it stands. */
  readonly fix: string;
}

export interface ObjectRef {
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

export const describeRef = (ref: ObjectRef): string => `${ref.namespace ? `${ref.namespace}/` : ''}${ref.name} ${ref.kind}`;

export interface FindingText {
  readonly object: ObjectRef;
  readonly path?: string | undefined;
  readonly message: string;
  readonly fix: string;
}

/** The only way to make a finding: its severity comes from the catalogue, so one code never has two. */
export function finding(code: FindingCode, text: FindingText): Finding {
  return {
    code,
    severity: catalogue[code].severity,
    object: describeRef(text.object),
    ...(text.path === undefined ? {} : { path: text.path }),
    message: text.message,
    fix: text.fix,
  };
}

/** Thrown where going on makes no sense; carries the finding that says why. Callers turn it into a result with `attempt`. */
export class Refusal extends Error {
  readonly finding: Finding;
  constructor(refused: Finding) {
    super(`${refused.code}: ${refused.message}`);
    this.name = 'Refusal';
    this.finding = refused;
  }
}

export type Attempt<T> =
  | { readonly value: T; readonly findings: readonly [] }
  | { readonly value: undefined; readonly findings: readonly [Finding] };

/** Runs one phase; a refusal becomes its finding, every other error stays an error. */
export function attempt<T>(phase: () => T): Attempt<T> {
  try {
    return { value: phase(), findings: [] };
  } catch (error) {
    if (error instanceof Refusal) return { value: undefined, findings: [error.finding] };
    throw error;
  }
}

const rank: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

/** Errors first, then by code and object: the order in which people want to read them, and the same for the same input. */
export const sortFindings = (findings: readonly Finding[]): Finding[] =>
  [...findings].sort(
    (a, b) =>
      rank[a.severity] - rank[b.severity] ||
      compare(a.code, b.code) ||
      compare(a.object, b.object) ||
      compare(a.path ?? '', b.path ?? '') ||
      compare(a.message, b.message),
  );

export const hasErrors = (findings: readonly Finding[]): boolean => findings.some((f) => f.severity === 'error');

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
