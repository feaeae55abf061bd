import { expect, test } from 'vitest';
import { hashOf } from '../../kube/canonical.ts';
import { endOfId, HASH, packId, UUID, unpackId } from './packed-id.ts';

const uid = '71880f97-b9e4-428e-9309-a087bd348dd6';
const hash = hashOf({ any: 'thing' });

test('a uid and a hash take seventeen characters of one byte, and come back as they were', () => {
  const packed = [packId(uid, UUID), packId(hash, HASH)];
  expect(packed.map((one) => Buffer.from(one, 'latin1').length)).toEqual([17, 17]);
  expect([unpackId(packed[0] ?? '', UUID), unpackId(packed[1] ?? '', HASH)]).toEqual([uid, hash]);
});

test.each(['', 'x', 'uid-of-something', uid.toUpperCase(), `${hash.slice(0, 21)}B`, 'sixteen bytes ok'])(
  'what only looks like an id stays a text: %j',
  (text) => {
    expect([unpackId(packId(text, UUID), UUID), unpackId(packId(text, HASH), HASH)]).toEqual([text, text]);
  },
);

test('one follows the other, whatever they are', () => {
  for (const first of [uid, 'short', '']) {
    const packed = ['+', packId(first, UUID), packId(hash, HASH), '4711'].join('');
    const second = endOfId(packed, 1);
    expect([unpackId(packed, UUID, 1), unpackId(packed, HASH, second), packed.slice(endOfId(packed, second))]).toEqual([
      first,
      hash,
      '4711',
    ]);
  }
});
