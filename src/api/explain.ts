import { tenantNetworkSchema } from './crd.ts';
import { nearest } from './nearest.ts';
import type { OpenApiSchema } from './open-api.ts';
import { GROUP, VERSION } from './tenant-network.ts';

/** One field as the reference pages and `hcpio explain` show it. */
export interface FieldDoc {
  /** `TenantNetwork.spec.segment.cidrs` */
  readonly path: string;
  readonly name: string;
  /** As kubectl writes it: `string`, `integer`, `Object`, `[]string`, `map[string]string`. */
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
  readonly default: string | undefined;
  readonly values: readonly string[];
  /** Bounds and forms in words. */
  readonly limits: readonly string[];
  /** What the API server refuses by rule, in the words of its answer. */
  readonly rules: readonly string[];
  readonly fields: readonly FieldDoc[];
}

export type Explanation = { readonly field: FieldDoc } | { readonly error: string };

const KIND = 'TenantNetwork';
const OTHER_NAMES = ['tenantnetwork', 'tenantnetworks', 'tn', `tenantnetworks.${GROUP}`];

export const tenantNetworkDoc = (): FieldDoc => fieldDoc(KIND, KIND, tenantNetworkSchema(), true);

/** The field at a path such as `TenantNetwork.spec.segment` or `tn.spec.gateway.dns.records.name`; lists are walked through. */
export function explain(path: string): Explanation {
  const [kind = '', ...steps] = path === '' ? [KIND] : path.split('.');
  let field = tenantNetworkDoc();
  // `spec.segment` without the kind is what people type.
  if (!OTHER_NAMES.includes(kind.toLowerCase())) {
    if (!field.fields.some((f) => f.name === kind)) return { error: `there is no kind ${JSON.stringify(kind)}: hcpio explains ${KIND}` };
    steps.unshift(kind);
  }
  for (const step of steps) {
    const name = step.replace(/\[.*\]$/, '');
    const next = field.fields.find((f) => f.name === name) ?? field.fields.find((f) => f.name.toLowerCase() === name.toLowerCase());
    if (next === undefined) return { error: unknownStep(name, field) };
    field = next;
  }
  return { field };
}

function unknownStep(name: string, parent: FieldDoc): string {
  const names = parent.fields.map((f) => f.name);
  if (names.length === 0) return `${parent.path} is a ${parent.type} and has no field ${JSON.stringify(name)}`;
  const meant = nearest(name, names);
  return `${parent.path} has no field ${JSON.stringify(name)}${meant ? `; did you mean ${meant}?` : ''}\nIts fields are: ${names.join(', ')}`;
}

function fieldDoc(path: string, name: string, schema: OpenApiSchema, required: boolean): FieldDoc {
  const inner = schema.items ?? schema;
  const own = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  return {
    path,
    name,
    type: typeName(schema),
    required,
    description: schema.description ?? inner.description ?? '',
    default: schema.default === undefined ? undefined : JSON.stringify(schema.default),
    values: (inner.enum ?? []).map(String),
    limits: [...limits(schema), ...(schema.items ? limits(schema.items).map((limit) => `each ${limit}`) : [])],
    rules: [...(schema['x-kubernetes-validations'] ?? []), ...(schema.items?.['x-kubernetes-validations'] ?? [])].map(
      (rule) => rule.message,
    ),
    fields: Object.entries((own ?? inner).properties ?? {}).map(([child, childSchema]) =>
      fieldDoc(`${path}.${child}`, child, childSchema, inner.required?.includes(child) ?? false),
    ),
  };
}

function typeName(schema: OpenApiSchema): string {
  if (schema.items) return `[]${typeName(schema.items)}`;
  if (typeof schema.additionalProperties === 'object') return `map[string]${typeName(schema.additionalProperties)}`;
  return schema.type === 'object' ? 'Object' : (schema.type ?? 'any');
}

function limits(schema: OpenApiSchema): string[] {
  const { minimum, maximum, maxLength, maxItems } = schema;
  return [
    ...(minimum !== undefined && maximum !== undefined
      ? [`${minimum} to ${maximum}`]
      : minimum !== undefined
        ? [`at least ${minimum}`]
        : []),
    ...(maxLength !== undefined ? [`at most ${maxLength} characters`] : []),
    ...(maxItems !== undefined ? [`at most ${maxItems} entries`] : []),
  ];
}

/** In the form of `kubectl explain`, for the terminal. */
export function explanationText(field: FieldDoc): string {
  const head = [`GROUP:      ${GROUP}`, `KIND:       ${KIND}`, `VERSION:    ${VERSION}`, ''];
  const about =
    field.path === KIND ? [] : [`FIELD: ${field.name} <${field.type}>${field.required ? ' -required-' : ''}`, '', ...facts(field, '')];
  const description = ['DESCRIPTION:', ...wrap(field.description, 4)];
  const fields = field.fields.length === 0 ? [] : ['', 'FIELDS:', ...field.fields.flatMap(fieldLines)];
  const text = [...head, ...about, ...description, ...fields].join('\n');
  return `${text.trimEnd()}\n`;
}

const fieldLines = (field: FieldDoc): string[] => [
  `  ${field.name}  <${field.type}>${field.required ? ' -required-' : ''}`,
  ...facts(field, '    ').filter((line) => line !== ''),
  ...wrap(field.description, 4),
  '',
];

function facts(field: FieldDoc, indent: string): string[] {
  const lines = [
    ...(field.values.length > 0 ? [`enum: ${field.values.join(', ')}`] : []),
    ...(field.default !== undefined ? [`default: ${field.default}`] : []),
    ...(field.limits.length > 0 && field.values.length === 0 ? [`limits: ${field.limits.join(', ')}`] : []),
    ...(indent === '' ? field.rules.map((rule) => `rule: ${rule}`) : []),
  ];
  return lines.length === 0 ? [] : [...lines.map((line) => `${indent}${line}`), ''];
}

const WIDTH = 96;

function wrap(text: string, indent: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].map((l) => `${' '.repeat(indent)}${l}`.trimEnd());
}
