/** The part of JSON Patch (RFC 6902) that admission needs: adding what is not there. */
import { isRecord } from '../../api/field-problem.ts';

export interface PatchOperation {
  readonly op: 'add';
  readonly path: string;
  readonly value: unknown;
}

type Path = readonly (string | number)[];

export const add = (path: Path, value: unknown): PatchOperation => ({ op: 'add', path: pointer(path), value });

/** RFC 6901. The order matters: a `~` that stands for itself is told before those that we put in. */
const pointer = (path: Path): string => path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Everything that `after` has and `before` lacks, each at the highest place where it is missing. Never changes or removes a value. */
export function additions(before: unknown, after: unknown, at: Path = []): PatchOperation[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.flatMap((item: unknown, index) => additions(item, after[index], [...at, index]));
  }
  if (!isRecord(before) || !isRecord(after)) return [];
  return Object.entries(after).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return Object.hasOwn(before, name) ? additions(before[name], value, [...at, name]) : [add([...at, name], value)];
  });
}
