import { EDGE_USER } from './containers.ts';
import { SHARED_LABELS, tenantLabels } from './labels.ts';
import { SERVICE_ACCOUNT } from './namespace.ts';
import type { KubeObject } from './rendered.ts';
import type { TenantPlan } from './tenant-plan.ts';

export const SCC = 'hcpio-edge';
export const SCC_ROLE = 'hcpio-edge-scc';

/**
 * What OpenShift lets an edge do, and no more: one user, two capabilities, no host, no escalation. `privileged` would hand the node to
 * whoever breaks a parser that faces the tenant. One for all tenants (admission tries every one of them for each pod), so it carries no
 * tenant's label and stays when a tenant goes.
 */
export const securityContextConstraints: KubeObject = {
  apiVersion: 'security.openshift.io/v1',
  kind: 'SecurityContextConstraints',
  metadata: { name: SCC, labels: SHARED_LABELS },
  allowHostDirVolumePlugin: false,
  allowHostIPC: false,
  allowHostNetwork: false,
  allowHostPID: false,
  allowHostPorts: false,
  allowPrivilegedContainer: false,
  allowPrivilegeEscalation: false,
  defaultAllowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  allowedCapabilities: ['NET_ADMIN', 'NET_RAW'],
  defaultAddCapabilities: [],
  requiredDropCapabilities: ['ALL'],
  runAsUser: { type: 'MustRunAs', uid: EDGE_USER },
  fsGroup: { type: 'MustRunAs', ranges: [{ min: EDGE_USER, max: EDGE_USER }] },
  supplementalGroups: { type: 'MustRunAs', ranges: [{ min: EDGE_USER, max: EDGE_USER }] },
  seLinuxContext: { type: 'MustRunAs' },
  seccompProfiles: ['runtime/default'],
  volumes: ['configMap', 'downwardAPI', 'emptyDir', 'persistentVolumeClaim'],
  users: [],
  groups: [],
  priority: null,
};

/** The right to be admitted under it; the edge's service account has no other. */
export const sccRole: KubeObject = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: SCC_ROLE, labels: SHARED_LABELS },
  rules: [{ apiGroups: ['security.openshift.io'], resources: ['securitycontextconstraints'], resourceNames: [SCC], verbs: ['use'] }],
};

export const sccRoleBinding = (plan: TenantPlan): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: SCC_ROLE, namespace: plan.edgeNamespace, labels: tenantLabels(plan) },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: SCC_ROLE },
  subjects: [{ kind: 'ServiceAccount', name: SERVICE_ACCOUNT, namespace: plan.edgeNamespace }],
});
