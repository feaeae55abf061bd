/** Whom the clients of a control plane trust. Of a Secret with a key in it only the certificate is kept. */
import { AUTHORITY_SOURCES, type AuthoritySource } from '../../hosted-cluster/authorities.ts';
import type { WireObject } from '../../kube/object.ts';
import { may, type PolicyRule } from '../rbac.ts';
import { SECRET } from '../resources.ts';

export interface Authority {
  readonly apiVersion: 'v1';
  readonly kind: string;
  readonly metadata: { readonly namespace: string; readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly pem: string;
}

export const authorityOf =
  ({ kind, key }: AuthoritySource) =>
  (object: WireObject): Authority => {
    const { namespace = '', name, uid = '', resourceVersion = '' } = object.metadata;
    const text = (object['data'] as Readonly<Record<string, string>> | undefined)?.[key] ?? '';
    const pem = kind === 'Secret' ? Buffer.from(text, 'base64').toString('utf8') : text;
    return { apiVersion: 'v1', kind, metadata: { namespace, name, uid, resourceVersion }, pem };
  };

/** One name, in whatever namespace: a watch that selects by that name is let through by a rule of that name. */
export const authorityRules: readonly PolicyRule[] = [
  may(['list', 'watch'], SECRET, {
    names: Object.values(AUTHORITY_SOURCES).flatMap(({ kind, name }) => (kind === 'Secret' ? [name] : [])),
  }),
];
