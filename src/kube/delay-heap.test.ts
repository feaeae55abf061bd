import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DelayHeap } from './delay-heap.ts';

test('each key comes out once, at the earliest of its times, in the order of the times', () => {
  const entries = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), at: fc.nat(100) }));
  fc.assert(
    fc.property(entries, fc.nat(100), (added, now) => {
      const heap = new DelayHeap();
      for (const { key, at } of added) heap.add(key, at);
      const earliest = new Map<string, number>();
      for (const { key, at } of added) earliest.set(key, Math.min(at, earliest.get(key) ?? Number.POSITIVE_INFINITY));
      const due = [...earliest].filter(([, at]) => at <= now);
      const taken = heap.take(now);
      expect([...taken].sort()).toEqual(due.map(([key]) => key).sort());
      const times = taken.map((key) => earliest.get(key) ?? 0);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(heap.size).toBe(earliest.size - due.length);
      const left = [...earliest.values()].filter((at) => at > now);
      expect(heap.next()).toBe(left.length > 0 ? Math.min(...left) : undefined);
    }),
  );
});

test('a key that was taken can be added again, later than before', () => {
  const heap = new DelayHeap();
  heap.add('a', 5);
  expect(heap.take(5)).toEqual(['a']);
  heap.add('a', 9);
  expect([heap.take(8), heap.take(9)]).toEqual([[], ['a']]);
});

test('a cleared heap is empty', () => {
  const heap = new DelayHeap();
  heap.add('a', 1);
  heap.clear();
  expect([heap.size, heap.next(), heap.take(9)]).toEqual([0, undefined, []]);
});
