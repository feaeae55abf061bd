/** Conditions of a status: merged so that nothing moves unless something changed. */
import { cutToBytes } from './events.ts';

export interface ConditionInput {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** CamelCase, from a closed list. */
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
}

export interface Condition extends ConditionInput {
  readonly lastTransitionTime: string;
}

/** What the API's schema allows. */
const MESSAGE_BYTES = 32 * 1024;

/**
 * `current` with `updates` merged in. The transition time changes with the status only; conditions keep their place, new
 * ones go last. Gives back the very same array when nothing changed, so that a caller knows there is nothing to write.
 */
export function setConditions(current: readonly Condition[], updates: readonly ConditionInput[], now: number): readonly Condition[] {
  const merged = [...current];
  let changed = false;
  for (const update of updates) {
    const next = { ...update, message: cutToBytes(update.message, MESSAGE_BYTES) };
    const index = merged.findIndex((condition) => condition.type === next.type);
    const old = merged[index];
    if (old !== undefined && isSame(old, next)) continue;
    changed = true;
    const lastTransitionTime = old?.status === next.status ? old.lastTransitionTime : seconds(now);
    merged[index < 0 ? merged.length : index] = { ...next, lastTransitionTime };
  }
  return changed ? merged : current;
}

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/**
 * One condition that stands for several: True when all are; else what the first that is False says, or the first that is
 * Unknown. The order of `parts` is the order of importance.
 */
export function summarize(
  type: string,
  parts: readonly ConditionInput[],
  whenTrue: { readonly reason: string; readonly message: string },
): ConditionInput {
  const culprit = parts.find(({ status }) => status === 'False') ?? parts.find(({ status }) => status === 'Unknown');
  if (culprit === undefined) return { type, status: 'True', ...whenTrue };
  return { type, status: culprit.status, reason: culprit.reason, message: `${culprit.type}: ${culprit.message}` };
}

function isSame(a: ConditionInput, b: ConditionInput): boolean {
  return a.status === b.status && a.reason === b.reason && a.message === b.message && a.observedGeneration === b.observedGeneration;
}

/** metav1.Time has no fractions. */
function seconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
