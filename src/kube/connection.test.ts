import { expect, test } from 'vitest';
import { TlsMemo } from './connection.ts';

test('TLS material that did not change stays the same object', () => {
  const memo = new TlsMemo();
  const first = memo.settle({ ca: 'CA', cert: 'C', key: 'K', servername: 's' });
  expect(memo.settle({ ca: 'CA', cert: 'C', key: 'K', servername: 's' })).toBe(first);
  for (const change of [{ ca: 'x' }, { cert: 'x' }, { key: 'x' }, { servername: 'x' }, { insecureSkipVerify: true }]) {
    const before = memo.settle({ ca: 'CA', cert: 'C', key: 'K', servername: 's' });
    expect(memo.settle({ ca: 'CA', cert: 'C', key: 'K', servername: 's', ...change })).not.toBe(before);
  }
});
