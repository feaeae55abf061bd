import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatPath, parsePath } from './field-path.ts';

test('paths read as people write them', () => {
  expect(formatPath(['spec', 'segment', 'cidrs', 0])).toBe('spec.segment.cidrs[0]');
  expect(formatPath(['metadata', 'annotations', 'hcpio.io/tenant-network'])).toBe('metadata.annotations["hcpio.io/tenant-network"]');
});

test('what is written can be read back, whatever the keys hold', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(99), fc.string()), { maxLength: 6 }), (path) => {
      expect(parsePath(formatPath(path))).toEqual(path);
    }),
  );
});

test('an element that is picked by name keeps the name', () => {
  expect(parsePath('spec.services[APIServer].servicePublishingStrategy')).toEqual([
    'spec',
    'services',
    'APIServer',
    'servicePublishingStrategy',
  ]);
});
