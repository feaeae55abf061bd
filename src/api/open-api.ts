import * as z from 'zod';

/** The part of OpenAPI v3 that a structural CRD schema uses. */
export interface OpenApiSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly items?: OpenApiSchema;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly nullable?: boolean;
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string; readonly message: string }[];
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
}

/** The keywords that the API server takes in a structural schema, in the order in which people like to read them. */
const KEYWORDS = [
  'description',
  'type',
  'format',
  'nullable',
  'default',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'maxProperties',
  'required',
  'properties',
  'additionalProperties',
  'items',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-validations',
] as const;

/**
 * A zod schema as the API server wants it. What it would refuse, or could not put a price on (CEL costs are estimated from
 * maxLength and maxItems), is an error here already: unions, references, and text, lists or maps without an upper bound.
 */
export function structuralSchema(schema: z.ZodType): OpenApiSchema {
  return clean(z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input' }) as Node, '');
}

type Node = Readonly<Record<string, unknown>>;

function clean(node: Node, path: string): OpenApiSchema {
  const entries = new Map(Object.entries(node).filter(([key]) => key !== '$schema'));
  for (const bound of ['minimum', 'maximum']) {
    // z.int() adds the bounds of JavaScript's integers; they say nothing about the field.
    if (Math.abs(Number(entries.get(bound))) === Number.MAX_SAFE_INTEGER) entries.delete(bound);
  }
  // The API server refuses additionalProperties beside properties; it prunes unknown fields anyway.
  if (entries.has('properties') && entries.get('additionalProperties') === false) entries.delete('additionalProperties');
  for (const key of entries.keys()) {
    if (!(KEYWORDS as readonly string[]).includes(key)) throw new Error(`${path || 'schema'}: ${key} has no place in a structural schema`);
  }
  demandBounds(entries, path);
  descend(entries, path);
  return Object.fromEntries(KEYWORDS.filter((key) => entries.has(key)).map((key) => [key, entries.get(key)])) as OpenApiSchema;
}

function demandBounds(node: ReadonlyMap<string, unknown>, path: string): void {
  const type = node.get('type');
  const bounded =
    type === 'string'
      ? node.has('maxLength') || node.has('enum') || node.has('format')
      : type === 'array'
        ? node.has('maxItems')
        : type !== 'object' || !node.has('additionalProperties') || node.has('maxProperties');
  if (!bounded)
    throw new Error(`${path || 'schema'}: a ${String(type)} needs an upper bound, or the cost of its rules cannot be estimated`);
}

function descend(node: Map<string, unknown>, path: string): void {
  const properties = node.get('properties');
  if (properties !== undefined) {
    const children = Object.entries(properties as Readonly<Record<string, Node>>);
    node.set('properties', Object.fromEntries(children.map(([name, child]) => [name, clean(child, path ? `${path}.${name}` : name)])));
  }
  if (node.has('items')) node.set('items', clean(node.get('items') as Node, `${path}[]`));
  if (typeof node.get('additionalProperties') === 'object')
    node.set('additionalProperties', clean(node.get('additionalProperties') as Node, `${path}.*`));
}
