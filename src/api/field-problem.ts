import type * as z from 'zod';
import { type FieldPath, formatPath } from './field-path.ts';
import { nearest } from './nearest.ts';
import type { OpenApiSchema } from './open-api.ts';

/** What is wrong with one field of an object that a person wrote. */
export interface FieldProblem {
  readonly kind: 'unknown' | 'value' | 'text';
  readonly path: FieldPath;
  readonly message: string;
  readonly fix: string;
  /** Of an unknown field: the one beside it that was probably meant. */
  readonly meant?: FieldPath;
}

/** Characters that no name, address or path of ours can hold, and that would break out of a configuration file if they got there. */
const UNSAFE = /[\p{Cc}\u2028\u2029"'`\\]/u;
export const isUnsafeText = (text: string): boolean => UNSAFE.test(text);

export const unsafeText = (path: FieldPath, value: string): FieldProblem => ({
  kind: 'text',
  path,
  message: `${formatPath(path)} holds a line break, quote or control character: ${quote(value)}`,
  fix: 'write the plain text without it',
});

/** zod's issues, said so that a person can act on them: one per field, for what follows from it is noise. `root` is the value that was parsed. */
export const fieldProblems = (issues: readonly z.core.$ZodIssue[], root: unknown): FieldProblem[] =>
  [...new Map(issues.toReversed().map((issue) => [issue.path.join('\0'), issue])).values()].toReversed().map((issue) => {
    const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
    const value = valueAt(root, path);
    if (typeof value === 'string' && issue.code === 'invalid_format' && isUnsafeText(value)) return unsafeText(path, value);
    const { message, fix } = say(issue, value);
    return { kind: 'value', path, message: `${formatPath(path)} ${message}`, fix };
  });

function say(issue: z.core.$ZodIssue, value: unknown): { readonly message: string; readonly fix: string } {
  switch (issue.code) {
    case 'invalid_type':
      if (value === undefined) return { message: 'is missing', fix: `add it: ${a(issue.expected)}` };
      return { message: `must be ${a(issue.expected)}, not ${describe(value)}`, fix: typeFix(issue.expected, value) };
    case 'invalid_value': {
      const values = issue.values.map(String);
      if (value === undefined) return { message: 'is missing', fix: `set it to ${orList(values)}` };
      const meant = typeof value === 'string' ? nearest(value, values) : undefined;
      return {
        message: `must be ${orList(values)}, not ${describe(value)}`,
        fix: meant ? `did you mean ${meant}?` : `use ${orList(values)}`,
      };
    }
    case 'too_small':
      return {
        message: bound('at least', issue.minimum, issue.origin, value),
        fix: `use ${sized('at least', issue.minimum, issue.origin)}`,
      };
    case 'too_big':
      return { message: bound('at most', issue.maximum, issue.origin, value), fix: `use ${sized('at most', issue.maximum, issue.origin)}` };
    case 'invalid_format':
      return { message: `is ${quote(String(value))} and ${issue.message}`, fix: 'write it in that form' };
    default:
      return { message: `does not fit (${issue.message}): ${describe(value)}`, fix: 'hcpio explain shows the form of every field' };
  }
}

/** Every field of `value` that the schema does not have. Lists are followed; a field that says nothing of its own fields is not. */
export function unknownFields(schema: OpenApiSchema, value: unknown, root: OpenApiSchema = schema, at: FieldPath = []): FieldProblem[] {
  if (Array.isArray(value))
    return schema.items ? value.flatMap((item, index) => unknownFields(schema.items ?? {}, item, root, [...at, index])) : [];
  if (!isRecord(value) || schema.properties === undefined) return [];
  const known = schema.properties;
  return Object.entries(value).flatMap(([name, child]) => {
    const field = Object.hasOwn(known, name) ? known[name] : undefined;
    return field ? unknownFields(field, child, root, [...at, name]) : [unknownField(name, Object.keys(known), root, [...at, name])];
  });
}

function unknownField(name: string, neighbours: readonly string[], root: OpenApiSchema, path: FieldPath): FieldProblem {
  const parent = path.slice(0, -1);
  const message = `${formatPath(parent) || 'the object'} has no field ${quote(name)}`;
  const sibling = nearest(name, neighbours);
  if (sibling)
    return {
      kind: 'unknown',
      path,
      meant: [...parent, sibling],
      message: `${message}; did you mean ${sibling}?`,
      fix: `write ${sibling} instead`,
    };
  const moved = elsewhere(root, name);
  if (moved) return { kind: 'unknown', path, message: `${message}; did you mean ${moved}?`, fix: `move it to ${moved}` };
  const choice = neighbours.length > 0 ? `its fields are ${neighbours.join(', ')}` : 'it has no fields yet';
  return { kind: 'unknown', path, message: `${message}; ${choice}`, fix: 'remove it' };
}

/** A required field that is only misspelt is told once, as misspelt. */
export function withoutEchoes(problems: readonly FieldProblem[]): FieldProblem[] {
  const meant = new Set(problems.flatMap((problem) => (problem.meant ? [formatPath(problem.meant)] : [])));
  return problems.filter((problem) => problem.kind !== 'value' || !meant.has(formatPath(problem.path)));
}

/** A field of that name in another place of the schema: people often put a field one level too high or too low. */
function elsewhere(schema: OpenApiSchema, name: string, path = ''): string | undefined {
  for (const [key, child] of Object.entries(schema.properties ?? {})) {
    const here = path ? `${path}.${key}` : key;
    if (here === 'status') continue;
    if (key === name && path !== '') return here;
    const found = elsewhere(child.items ?? child, name, child.items ? `${here}[]` : here);
    if (found) return found;
  }
  return undefined;
}

function valueAt(root: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>((value, step) => {
    if (Array.isArray(value)) return value[Number(step)] as unknown;
    return isRecord(value) && Object.hasOwn(value, String(step)) ? value[String(step)] : undefined;
  }, root);
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
const a = (expected: string): string => WORDS[expected] ?? expected;

function typeFix(expected: string, value: unknown): string {
  if (expected === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return `put it in quotes: "${value}"`;
  if ((expected === 'number' || expected === 'int') && typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))
    return `remove the quotes: ${value.trim()}`;
  if (expected === 'array' && typeof value === 'string') return `write a list: [${value}]`;
  return `use ${a(expected)}`;
}

/** A value as it stands in a sentence: short, on one line, no control characters. */
function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? `the text ${quote(value)}` : JSON.stringify(value);
}

const LONGEST_QUOTE = 60;
export const quote = (text: string): string => JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text);

const orList = (values: readonly string[]): string =>
  values.length < 2 ? (values[0] ?? 'nothing') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;

function sized(relation: string, limit: number | bigint, origin: string): string {
  if (origin === 'string') return `${relation} ${limit} characters`;
  return origin === 'array' ? `${relation} ${limit} entries` : `${relation} ${limit}`;
}

function bound(relation: string, limit: number | bigint, origin: string, value: unknown): string {
  const found = origin === 'string' ? `${String(value).length}` : Array.isArray(value) ? `${value.length}` : String(value);
  if (origin === 'string') return value === '' ? 'must not be empty' : `must have ${sized(relation, limit, origin)}; this has ${found}`;
  return origin === 'array'
    ? `must have ${sized(relation, limit, origin)}; this has ${found}`
    : `must be ${relation} ${limit}, not ${found}`;
}
