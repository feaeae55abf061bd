/** What must be in the hub's API before the first pod: its nodes, who may do what, the default storage class. */
import type { KubeObject } from '../../kube/object.ts';
import type { Lab, LabNode } from '../contract.ts';
import { PROVISIONER, STORAGE_CLASS } from '../storage/names.ts';

type Loose = KubeObject & Readonly<Record<string, unknown>>;
type Rule = { readonly apiGroups: readonly string[]; readonly resources: readonly string[]; readonly verbs: readonly string[] };

export function hubObjects(lab: Pick<Lab, 'nodes'>): readonly Loose[] {
  return [
    ...lab.nodes.map(nodeObject),
    ...grant('system:kube-router', [
      { apiGroups: [''], resources: ['nodes', 'pods', 'services', 'namespaces', 'endpoints'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['get', 'list', 'watch'] },
    ]),
    ...grant('system:multus', [
      { apiGroups: ['k8s.cni.cncf.io'], resources: ['network-attachment-definitions'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['pods/status'], verbs: ['get', 'update', 'patch'] },
      { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
    ]),
    ...grant('system:lab-storage', [
      { apiGroups: [''], resources: ['persistentvolumes'], verbs: ['get', 'list', 'watch', 'create', 'delete', 'patch'] },
      { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'list', 'watch'] },
    ]),
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: STORAGE_CLASS, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: PROVISIONER,
      reclaimPolicy: 'Delete',
      // The directory is made on the node where the first pod goes.
      volumeBindingMode: 'WaitForFirstConsumer',
    },
  ];
}

/** Made before its kubelet comes: the pod network is known beforehand, and a kubelet may not give itself a role. */
function nodeObject(node: LabNode): Loose {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: node.name, labels: { 'node-role.kubernetes.io/worker': '', 'kubevirt.io/schedulable': 'true' } },
    spec: { podCIDR: node.podCidr, podCIDRs: [node.podCidr] },
  };
}

function grant(user: string, rules: readonly Rule[]): readonly Loose[] {
  const name = user.replace('system:', 'lab:');
  return [{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules }, bind(name, user, name)];
}

function bind(role: string, user: string, name: string): Loose {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  };
}
