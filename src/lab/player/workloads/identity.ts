import type { HostedControlPlane, Manifest } from '../hosted-cluster.ts';
import { metadata } from './pod.ts';

/** A ServiceAccount on the hub with a Role in the control plane's namespace. */
export function hubIdentity(hcp: HostedControlPlane, name: string, rules: readonly unknown[]): readonly Manifest[] {
  const meta = metadata(hcp, name);
  const api = 'rbac.authorization.k8s.io';
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: meta },
    { apiVersion: `${api}/v1`, kind: 'Role', metadata: meta, rules },
    {
      apiVersion: `${api}/v1`,
      kind: 'RoleBinding',
      metadata: meta,
      roleRef: { apiGroup: api, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace: meta.namespace }],
    },
  ];
}
