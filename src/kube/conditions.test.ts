import { expect, test } from 'vitest';
import { type Condition, type ConditionInput, findCondition, isTrue, setConditions, summarize } from './conditions.ts';

const noon = Date.parse('2026-01-02T12:00:00.750Z');
const later = noon + 60_000;
const ready = (status: ConditionInput['status'], message = 'all is well'): ConditionInput => ({
  type: 'Ready',
  status,
  reason: 'Checked',
  message,
});
const stored = (input: ConditionInput, time: string): Condition => ({ ...input, lastTransitionTime: time });

test('a new condition gets its time, in whole seconds, and goes last', () => {
  const first = setConditions([], [{ ...ready('True'), type: 'Accepted' }], noon);
  expect(setConditions(first, [ready('False')], later)).toEqual([
    stored({ ...ready('True'), type: 'Accepted' }, '2026-01-02T12:00:00Z'),
    stored(ready('False'), '2026-01-02T12:01:00Z'),
  ]);
});

test('the time moves with the status and not with reason, message or generation', () => {
  const before = setConditions([], [ready('True')], noon);
  const told = setConditions(before, [{ ...ready('True', 'still well'), reason: 'Again', observedGeneration: 2 }], later);
  const turned = setConditions(told, [ready('False')], later);
  expect(told.map((condition) => condition.lastTransitionTime)).toEqual(['2026-01-02T12:00:00Z']);
  expect(turned.map((condition) => condition.lastTransitionTime)).toEqual(['2026-01-02T12:01:00Z']);
});

test('when nothing changed the very same array comes back', () => {
  const before = setConditions([], [ready('True')], noon);
  expect(setConditions(before, [ready('True')], later)).toBe(before);
});

test('a message too long for the API is cut, and compared as it was cut', () => {
  const long = ready('False', 'ä'.repeat(20_000));
  const before = setConditions([], [long], noon);
  const message = before[0]?.message ?? '';
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(32_768);
  expect(message).toMatch(/^ä+\.\.\.$/);
  expect(setConditions(before, [long], later)).toBe(before);
});

test('a summary is True when all parts are, else it is what the first False says, else the first Unknown', () => {
  const well = { reason: 'AllGood', message: 'everything works' };
  const part = (type: string, status: ConditionInput['status']): ConditionInput => ({
    type,
    status,
    reason: `${type}${status}`,
    message: 'because',
  });
  expect(summarize('Ready', [part('A', 'True'), part('B', 'True')], well)).toEqual({ type: 'Ready', status: 'True', ...well });
  expect(summarize('Ready', [part('A', 'Unknown'), part('B', 'False'), part('C', 'False')], well)).toEqual({
    type: 'Ready',
    status: 'False',
    reason: 'BFalse',
    message: 'B: because',
  });
  expect(summarize('Ready', [part('A', 'True'), part('B', 'Unknown')], well).status).toBe('Unknown');
});

test('a condition is found by its type, and what is not there is not true', () => {
  const conditions = setConditions([], [ready('True')], noon);
  expect([findCondition(conditions, 'Ready'), findCondition(undefined, 'Ready')]).toEqual([conditions[0], undefined]);
  expect([isTrue(conditions, 'Ready'), isTrue(conditions, 'Other'), isTrue(undefined, 'Ready')]).toEqual([true, false, false]);
});
