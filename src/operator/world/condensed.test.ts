import { expect, test } from 'vitest';
import { Condenser, isSameText, uncondensed } from './condensed.ts';

const tenant = (name: string, more = '') =>
  JSON.stringify({
    kind: 'TenantNetwork',
    spec: { attachment: `default/${name}` },
    status: { message: `everything is as it should be${more}` },
  });

test('texts come back as they were, those of more than one byte a character too', () => {
  const condenser = new Condenser();
  const texts = ['', '{}', tenant('vlan1'), tenant('vlan2', ' – überall'), tenant('vlan3', 'x'.repeat(100_000))];
  expect(texts.map((text) => uncondensed(condenser.pack(text)))).toEqual(texts);
});

test('of texts that are alike little is kept, and one byte a character', () => {
  const condenser = new Condenser();
  condenser.pack(tenant('vlan1'));
  const { packed } = condenser.pack(tenant('vlan2'));
  expect(packed.length).toBeLessThan(tenant('vlan2').length / 5);
  expect(Buffer.from(packed, 'latin1').toString('latin1')).toBe(packed);
});

test('a fuller one becomes the example for those that come, and what was packed before can still be read', () => {
  const condenser = new Condenser();
  const early = condenser.pack('{"status":{}}');
  const full = condenser.pack(tenant('vlan1'));
  expect(full.example).not.toBe(early.example);
  expect(condenser.pack(tenant('vlan2')).example).toBe(full.example);
  expect([uncondensed(early), uncondensed(full)]).toEqual(['{"status":{}}', tenant('vlan1')]);
});

test('the same text is the same, also when it was packed with another example', () => {
  const condenser = new Condenser();
  const early = condenser.pack('{"a":1}');
  condenser.pack(tenant('vlan1'));
  const late = condenser.pack('{"a":1}');
  expect([isSameText(early, late), isSameText(late, condenser.pack('{"a":1}')), isSameText(late, condenser.pack('{"a":2}'))]).toEqual([
    true,
    true,
    false,
  ]);
});
