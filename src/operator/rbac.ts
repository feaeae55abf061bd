/**
 * The rights of the operator, said beside the code that needs them: a file that talks to the API exports its rules, the list in
 * rbac-roles.ts gathers them, and deploy/base/rbac.yaml is generated from that list.
 */
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts';
import type { Resource } from '../kube/object.ts';

export type { PolicyRule };

type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

export interface RuleOptions {
  readonly subresource?: string;
  /** Only objects of these names. No name can narrow `create`; `list` and `watch` only where they select by that name. */
  readonly names?: readonly string[];
}

/** `may(['get', 'patch'], NODE_POOL)` reads as it is meant. */
export function may(verbs: readonly Verb[], resource: Pick<Resource, 'group' | 'plural'>, options: RuleOptions = {}): PolicyRule {
  const { subresource, names } = options;
  return {
    apiGroups: [resource.group],
    resources: [subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`],
    verbs: [...verbs],
    ...(names === undefined ? {} : { resourceNames: [...names] }),
  };
}
