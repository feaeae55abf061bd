import { expect, test } from 'vitest';
import { add, additions } from './json-patch.ts';

test('what is missing is added whole, at the highest place where it is missing', () => {
  const before = { a: 1, b: { c: 2 }, list: [{ x: 1 }, { x: 2, y: 3 }] };
  const after = {
    a: 1,
    b: { c: 2, d: { e: 5 } },
    list: [
      { x: 1, y: 0 },
      { x: 2, y: 0 },
    ],
    f: [],
  };
  expect(additions(before, after, ['spec'])).toEqual([
    { op: 'add', path: '/spec/b/d', value: { e: 5 } },
    { op: 'add', path: '/spec/list/0/y', value: 0 },
    { op: 'add', path: '/spec/f', value: [] },
  ]);
});

test('values that are there are never changed or removed, whatever they are', () => {
  expect(additions({ a: 1, b: 'text', c: [1, 2, 3], mine: true }, { a: 2, b: { c: 1 }, c: [9] })).toEqual([]);
});

test('a key that is named like a member of every object is missing all the same', () => {
  expect(additions({}, { constructor: 'x' })).toEqual([{ op: 'add', path: '/constructor', value: 'x' }]);
});

test('slashes and tildes in keys are escaped, so that the annotation and not a member of it is added', () => {
  expect(add(['metadata', 'annotations', 'hcpio.io/a~b'], '1').path).toBe('/metadata/annotations/hcpio.io~1a~0b');
});
