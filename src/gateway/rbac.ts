import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts';
import { TENANT } from './labels.ts';
import type { KubeObject } from './rendered.ts';
import { SCC_ROLE } from './scc.ts';

/** Plural names by kind, for what we render. A kind that is missing here cannot be rendered unnoticed: `applyRules` refuses it. */
const RESOURCES: Readonly<Record<string, string>> = {
  ConfigMap: 'configmaps',
  Namespace: 'namespaces',
  NetworkAttachmentDefinition: 'network-attachment-definitions',
  NetworkPolicy: 'networkpolicies',
  PodDisruptionBudget: 'poddisruptionbudgets',
  RoleBinding: 'rolebindings',
  Service: 'services',
  ServiceAccount: 'serviceaccounts',
  StatefulSet: 'statefulsets',
};

/** Server-side apply creates by patch, but the API server asks for both rights. */
const VERBS = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

/**
 * The rights that it takes to keep a tenant's objects as they were rendered, and not one more. What all tenants share (the constraints of
 * OpenShift) comes with the installation: who could write those could give himself everything.
 */
export function applyRules(manifests: readonly KubeObject[]): readonly PolicyRule[] {
  const own = manifests.filter((manifest) => manifest.metadata.labels?.[TENANT] !== undefined);
  const byGroup = Map.groupBy(own, ({ apiVersion }) => (apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : ''));
  const bindsScc = own.some(({ kind }) => kind === 'RoleBinding');
  return [
    ...[...byGroup]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([group, objects]) => ({ apiGroups: [group], resources: [...new Set(objects.map(resourceOf))].sort(), verbs: VERBS })),
    // The right to hand out that one role without holding it.
    ...(bindsScc
      ? [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], resourceNames: [SCC_ROLE], verbs: ['bind'] }]
      : []),
  ];
}

function resourceOf({ kind }: KubeObject): string {
  const resource = RESOURCES[kind];
  if (resource === undefined) throw new Error(`no right is known for ${kind}`);
  return resource;
}
