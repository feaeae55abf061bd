/** Asks both edges of a tenant for the leases that they know. */
import { ApiError, isForbidden, isNotFound, NetworkError } from '../kube/errors.ts';
import { exec } from '../kube/exec.ts';
import type { Cluster } from './cluster.ts';
import { Failure } from './failure.ts';
import { type EdgeLeases, readKea } from './kea-leases.ts';
import { type LeasesView, leasesView } from './lease-view.ts';
import type { TenantView } from './tenant-view.ts';

export const CONTAINER = 'dhcp';
const PROGRAM = '/usr/libexec/hcpio/leases';

export async function leasesOf(cluster: Cluster, view: TenantView, signal: AbortSignal): Promise<LeasesView> {
  const notes: string[] = [];
  const answers: EdgeLeases[] = [];
  for (const { name } of view.edges) {
    const answer = await ask(cluster, view, name, signal);
    if (typeof answer === 'string') notes.push(`${name} could not be asked: ${answer}`);
    else answers.push(answer);
  }
  if (view.edges.length === 0) notes.push('it has no edges yet');
  return leasesView({ tenant: view.tenant, machines: view.machines, answers, notes });
}

/** What the edge says, or why it says nothing. A right that is missing is missing for every edge. */
async function ask({ client }: Cluster, { edgeNamespace }: TenantView, edge: string, signal: AbortSignal): Promise<EdgeLeases | string> {
  try {
    const order = { namespace: edgeNamespace, pod: `${edge}-0`, container: CONTAINER, command: [PROGRAM] as const };
    const { exitCode, stdout, stderr } = await exec(client.transport, order, signal);
    return exitCode === 0 ? readKea(edge, stdout) : stderr.trim() || `${PROGRAM} ended with ${exitCode}`;
  } catch (error) {
    if (isForbidden(error))
      throw new Failure(`you may not run commands in the pods of namespace ${edgeNamespace}: it takes the right to create pods/exec there`);
    if (isNotFound(error)) return 'it has no pod';
    if (error instanceof ApiError) return error.status.message ?? error.message;
    if (error instanceof NetworkError && error.sent) return error.message;
    throw error;
  }
}
