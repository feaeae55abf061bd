/** The few roles without which no worker can join: on OpenShift the release's manifests bring them. */
import type { Manifest } from '../hosted-cluster.ts';

const RBAC = 'rbac.authorization.k8s.io';

export function bootstrapManifests(): readonly Manifest[] {
  const machineConfigOperator = 'openshift-machine-config-operator';
  const user = (name: string) => ({ apiGroup: RBAC, kind: 'User', name });
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: machineConfigOperator } },
    binding('hcco-cluster-admin', 'cluster-admin', user('system:hosted-cluster-config')),
    binding('kas-bootstrap-container-cluster-admin', 'cluster-admin', user('system:kas-bootstrap-container')),
    binding(
      'system-bootstrap-node-bootstrapper',
      'system:node-bootstrapper',
      user(`system:serviceaccount:${machineConfigOperator}:node-bootstrapper`),
    ),
    // Logs and exec: the API server shows this name to kubelets.
    binding('system:openshift:kube-apiserver-kubelet', 'system:kubelet-api-admin', user('system:kube-apiserver')),
  ];
}

function binding(name: string, role: string, subject: Readonly<Record<string, string>>): Manifest {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects: [subject],
  };
}
