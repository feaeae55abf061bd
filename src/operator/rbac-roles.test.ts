import { expect, test } from 'vitest';
import { condense, rolesOf } from './rbac-roles.ts';

const secrets = { apiGroups: [''], resources: ['secrets'] };

test('rules of several files for one resource become one line', () => {
  expect(
    condense([
      { apiGroups: [''], resources: ['pods'], verbs: ['watch', 'list'] },
      { apiGroups: ['apps'], resources: ['statefulsets'], verbs: ['get'] },
      { apiGroups: [''], resources: ['pods', 'services'], verbs: ['get', 'delete'] },
      { apiGroups: [''], resources: ['services'], verbs: ['watch', 'list'] },
    ]),
  ).toEqual([
    { apiGroups: [''], resources: ['pods', 'services'], verbs: ['get', 'list', 'watch', 'delete'] },
    { apiGroups: ['apps'], resources: ['statefulsets'], verbs: ['get'] },
  ]);
});

test('a right to one object stays a right to one object', () => {
  expect(
    condense([
      { ...secrets, resourceNames: ['mine'], verbs: ['update', 'get'] },
      { ...secrets, verbs: ['create'] },
    ]),
  ).toEqual([
    { ...secrets, verbs: ['create'] },
    { ...secrets, resourceNames: ['mine'], verbs: ['get', 'update'] },
  ]);
});

test('a right to one object is not repeated beside the right to all', () => {
  expect(
    condense([
      { ...secrets, resourceNames: ['mine'], verbs: ['get'] },
      { ...secrets, verbs: ['get'] },
    ]),
  ).toEqual([{ ...secrets, verbs: ['get'] }]);
});

test('a subresource is a resource of its own', () => {
  expect(
    condense([
      { apiGroups: ['a'], resources: ['b/status'], verbs: ['patch'] },
      { apiGroups: ['a'], resources: ['b'], verbs: ['get'] },
    ]),
  ).toEqual([
    { apiGroups: ['a'], resources: ['b'], verbs: ['get'] },
    { apiGroups: ['a'], resources: ['b/status'], verbs: ['patch'] },
  ]);
});

test('only what has rules gets a role, bound to the one account', () => {
  expect(rolesOf('some', { everywhere: [], atHome: [{ ...secrets, verbs: ['create'] }] })).toEqual([
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'some', namespace: 'hcpio-system', labels: expect.any(Object) },
      rules: [{ ...secrets, verbs: ['create'] }],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'some', namespace: 'hcpio-system', labels: expect.any(Object) },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'some' },
      subjects: [{ kind: 'ServiceAccount', name: 'hcpio-operator', namespace: 'hcpio-system' }],
    },
  ]);
});
