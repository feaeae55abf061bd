import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { structuralSchema } from './open-api.ts';

test('an object becomes a structural schema: bounds of the language and closed objects are gone, rules pass through', () => {
  const schema = z.strictObject({
    size: z.int().default(3).describe('How many.'),
    names: z.array(z.string().max(9)).max(4).meta({ 'x-kubernetes-list-type': 'set' }),
    kind: z.enum(['A', 'B']).optional(),
  });
  const { properties, ...rest } = structuralSchema(schema);
  expect(rest).toEqual({ type: 'object', required: ['names'] });
  expect(properties).toEqual({
    size: { description: 'How many.', type: 'integer', default: 3 },
    names: { type: 'array', maxItems: 4, items: { type: 'string', maxLength: 9 }, 'x-kubernetes-list-type': 'set' },
    kind: { type: 'string', enum: ['A', 'B'] },
  });
});

describe('what the API server would refuse is refused when the CRD is generated', () => {
  test.each([
    ['a union', z.object({ a: z.union([z.string().max(1), z.int()]) }), 'a: anyOf has no place in a structural schema'],
    [
      'a discriminated union',
      z.object({ a: z.discriminatedUnion('t', [z.object({ t: z.literal('x') }), z.object({ t: z.literal('y') })]) }),
      'a: oneOf has no place in a structural schema',
    ],
    ['text without a bound', z.object({ a: z.object({ b: z.string() }) }), 'a.b: a string needs an upper bound'],
    ['a list without a bound', z.object({ a: z.array(z.int()) }), 'a: a array needs an upper bound'],
    ['text without a bound in a list', z.object({ a: z.array(z.string()).max(2) }), 'a[]: a string needs an upper bound'],
  ])('%s', (_, schema, message) => {
    expect(() => structuralSchema(schema)).toThrow(message);
  });
});
