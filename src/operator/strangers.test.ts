import { expect, test } from 'vitest';
import { strangerIn } from './strangers.ts';

const made = (...managedFields: readonly object[]) => ({ metadata: { name: 'x', managedFields } });

test('an object that we never wrote is a stranger, by the name of who made it', () => {
  expect(strangerIn(made({ manager: 'kubectl-create', operation: 'Update' }))).toBe('kubectl-create');
  expect(strangerIn({ metadata: { name: 'x' } })).toBe('somebody');
});

test('one that we applied is ours, whatever somebody did to its labels', () => {
  expect(strangerIn(made({ manager: 'kubectl-edit', operation: 'Update' }, { manager: 'hcpio', operation: 'Apply' }))).toBeUndefined();
});
