import { tenantNetworkSchema } from './crd.ts';
import { type FieldProblem, fieldProblems, isRecord, isUnsafeText, unknownFields, unsafeText, withoutEchoes } from './field-problem.ts';
import type { OpenApiSchema } from './open-api.ts';
import { type TenantNetwork, tenantNetwork } from './tenant-network.ts';

export type Reading =
  | { readonly value: TenantNetwork; readonly problems: readonly [] }
  | { readonly value: undefined; readonly problems: readonly FieldProblem[] };

/**
 * A TenantNetwork as a person wrote it, read strictly and with every default in place: what the API server would store under
 * strict field validation. Unknown fields are told first, because a misspelt field is often also the missing one.
 */
export function readTenantNetwork(raw: unknown): Reading {
  const unknown = unknownFields(STRICT, raw);
  const parsed = tenantNetwork.safeParse(raw);
  const wrong = parsed.success ? unsafeTexts(parsed.data.spec) : fieldProblems(parsed.error.issues, raw);
  if (parsed.success && unknown.length === 0 && wrong.length === 0) return { value: parsed.data, problems: [] };
  return { value: undefined, problems: withoutEchoes([...unknown, ...wrong]) };
}

/** The default values alone, as the API server fills them in: used to show that its defaults and ours are the same. */
export function fillDefaults(schema: OpenApiSchema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => fillDefaults(schema.items ?? {}, item));
  if (!isRecord(value)) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const given = filled[name] ?? structuredClone(field.default);
    if (given !== undefined) filled[name] = fillDefaults(field, given);
  }
  return filled;
}

/** metav1.ObjectMeta: the CRD may not describe it, but a misspelt `namespace` should be told all the same. */
const OBJECT_META = [
  'name',
  'namespace',
  'labels',
  'annotations',
  'generateName',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'finalizers',
  'ownerReferences',
  'managedFields',
  'selfLink',
];

const { properties, ...rest } = tenantNetworkSchema();
const STRICT: OpenApiSchema = {
  ...rest,
  // What the operator wrote into status is not the user's to spell right.
  properties: {
    ...properties,
    metadata: { type: 'object', properties: Object.fromEntries(OBJECT_META.map((name) => [name, {}])) },
    status: {},
  },
};

/** TXT values and DHCP option data may hold quotes; line breaks and control characters may not stand anywhere. */
const FREE_TEXT = new Set(['value', 'data']);
const CONTROL = /[\p{Cc}\u2028\u2029]/u;

function unsafeTexts(value: unknown, path: readonly (string | number)[] = ['spec']): FieldProblem[] {
  if (typeof value === 'string') {
    const unsafe = FREE_TEXT.has(String(path.at(-1))) ? CONTROL.test(value) : isUnsafeText(value);
    return unsafe ? [unsafeText(path, value)] : [];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => unsafeTexts(item, [...path, index]));
  return isRecord(value) ? Object.entries(value).flatMap(([name, child]) => unsafeTexts(child, [...path, name])) : [];
}
