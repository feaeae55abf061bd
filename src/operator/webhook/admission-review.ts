/** AdmissionReview, v1: what the API server asks, and how it is answered. */
import * as z from 'zod';
import type { PatchOperation } from './json-patch.ts';

const API_VERSION = 'admission.k8s.io/v1';
const KIND = 'AdmissionReview';

/** Objects stay unknown here: each decision reads its own, with the schema of its kind. */
const review = z.object({
  apiVersion: z.literal(API_VERSION),
  kind: z.literal(KIND),
  request: z.object({
    uid: z.string().min(1),
    operation: z.enum(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']),
    namespace: z.string().default(''),
    name: z.string().default(''),
    object: z.unknown().optional(),
    oldObject: z.unknown().optional(),
  }),
});

export type AdmissionRequest = Omit<z.output<typeof review>['request'], 'uid'>;

/** What was decided. `patch` only where something is to change, `refusal` only where the answer is no. */
export interface Decision {
  readonly refusal?: string;
  readonly warnings?: readonly string[];
  readonly patch?: readonly PatchOperation[];
}

/** One webhook: a question in, a decision out; no I/O, so that every sentence of it can be tested without a server. */
export type Decide = (request: AdmissionRequest) => Decision;

/** Not an AdmissionReview that we understand: somebody else's mistake, answered with 400. */
export class NotAReview extends Error {
  override readonly name = 'NotAReview';
}

interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: { readonly code: number; readonly reason: string; readonly message: string };
  readonly warnings?: readonly string[];
  readonly patchType?: 'JSONPatch';
  readonly patch?: string;
}

export interface AdmissionAnswer {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: typeof KIND;
  readonly response: AdmissionResponse;
}

export function answer(body: string, decide: Decide): AdmissionAnswer {
  const { uid, ...request } = readReview(body);
  return { apiVersion: API_VERSION, kind: KIND, response: { uid, ...responseOf(decide(request)) } };
}

function readReview(body: string): z.output<typeof review>['request'] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw new NotAReview('the body is not JSON', { cause });
  }
  const parsed = review.safeParse(value);
  if (!parsed.success) throw new NotAReview(`the body is no ${API_VERSION} ${KIND}: ${z.prettifyError(parsed.error)}`);
  return parsed.data.request;
}

function responseOf({ refusal, warnings = [], patch = [] }: Decision): Omit<AdmissionResponse, 'uid'> {
  return {
    allowed: refusal === undefined,
    // Not 403, which is what the API server makes of a bare no: the object is wrong, nobody lacks a right.
    ...(refusal === undefined ? {} : { status: { code: 422, reason: 'Invalid', message: refusal } }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(patch.length === 0 ? {} : { patchType: 'JSONPatch' as const, patch: Buffer.from(JSON.stringify(patch)).toString('base64') }),
  };
}
