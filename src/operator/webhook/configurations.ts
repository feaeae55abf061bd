/**
 * The webhooks as the API server must be told of them. One table: the server's routes, the manifests in deploy/base and the
 * certificate's caBundle all follow from it.
 *
 * All of them let pass when nobody answers. They are courtesies: the CRD's own rules hold without them, the reconciler judges every
 * TenantNetwork again and reports in `Accepted`, and the controller gates the NodePools that were not held here. A hub on which
 * nobody can create a NodePool, or mend a TenantNetwork, because our pod is away would be the worse thing. That they are not
 * reached is an alert of its own.
 */
import type { MutatingWebhook, RuleWithOperations, ValidatingWebhook } from 'kubernetes-types/admissionregistration/v1.d.ts';
import { GROUP } from '../../api/tenant-network.ts';
import type { KubeObject, Resource } from '../../kube/object.ts';
import { NODE_POOL, TENANT_NETWORK } from '../resources.ts';

/** The name of both configurations. */
export const CONFIGURATION = 'hcpio';
export const WEBHOOK_SERVICE = 'hcpio-webhook';
export const WEBHOOK_PORT = 9443;

export const PATHS = {
  validate: '/validate-tenantnetwork',
  default: '/default-tenantnetwork',
  pause: '/pause-nodepool',
} as const;

/** How the API server reaches us: by Service in a cluster, by address in a test. */
export type ClientConfig = (path: string) => MutatingWebhook['clientConfig'];

export const byService =
  (namespace: string): ClientConfig =>
  (path) => ({ service: { namespace, name: WEBHOOK_SERVICE, port: 443, path } });

/** The published types have lost two of the fields. */
type Rule = RuleWithOperations & { readonly resources: string[]; readonly scope: 'Namespaced' };

const rule = ({ group, version, plural }: Resource, ...operations: readonly string[]): Rule => ({
  apiGroups: [group],
  apiVersions: [version],
  operations: [...operations],
  resources: [plural],
  scope: 'Namespaced',
});

const COMMON = {
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  failurePolicy: 'Ignore',
  // Also what a NodePool waits at most when we hang: much less than the 10 s that the API server would grant.
  timeoutSeconds: 5,
};

/** A change of metadata (a finalizer, an owner) or of something that is on its way out is nobody's to judge. */
const SPEC_CHANGES = [
  { name: 'not-being-deleted', expression: '!has(object.metadata.deletionTimestamp)' },
  { name: 'spec-changes', expression: 'oldObject == null || object.spec != oldObject.spec' },
];

const validating = (clientConfig: ClientConfig): ValidatingWebhook[] => [
  {
    name: `validate.tenantnetwork.${GROUP}`,
    ...COMMON,
    clientConfig: clientConfig(PATHS.validate),
    rules: [rule(TENANT_NETWORK, 'CREATE', 'UPDATE')],
    matchConditions: SPEC_CHANGES,
  },
];

const mutating = (clientConfig: ClientConfig): MutatingWebhook[] => [
  {
    name: `default.tenantnetwork.${GROUP}`,
    ...COMMON,
    clientConfig: clientConfig(PATHS.default),
    rules: [rule(TENANT_NETWORK, 'CREATE', 'UPDATE')],
    matchConditions: SPEC_CHANGES,
  },
  {
    name: `pause.nodepool.${GROUP}`,
    ...COMMON,
    clientConfig: clientConfig(PATHS.pause),
    rules: [rule(NODE_POOL, 'CREATE')],
    // Whoever set a pause already is not even asked about it.
    matchConditions: [{ name: 'nobody-paused-it', expression: "!has(object.spec.pausedUntil) || object.spec.pausedUntil == ''" }],
  },
];

const resource = (plural: string, kind: string): Resource => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced: false,
});
export const VALIDATING = resource('validatingwebhookconfigurations', 'ValidatingWebhookConfiguration');
export const MUTATING = resource('mutatingwebhookconfigurations', 'MutatingWebhookConfiguration');

export interface WebhookConfiguration extends KubeObject {
  readonly webhooks: readonly (MutatingWebhook | ValidatingWebhook)[];
}

export const configurations = (clientConfig: ClientConfig): readonly WebhookConfiguration[] =>
  [
    { kind: MUTATING.kind, webhooks: mutating(clientConfig) },
    { kind: VALIDATING.kind, webhooks: validating(clientConfig) },
  ].map(({ kind, webhooks }) => ({ apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name: CONFIGURATION }, webhooks }));
