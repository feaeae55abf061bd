/** The errors of the runtime: what the server answered, what the network did, and what must not be tried again. */

export interface StatusCause {
  /** Machine-readable, e.g. `FieldManagerConflict` or `FieldValueInvalid`. */
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The `Status` object that the API server answers with when it refuses. */
export interface ApiStatus {
  readonly kind?: string;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly metadata?: { readonly continue?: string };
  readonly details?: {
    readonly name?: string;
    readonly kind?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly StatusCause[];
  };
}

/** The server answered, and the answer was no. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  /** The server's reason, e.g. `NotFound`; empty when the answer was no `Status` (a proxy's page, say). */
  readonly reason: string;
  readonly status: ApiStatus;
  readonly retryAfterMs: number | undefined;

  constructor(request: string, code: number, status: ApiStatus, retryAfterMs?: number) {
    super(`${request}: ${code}${status.reason ? ` ${status.reason}` : ''}: ${status.message ?? 'no message'}`);
    this.code = code;
    this.reason = status.reason ?? '';
    this.status = status;
    const seconds = status.details?.retryAfterSeconds;
    this.retryAfterMs = retryAfterMs ?? (seconds === undefined ? undefined : seconds * 1000);
  }

  get causes(): readonly StatusCause[] {
    return this.status.details?.causes ?? [];
  }
}

/** No complete answer came. `sent` says whether the server may have acted on the request all the same. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  /** The system's code, e.g. `ECONNRESET`; or `TIMEOUT` for our own deadline. */
  readonly code: string;
  readonly sent: boolean;

  constructor(request: string, code: string, sent: boolean, cause?: unknown) {
    super(`${request}: ${code}${cause instanceof Error && cause.message !== code ? `: ${cause.message}` : ''}`, { cause });
    this.code = code;
    this.sent = sent;
  }
}

/** Trying again cannot help before something else changes: the controller reports it and does not retry. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/** Somebody else may lead by now. The process must stop working at once, and should exit. */
export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost';
}

/** How the process is set up is wrong: a kubeconfig, a missing file, a missing variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const hasCode = (error: unknown, code: number) => error instanceof ApiError && error.code === code;

export const isNotFound = (error: unknown): boolean => hasCode(error, 404);
export const isForbidden = (error: unknown): boolean => hasCode(error, 403);
export const isUnauthorized = (error: unknown): boolean => hasCode(error, 401);
export const isTooManyRequests = (error: unknown): boolean => hasCode(error, 429);
/** 409 is two things: an object that exists already, and a write against an old resourceVersion (or a foreign field). */
export const isAlreadyExists = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 409 && error.reason === 'AlreadyExists';
export const isConflict = (error: unknown): boolean => hasCode(error, 409) && !isAlreadyExists(error);
/** The asked resourceVersion or continue token is older than what the server still knows. */
export const isExpired = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 410 || error.reason === 'Expired' || error.reason === 'Gone');
/** The asked resourceVersion is newer than what this server has seen: another replica is ahead, or etcd was restored. */
export const isTooLargeResourceVersion = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.causes.some((cause) => cause.reason === 'ResourceVersionTooLarge') ||
    (error.code === 504 && error.message.includes('Too large resource version')));

/**
 * An applied object has a field that its kind does not have. The server answers 500 to that (seen with 1.36), but it is the
 * object's fault and will not pass.
 */
export const isUnknownField = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 500 && error.message.includes('failed to create typed patch object');

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}
