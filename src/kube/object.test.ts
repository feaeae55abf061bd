import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  apiVersionOf,
  compareResourceVersions,
  groupVersion,
  identityOf,
  keyOf,
  type Resource,
  refOf,
  refText,
  resourcePath,
  splitKey,
  type WireObject,
  withKind,
} from './object.ts';

const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
const deployments: Resource = { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true };
const nodes: Resource = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };

test('paths follow group, namespace, name and subresource', () => {
  expect([
    resourcePath(pods),
    resourcePath(pods, 'web'),
    resourcePath(pods, 'web', 'front'),
    resourcePath(deployments, 'web', 'front', 'status'),
    resourcePath(nodes, undefined, 'n1'),
    resourcePath(nodes, 'ignored', 'n1'),
  ]).toEqual([
    '/api/v1/pods',
    '/api/v1/namespaces/web/pods',
    '/api/v1/namespaces/web/pods/front',
    '/apis/apps/v1/namespaces/web/deployments/front/status',
    '/api/v1/nodes/n1',
    '/api/v1/nodes/n1',
  ]);
});

test('a name cannot reach another path', () => {
  expect(resourcePath(pods, 'web', '../../secrets/x')).toBe('/api/v1/namespaces/web/pods/..%2F..%2Fsecrets%2Fx');
});

test('an object of a namespaced kind cannot be addressed without its namespace', () => {
  expect(() => resourcePath(pods, undefined, 'front')).toThrow('Pod front lives in a namespace, and none was given');
});

test('keys and API versions come apart as they were put together', () => {
  for (const meta of [{ name: 'a' }, { namespace: 'n', name: 'a' }]) expect(splitKey(keyOf(meta))).toEqual(meta);
  for (const apiVersion of ['v1', 'apps/v1']) expect(apiVersionOf(groupVersion(apiVersion))).toBe(apiVersion);
});

test('an object keeps its identity over versions of its API, and no other object has it', () => {
  const ref = (apiVersion: string, kind: string, namespace?: string) =>
    identityOf({ apiVersion, kind, name: 'a', ...(namespace ? { namespace } : {}) });
  expect(ref('apps/v1beta1', 'Deployment', 'n')).toBe(ref('apps/v1', 'Deployment', 'n'));
  const all = [ref('v1', 'Service', 'n'), ref('serving.knative.dev/v1', 'Service', 'n'), ref('v1', 'Service'), ref('v1', 'Pod', 'n')];
  expect(new Set(all).size).toBe(all.length);
});

test('a reference reads as a person would write it', () => {
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'web', name: 'front', uid: '1' } };
  expect(refText(refOf(object))).toBe('apps/v1 Deployment web/front');
});

test('an object without its kind gets it back, and one with it is the same object', () => {
  const bare = { metadata: { name: 'a' } } as unknown as WireObject;
  const whole = withKind(bare, deployments);
  expect(whole).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' } });
  expect(withKind(whole, deployments)).toBe(whole);
});

test('resource versions are ordered as numbers, also where doubles are not exact any more', () => {
  const version = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  fc.assert(
    fc.property(version, version, (a, b) => {
      expect(Math.sign(compareResourceVersions(String(a), String(b)))).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
  );
});
