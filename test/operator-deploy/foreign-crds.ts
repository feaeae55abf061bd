/**
 * Kinds of other projects that our manifests use and that no tool of ours brings: OpenShift's constraints, the Prometheus operator's,
 * cert-manager's. Names only, without a schema: with them it is shown that the objects are of kinds and scopes that exist, not that
 * every field of them does.
 */
import type { WireObject } from '../../src/kube/object.ts';

const crd = (group: string, version: string, kind: string, plural: string, scope: 'Namespaced' | 'Cluster'): WireObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope,
    names: { kind, plural },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});

export const FOREIGN_CRDS = [
  crd('security.openshift.io', 'v1', 'SecurityContextConstraints', 'securitycontextconstraints', 'Cluster'),
  crd('monitoring.coreos.com', 'v1', 'ServiceMonitor', 'servicemonitors', 'Namespaced'),
  crd('monitoring.coreos.com', 'v1', 'PrometheusRule', 'prometheusrules', 'Namespaced'),
  crd('cert-manager.io', 'v1', 'Issuer', 'issuers', 'Namespaced'),
  crd('cert-manager.io', 'v1', 'Certificate', 'certificates', 'Namespaced'),
];
