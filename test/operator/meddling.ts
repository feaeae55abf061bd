/** How to change every field of an object to something else, one after the other, as somebody might who does not know whose they are. */
import { ApiError } from '../../src/kube/errors.ts';

export interface Leaf {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** Every plain value of the intent. */
export function leaves(value: unknown, path: readonly (string | number)[] = []): Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  const members = Array.isArray(value) ? value.map((item, index) => [index, item] as const) : Object.entries(value);
  return members.flatMap(([key, member]) => leaves(member, [...path, key]));
}

/** By these an item of a list is known; another name is another item, and that would be theirs. */
const KEYS = new Set(['name', 'mountPath', 'port', 'protocol', 'devicePath']);
export const isIdentity = ({ path }: Leaf): boolean =>
  ['apiVersion', 'kind'].includes(String(path[0])) ||
  (path[0] === 'metadata' && ['name', 'namespace'].includes(String(path[1]))) ||
  (KEYS.has(String(path.at(-1))) && typeof path.at(-2) === 'number');

/** Where only some words are taken, another one of them. */
const WORDS: Readonly<Record<string, string>> = {
  AlwaysAllow: 'IfHealthyBudget',
  ClusterIP: 'NodePort',
  FallbackToLogsOnError: 'File',
  IfNotPresent: 'Always',
  Ingress: 'Egress',
  NoSchedule: 'PreferNoSchedule',
  None: 'ClusterFirst',
  OnDelete: 'RollingUpdate',
  OnRootMismatch: 'Always',
  Retain: 'Delete',
  RuntimeDefault: 'Unconfined',
  privileged: 'baseline',
  'status.podIP': 'status.hostIP',
};

export function other(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  const text = String(value);
  if (text.startsWith('metadata.annotations[')) return 'metadata.name';
  // Of a quantity, or of an address, another figure.
  return WORDS[text] ?? (/^\d/.test(text) ? `${(Number(text[0]) % 9) + 1}${text.slice(1)}` : `${text}x`);
}

/** Why the API server does not take it, in a line. */
export const refusal = (error: unknown): string => {
  if (error instanceof ApiError && error.code < 500) return (error.status.message ?? '').split('\n')[0] ?? '';
  throw error;
};
export const pointer = (path: readonly (string | number)[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
export const valueAt = (object: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((value, step) => (value as Record<string | number, unknown> | undefined)?.[step], object);
