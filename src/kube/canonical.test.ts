import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, hashOf } from './canonical.ts';

/** The same value with the keys of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

test('the text is JSON of the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('the order in which keys were written does not matter, the order of lists does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
    }),
  );
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
});

test('a value and its trip over the wire have the same text', () => {
  const value = { b: undefined, a: [undefined, Number.NaN], at: new Date(0), call: () => 1 };
  expect(canonicalJson(value)).toBe('{"a":[null,null],"at":"1970-01-01T00:00:00.000Z"}');
  expect(canonicalJson(JSON.parse(JSON.stringify(value)))).toBe(canonicalJson(value));
});

test('hashes are short and differ where values do', () => {
  expect(hashOf({ a: 1, b: 2 })).toBe(hashOf({ b: 2, a: 1 }));
  expect(hashOf({ a: 1 })).not.toBe(hashOf({ a: '1' }));
  expect(hashOf({})).toMatch(/^[\w-]{22}$/);
});
