/** Makes roles of rules. Only the generator and tests need this; a running operator never looks at its own rights. */
import type { KubeObject } from '../kube/object.ts';
import type { PolicyRule } from './rbac.ts';

export interface Rights {
  readonly everywhere: readonly PolicyRule[];
  /** In the operator's own namespace and nowhere else. */
  readonly atHome: readonly PolicyRule[];
}

export const OPERATOR_NAMESPACE = 'hcpio-system';
export const OPERATOR_ACCOUNT = 'hcpio-operator';
/** Of the installation. Not `managed-by`: that marks what the operator made for a tenant, and removes with it. */
export const INSTALLED = { 'app.kubernetes.io/part-of': 'hcpio' } as const;

/** A ClusterRole and a Role of that name, each bound to the operator's account; whichever of them has something to say. */
export function rolesOf(name: string, { everywhere, atHome }: Rights): readonly KubeObject[] {
  const clusterWide = { metadata: { name, labels: INSTALLED } };
  const local = { metadata: { name, namespace: OPERATOR_NAMESPACE, labels: INSTALLED } };
  return [
    ...(everywhere.length === 0 ? [] : pair('ClusterRole', clusterWide, everywhere)),
    ...(atHome.length === 0 ? [] : pair('Role', local, atHome)),
  ];
}

const RBAC = 'rbac.authorization.k8s.io';
type Head = Pick<KubeObject, 'metadata'>;

function pair(kind: 'ClusterRole' | 'Role', head: Head, rules: readonly PolicyRule[]): readonly KubeObject[] {
  const apiVersion = `${RBAC}/v1`;
  const role = { apiVersion, kind, ...head, rules: condense(rules) };
  const binding = {
    apiVersion,
    kind: `${kind}Binding`,
    ...head,
    roleRef: { apiGroup: RBAC, kind, name: head.metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: OPERATOR_ACCOUNT, namespace: OPERATOR_NAMESPACE }],
  };
  return [role, binding];
}

interface Grant {
  readonly group: string;
  readonly resource: string;
  readonly names: string;
  readonly verbs: ReadonlySet<string>;
}

/** The same rights in as few and as orderly lines as they fit: each resource once, resources with the same verbs together. */
export function condense(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const grants = new Map<string, Grant>();
  for (const { apiGroups = [], resources = [], resourceNames = [], verbs } of rules) {
    const names = [...resourceNames].sort().join();
    for (const group of apiGroups) {
      for (const resource of resources) {
        const key = `${group}/${resource} ${names}`;
        grants.set(key, { group, resource, names, verbs: new Set([...(grants.get(key)?.verbs ?? []), ...verbs]) });
      }
    }
  }
  // What may be done to all needs no mention for some.
  const whole = (grant: Grant): ReadonlySet<string> =>
    grant.names === '' ? new Set() : (grants.get(`${grant.group}/${grant.resource} `)?.verbs ?? new Set());
  const needed = [...grants.values()]
    .map((grant) => ({ ...grant, verbs: grant.verbs.difference(whole(grant)) }))
    .filter(({ verbs }) => verbs.size > 0);
  const together = Map.groupBy(needed, ({ group, names, verbs }) => `${group}\0${names}\0${inOrder(verbs).join()}`);
  return [...together.values()]
    .flatMap((grants) =>
      grants[0]
        ? [
            lineOf(
              grants[0],
              grants.map(({ resource }) => resource),
            ),
          ]
        : [],
    )
    .sort((a, b) => compare(sortKey(a), sortKey(b)));
}

const lineOf = ({ group, names, verbs }: Grant, resources: readonly string[]): PolicyRule => ({
  apiGroups: [group],
  resources: [...resources].sort(),
  ...(names === '' ? {} : { resourceNames: names.split(',') }),
  verbs: inOrder(verbs),
});

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
const inOrder = (verbs: ReadonlySet<string>): string[] => [...verbs].sort((a, b) => VERBS.indexOf(a) - VERBS.indexOf(b) || compare(a, b));
const sortKey = ({ apiGroups, resources, verbs }: PolicyRule): string => [apiGroups?.[0], resources?.[0], verbs.join()].join(' ');
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
