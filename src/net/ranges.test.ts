import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRange, type Range, rangeSize, subtract, takeLowest } from './ranges.ts';

test('an address, a range and a network are read', () => {
  expect(parseRange('10.0.0.7')).toEqual({ family: 'ipv4', first: 0x0a000007n, last: 0x0a000007n });
  expect(parseRange('10.0.0.7-10.0.0.9')).toEqual({ family: 'ipv4', first: 0x0a000007n, last: 0x0a000009n });
  expect(parseRange('10.0.0.8/30')).toEqual({ family: 'ipv4', first: 0x0a000008n, last: 0x0a00000bn });
  expect(parseRange('::a-::f')).toEqual({ family: 'ipv6', first: 10n, last: 15n });
});

test.each([
  '',
  '-',
  '10.0.0.9-10.0.0.7',
  '10.0.0.1-::5',
  '10.0.0.1-',
  '-10.0.0.1',
  '10.0.0.1-10.0.0.2-10.0.0.3',
  '10.0.0.1 - 10.0.0.2',
  '10.0.0.7/24',
  '10.0.0.1-9',
  'a-b',
])('%j is no range', (text) => {
  expect(parseRange(text)).toBeUndefined();
});

const small = fc
  .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 12 }))
  .map(([first, length]) => ({ first: BigInt(first), last: BigInt(first + length) }));
const members = (ranges: readonly Range[]): bigint[] =>
  ranges.flatMap(({ first, last }) => Array.from({ length: Number(last - first) + 1 }, (_, i) => first + BigInt(i)));

test('subtracting holes leaves the set difference, sorted and disjoint', () => {
  fc.assert(
    fc.property(small, fc.array(small, { maxLength: 6 }), (whole, holes) => {
      const left = subtract([whole], holes);
      const gone = new Set(members(holes));
      expect(members(left)).toEqual(members([whole]).filter((value) => !gone.has(value)));
      expect(left.every((range) => range.first <= range.last)).toBe(true);
    }),
  );
});

test('taking the lowest takes as many as are wanted, or all there are', () => {
  fc.assert(
    fc.property(small, fc.array(small, { maxLength: 6 }), fc.integer({ min: 0, max: 20 }), (whole, holes, count) => {
      const ranges = subtract([whole], holes);
      const taken = takeLowest(ranges, BigInt(count));
      expect(members(taken)).toEqual(members(ranges).slice(0, count));
      expect(rangeSize(taken)).toBe(BigInt(members(taken).length));
    }),
  );
});
