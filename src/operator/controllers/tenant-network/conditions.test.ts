import { describe, expect, test } from 'vitest';
import { CONDITIONS, type ConditionType, condition, type Reason } from './conditions.ts';

const names = { namespace: 'clusters', name: 'blue', hostedCluster: 'blue', controlPlane: 'clusters-blue', edge: 'clusters-blue-edge' };
const all = Object.entries(CONDITIONS).flatMap(([type, reasons]) =>
  Object.entries(reasons).map(([reason, { status, meaning }]: [string, Reason]) => ({ type, reason, status, meaning })),
);
/** As if every type had every reason: the table says which there are. */
const make = condition as (type: ConditionType, reason: string, message: string, of: typeof names) => { readonly message: string };

describe('a message names the next step', () => {
  test.each(all.filter(({ status }) => status !== 'True'))('$type $reason', ({ type, reason, meaning }) => {
    const { message } = make(type as ConditionType, reason, 'this was seen', names);
    expect(message).toMatch(/^this was seen\. (To do: |To go back: |Nothing to do; if it stays: )\S.*[^.\s]$/);
    // A command can be pasted as it stands.
    expect(message).not.toMatch(/undefined|[<>]|NAMESPACE|\.\.\./);
    // `hcpio status` shows the meaning below the message: the step is said once.
    expect(meaning).not.toMatch(/nothing to do|to do\b|kubectl/i);
  });

  test.each(all.filter(({ status }) => status === 'True'))('but not where all is well: $type $reason', ({ type, reason }) => {
    expect(make(type as ConditionType, reason, 'this was seen', names).message).toBe('this was seen');
  });

  test('once: one that knows better what to do is left as it is', () => {
    const message = 'DHCP x: no answer. To do: start it';
    expect(condition('SegmentProven', 'ProbeFailed', message, names).message).toBe(message);
  });
});
