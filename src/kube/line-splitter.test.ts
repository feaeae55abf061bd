import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter, LineTooLong } from './line-splitter.ts';

const MEGABYTE = 1 << 20;

/** Cuts a buffer at the given places, whatever characters they fall into. */
function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}

test('lines come out as they went in, however the bytes were cut', () => {
  const line = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ' '));
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), fc.array(fc.nat(500)), (lines, places) => {
      const splitter = new LineSplitter(MEGABYTE);
      const chunks = cut(Buffer.from(lines.map((text) => `${text}\n`).join('')), places);
      // Unpaired surrogates have no UTF-8 form; what they become is decided before the splitter.
      const expected = lines.map((text) => Buffer.from(text).toString());
      expect(chunks.flatMap((chunk) => [...splitter.push(chunk)])).toEqual(expected);
      expect(splitter.pendingBytes).toBe(0);
    }),
  );
});

test('an unfinished line is held back and counted', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.array(fc.nat(50)), (text, places) => {
      const bytes = Buffer.from(text.replaceAll('\n', ' '));
      const splitter = new LineSplitter(MEGABYTE);
      expect(cut(bytes, places).flatMap((chunk) => [...splitter.push(chunk)])).toEqual([]);
      expect(splitter.pendingBytes).toBe(bytes.length);
    }),
  );
});

test('a line longer than the limit is refused before it is in memory', () => {
  const splitter = new LineSplitter(10);
  expect([...splitter.push(Buffer.from('12345'))]).toEqual([]);
  expect(() => [...splitter.push(Buffer.from('678901'))]).toThrow(LineTooLong);
});
