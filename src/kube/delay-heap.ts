/** Keys that become due later, the earliest first. One due time per key: the earliest that was asked for. */
import type { Key } from './object.ts';

interface Entry {
  readonly key: Key;
  readonly at: number;
}

export class DelayHeap {
  /** The truth. Entries of the heap that disagree with it are leftovers of a later time and are skipped. */
  readonly #due = new Map<Key, number>();
  readonly #heap: Entry[] = [];

  get size(): number {
    return this.#due.size;
  }

  /** Keeps the earlier of the known and the new time. */
  add(key: Key, at: number): void {
    const known = this.#due.get(key);
    if (known !== undefined && known <= at) return;
    this.#due.set(key, at);
    this.#push({ key, at });
  }

  /** When the earliest key is due, or undefined when there is none. */
  next(): number | undefined {
    for (let top = this.#heap[0]; top !== undefined; top = this.#heap[0]) {
      if (this.#due.get(top.key) === top.at) return top.at;
      this.#pop();
    }
    return undefined;
  }

  /** Removes and gives the keys that are due by `now`, in the order of their times. */
  take(now: number): readonly Key[] {
    const keys: Key[] = [];
    for (let at = this.next(); at !== undefined && at <= now; at = this.next()) {
      const { key } = this.#pop() as Entry;
      this.#due.delete(key);
      keys.push(key);
    }
    return keys;
  }

  clear(): void {
    this.#due.clear();
    this.#heap.length = 0;
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if ((heap[parent] as Entry).at <= entry.at) break;
      heap[index] = heap[parent] as Entry;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return top;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && (heap[child + 1] as Entry).at < (heap[child] as Entry).at) child += 1;
      if ((heap[child] as Entry).at >= last.at) break;
      heap[index] = heap[child] as Entry;
      index = child;
    }
    heap[index] = last;
    return top;
  }
}
