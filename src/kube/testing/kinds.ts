/** Resource types that the tests use. */
import type { Resource } from '../object.ts';

export const CONFIG_MAP: Resource = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
export const NAMESPACE: Resource = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false };
