import { TENANT, tenantLabels } from './labels.ts';
import type { KubeObject } from './rendered.ts';
import type { TenantPlan } from './tenant-plan.ts';

export const SERVICE_ACCOUNT = 'edge';

/**
 * A place of the edge's own. The control-plane namespace enforces the restricted level, and its pods may dial etcd; an edge faces the
 * tenant, so it gets neither. NET_ADMIN and NET_RAW are what only the privileged level lets through; what a container may really do is
 * written on each of them, and on OpenShift enforced by the constraints of `scc.ts`.
 */
export const namespace = (plan: TenantPlan): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: plan.edgeNamespace,
    labels: {
      ...tenantLabels(plan),
      'pod-security.kubernetes.io/enforce': 'privileged',
      'pod-security.kubernetes.io/audit': 'privileged',
      'pod-security.kubernetes.io/warn': 'privileged',
      'security.openshift.io/scc.podSecurityLabelSync': 'false', // else OpenShift writes the three above itself
    },
    annotations: { [TENANT]: plan.tenant },
  },
});

/** Bound to nothing and without a token: nothing in an edge talks to the hub's API. */
export const serviceAccount = (plan: TenantPlan): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: SERVICE_ACCOUNT, namespace: plan.edgeNamespace, labels: tenantLabels(plan) },
  automountServiceAccountToken: false,
});
