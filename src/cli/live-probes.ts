/** Asks the prober of a tenant what it sees from the segment. */
import { ApiError, isForbidden, isNotFound, NetworkError } from '../kube/errors.ts';
import { exec } from '../kube/exec.ts';
import type { WireObject } from '../kube/object.ts';
import { namespacesOf, tenantOf } from '../operator/world/tenant.ts';
import { readReport } from '../probes/read-report.ts';
import type { ServedReport } from '../probes/report.ts';
import type { Cluster } from './cluster.ts';
import { Failure } from './failure.ts';

const [POD, CONTAINER] = ['prober-0', 'prober'];
const PROGRAM = ['/usr/bin/node', '/opt/hcpio/prober.cjs'] as const;

export interface Look {
  readonly from: string;
  readonly report: ServedReport;
}

export const edgeNamespaceOf = (tenant: WireObject): string => namespacesOf(tenantOf(tenant)).edge;

/** `report`: it looks now, which takes some seconds. `last`: what it saw when it looked last. */
export async function fromSegment({ client }: Cluster, tenant: WireObject, wanted: 'report' | 'last', signal: AbortSignal): Promise<Look> {
  const namespace = edgeNamespaceOf(tenant);
  const said = await exec(client.transport, { namespace, pod: POD, container: CONTAINER, command: [...PROGRAM, wanted] }, signal).catch(
    (error: unknown) => {
      if (isForbidden(error))
        throw new Failure(`you may not run commands in the pods of namespace ${namespace}: it takes the right to create pods/exec there`);
      if (isNotFound(error)) throw new Failure(`${wanted === 'last' ? '' : `${notYet(tenant)}: `}there is no pod ${namespace}/${POD}`);
      if (error instanceof ApiError) throw new Failure(`pod ${namespace}/${POD} cannot be asked: ${error.status.message ?? error.message}`);
      if (error instanceof NetworkError && error.sent) throw new Failure(`pod ${namespace}/${POD} does not answer: ${error.message}`);
      throw error;
    },
  );
  const report = said.exitCode === 0 ? readReport(said.stdout) : undefined;
  if (report === undefined)
    throw new Failure(`pod ${namespace}/${POD} gives no report: ${said.stderr.trim() || said.stdout.trim().slice(0, 200)}`);
  return { from: `pod ${namespace}/${POD}`, report };
}

export const notYet = ({ metadata }: WireObject): string =>
  `nobody can look at the segment of ${metadata.namespace}/${metadata.name} yet; hcpio status says what is waited for`;
