/** What `kubectl apply -k` would send, read by the real kustomize. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Connection } from '../../src/kube/connection.ts';
import type { WireObject } from '../../src/kube/object.ts';
import { toolPath } from '../../tools/paths.ts';
import type { ControlPlane } from '../../tools/testing/control-plane.ts';
import { OPERATOR_USER } from '../operator/audit.ts';

export type Overlay = 'default' | 'openshift' | 'cert-manager';

export const overlayDirectory = (overlay: Overlay): string => join(import.meta.dirname, '..', '..', 'deploy', overlay);

export const installedObjects = (overlay: Overlay): readonly WireObject[] =>
  parseAllDocuments(
    execFileSync(toolPath('kubectl'), ['kustomize', overlayDirectory(overlay)], { encoding: 'utf8', maxBuffer: 64 << 20 }),
  ).map((document) => document.toJS() as WireObject);

/** The operator's account, with the groups that every service account has and no others: what it may do is what its roles say. */
export const asOperator = ({ url, ca, token }: Pick<ControlPlane, 'url' | 'ca' | 'token'>): Connection => ({
  server: new URL(url),
  credentials: () => Promise.resolve({ headers: { authorization: `Bearer ${token}`, 'impersonate-user': OPERATOR_USER }, tls: { ca } }),
  invalidate() {},
});
