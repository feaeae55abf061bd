import { expect, test } from 'vitest';
import { ApiError, type ApiStatus } from './errors.ts';
import { refusalOf } from './refusal.ts';

const refusal = (code: number, status: ApiStatus) => refusalOf(new ApiError('PATCH /x', code, status));

test('a conflict names the fields and who manages them', () => {
  const causes = [{ reason: 'FieldManagerConflict', message: 'conflict with "kubectl-edit" using v1', field: '.data.a' }];
  expect(refusal(409, { reason: 'Conflict', message: 'Apply failed with 1 conflict', details: { causes } })).toEqual({
    reason: 'Conflict',
    message: 'Apply failed with 1 conflict',
    fields: [{ field: '.data.a', message: 'conflict with "kubectl-edit" using v1' }],
  });
});

test.each([
  'Job.batch "x" is invalid: spec.template: Invalid value: {}: field is immutable',
  'Service "x" is invalid: spec.clusterIPs[0]: Invalid value: []: may not change once set',
  'StatefulSet.apps "x" is invalid: spec: Forbidden: updates to statefulset spec for fields other than replicas are forbidden',
  'RoleBinding "x" is invalid: roleRef: Invalid value: {}: cannot change roleRef: field cannot be changed',
])('an immutable field is known by its wording: %s', (message) => {
  expect(refusal(422, { reason: 'Invalid', message })?.reason).toBe('Immutable');
});

test('other refusals are told apart', () => {
  const terminating = { details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] } };
  const reasons = [
    refusal(422, { reason: 'Invalid', message: 'spec.replicas: Invalid value: -1' }),
    refusal(400, { reason: 'BadRequest', message: 'strict decoding error' }),
    refusal(500, { message: 'failed to create typed patch object (n/x; /v1, Kind=ConfigMap): .surprise: field not declared in schema' }),
    refusal(403, { reason: 'Forbidden', message: 'may not' }),
    refusal(403, { reason: 'Forbidden', message: 'being terminated', ...terminating }),
    refusal(404, { reason: 'NotFound', message: 'namespaces "x" not found' }),
  ].map((found) => found?.reason);
  expect(reasons).toEqual(['Invalid', 'Invalid', 'Invalid', 'Forbidden', 'Terminating', 'Absent']);
});

test('what passes by itself is no refusal', () => {
  expect([429, 500, 503, 504].map((code) => refusal(code, {}))).toEqual([undefined, undefined, undefined, undefined]);
  expect(refusal(409, { reason: 'Conflict', message: 'the object has been modified' })).toBeUndefined();
});
