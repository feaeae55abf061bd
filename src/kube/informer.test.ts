import { expect, test } from 'vitest';
import { withoutManagedFields } from './informer.ts';

test('everything is kept but the managed fields', () => {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', labels: { l: '1' }, managedFields: [{ manager: 'x' }] },
    data: { k: 'v' },
  };
  expect(withoutManagedFields(object)).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', labels: { l: '1' } },
    data: { k: 'v' },
  });
});
