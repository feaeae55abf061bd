/** The rules of all parts, gathered. One part more is one line more here, and the test that runs under these roles fails without it. */
import { SCC_ROLE } from '../gateway/scc.ts';
import type { Connection } from '../kube/connection.ts';
import { EVENT } from '../kube/events.ts';
import { LEASE } from '../kube/lease.ts';
import type { Resource } from '../kube/object.ts';
import { Transport } from '../kube/transport.ts';
import { nodePoolGateRules } from './controllers/node-pool-gate.ts';
import { shorthandRules } from './controllers/shorthand.ts';
import { probeWordsRules } from './controllers/tenant-network/explain.ts';
import { guestRules } from './guest/router-reader.ts';
import { may, type PolicyRule } from './rbac.ts';
import type { Rights } from './rbac-roles.ts';
import { HOSTED_CLUSTER, NAMESPACE, POD, SECRET, TENANT_NETWORK, TENANT_RESOURCES } from './resources.ts';
import { trustRules } from './webhook/self-made/ca-bundle.ts';
import { secretRules } from './webhook/self-made/self-made-certificate.ts';
import { authorityRules } from './world/authority.ts';
import type { Tracked } from './world/tracked.ts';
import { World } from './world/world.ts';

const ROLE_BINDING = { group: 'rbac.authorization.k8s.io', plural: 'rolebindings' };

/** Asked of the world itself: what is watched there may be listed and watched, and that is all. */
function watchRules(): readonly PolicyRule[] {
  const nowhere: Connection = {
    server: new URL('https://nowhere.invalid'),
    credentials: () => Promise.reject(new Error('nowhere')),
    invalidate() {},
  };
  const world = new World({ transport: new Transport({ connection: nowhere, userAgent: 'none' }) });
  const watched = new Set(world.informers.map((informer) => (informer as Tracked<never>).resource));
  // Secrets by name only.
  watched.delete(SECRET);
  return [...[...watched].map((resource: Resource) => may(['list', 'watch'], resource)), ...authorityRules];
}

/** What a part says of reading what is watched is left out: that is asked of the world, and nothing more of it is needed. */
const WATCHING = ['get', 'list', 'watch'];
const beyondWatching = (rules: readonly PolicyRule[]): readonly PolicyRule[] =>
  rules.map((rule) => ({ ...rule, verbs: rule.verbs.filter((verb) => !WATCHING.includes(verb)) })).filter(({ verbs }) => verbs.length > 0);

/** A tenant's own objects, applied and pruned. On a hub without OpenShift's constraints an edge has no RoleBinding. */
const tenantObjectRules = TENANT_RESOURCES.filter(({ plural }) => plural !== ROLE_BINDING.plural).map((resource) =>
  may(['create', 'patch', 'delete'], resource),
);

const tenantNetworkRules: readonly PolicyRule[] = [
  ...tenantObjectRules,
  // Whose the namespace is that an edge wants.
  may(['get'], NAMESPACE),
  // The finalizer and the owner; what was seen; and the same on the HostedCluster for those who look there.
  may(['patch'], TENANT_NETWORK),
  may(['patch'], TENANT_NETWORK, { subresource: 'status' }),
  may(['patch'], HOSTED_CLUSTER, { subresource: 'status' }),
  // Told of news, and rolled: the pods that a tenant has, by name, and no other pod of the hub. The prober rolls by itself.
  may(['patch', 'delete'], POD, { names: ['edge-a-0', 'edge-b-0'] }),
  may(['patch'], POD, { names: ['prober-0'] }),
];

export const operatorRights: Rights = {
  everywhere: [
    ...watchRules(),
    ...tenantNetworkRules,
    ...beyondWatching([...nodePoolGateRules, ...shorthandRules]),
    ...probeWordsRules,
    ...guestRules,
    may(['create'], EVENT),
  ],
  atHome: [may(['get', 'create', 'update'], LEASE)],
};

/** Where nobody else makes the certificate of the webhooks. */
export const selfMadeCertificateRights: Rights = { everywhere: trustRules, atHome: secretRules };

export const openshiftRights: Rights = {
  everywhere: [
    // An edge is admitted under constraints of its own, by a binding in its namespace: the right to hand out that one role.
    may(['create', 'patch', 'delete'], ROLE_BINDING),
    { apiGroups: [ROLE_BINDING.group], resources: ['clusterroles'], resourceNames: [SCC_ROLE], verbs: ['bind'] },
    // Its admission (OwnerReferencesPermissionEnforcement) lets only those change an object's owners who may delete it.
    may(['delete'], TENANT_NETWORK),
  ],
  atHome: [],
};
