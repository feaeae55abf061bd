/** Why the API server will not take an object: said in a form that a condition or an event can carry. */
import { type ApiError, isConflict, isUnknownField } from './errors.ts';

export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

export interface Refusal {
  /**
   * Conflict: another manager owns fields of it. Immutable: it exists and cannot be changed that way.
   * Invalid: its content is wrong. Forbidden: not for us. Terminating: its namespace is going away. Absent: its namespace or kind is not there.
   */
  readonly reason: 'Conflict' | 'Immutable' | 'Invalid' | 'Forbidden' | 'Terminating' | 'Absent';
  readonly message: string;
  readonly fields: readonly FieldProblem[];
}

// There is no machine-readable sign of an immutable field; these are the wordings of the built-in kinds and of most CRDs.
const IMMUTABLE = /immutable|may not (be )?change|cannot be (changed|modified|updated)|updates to .+ (are )?forbidden/i;

/** The refusal in an error, or undefined when the error is of the passing kind (overload, network, server trouble). */
export function refusalOf(error: ApiError): Refusal | undefined {
  const fields = error.causes
    .filter((cause) => cause.field !== undefined)
    .map((cause) => ({ field: cause.field ?? '', message: cause.message ?? '' }));
  const message = error.status.message ?? error.message;
  const reason = reasonOf(error, message);
  return reason && { reason, message, fields };
}

function reasonOf(error: ApiError, message: string): Refusal['reason'] | undefined {
  if (isConflict(error)) return error.causes.some((cause) => cause.reason === 'FieldManagerConflict') ? 'Conflict' : undefined;
  if (isUnknownField(error)) return 'Invalid';
  switch (error.code) {
    case 400:
      return 'Invalid';
    case 403:
      return error.causes.some((cause) => cause.reason === 'NamespaceTerminating') ? 'Terminating' : 'Forbidden';
    case 404:
      return 'Absent';
    case 422:
      return IMMUTABLE.test(message) ? 'Immutable' : 'Invalid';
    default:
      return undefined;
  }
}
