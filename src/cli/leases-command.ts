import { Command, Option } from 'commander';
import { ApiError, isForbidden, isNotFound, NetworkError } from '../kube/errors.ts';
import { exec } from '../kube/exec.ts';
import type { WireObject } from '../kube/object.ts';
import { type Cluster, type ClusterOptions, withCluster, withClusterOptions } from './cluster.ts';
import { ANSWER, type Outcome } from './exit-status.ts';
import { Failure } from './failure.ts';
import { type EdgeLeases, readKea } from './kea-leases.ts';
import { type LeasesView, leasesView } from './lease-view.ts';
import { leasesText } from './leases-text.ts';
import { findTenant, listTenants } from './live-tenants.ts';
import { type TenantView, tenantView } from './tenant-view.ts';
import type { Terminal } from './terminal.ts';
import { toYaml } from './yaml-text.ts';

interface LeasesOptions extends ClusterOptions {
  readonly allNamespaces?: boolean;
  readonly output: 'table' | 'json' | 'yaml';
}

const CONTAINER = 'dhcp';
const PROGRAM = '/usr/libexec/hcpio/leases';

export const leasesCommand = (terminal: Terminal, outcome: Outcome): Command =>
  withClusterOptions(new Command('leases').description('The DHCP leases of a tenant with the names of its VMs, as both edges know them.'))
    .argument('[tenant]', 'a TenantNetwork, as name or namespace/name; all of the namespace when absent')
    .option('-A, --all-namespaces', 'those of every namespace')
    .addOption(new Option('-o, --output <format>', 'how to show them').choices(['table', 'json', 'yaml']).default('table'))
    .addHelpText(
      'after',
      `
Both edges are asked, each by a small program in its container ${CONTAINER}, so this needs the right to
create (and before Kubernetes 1.35 also to get) pods/exec in the namespace of the edge. A renewal
between the two answers can look like a difference: ask again.

Exit status:
  0  the edges agree on every lease
  1  they do not, or one of them could not be asked
  2  none could be asked: a wrong argument, no kubeconfig, no answer, no such tenant

Examples:
  ${terminal.command} leases blue -n clusters
  ${terminal.command} leases clusters/blue -o json | jq -r '.leases[] | [.address, .machine] | @tsv'`,
    )
    .action(async (name: string | undefined, options: LeasesOptions) => {
      const { signal } = new AbortController();
      await withCluster(options, signal, async (cluster) => {
        const namespace = options.allNamespaces ? undefined : cluster.namespace;
        const tenants = name === undefined ? await listTenants(cluster, namespace, signal) : [await findTenant(cluster, name, signal)];
        const views: LeasesView[] = [];
        for (const tenant of tenants) views.push(await leasesOf(cluster, tenant, signal));
        terminal.out(shown(views, name !== undefined, options, terminal));
        outcome.status = views.every(({ agree }) => agree === true) ? ANSWER.yes : ANSWER.no;
      });
    });

async function leasesOf(cluster: Cluster, tenant: WireObject, signal: AbortSignal): Promise<LeasesView> {
  const view = tenantView({ tenant });
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

function shown(views: readonly LeasesView[], single: boolean, { output }: LeasesOptions, { theme }: Terminal): string {
  const data = single ? views[0] : views;
  if (output === 'json') return `${JSON.stringify(data, null, 2)}\n`;
  if (output === 'yaml') return toYaml(data);
  if (views.length === 0) return 'there is no tenant network here (-A looks everywhere)\n';
  return `${views.map((view) => leasesText(view, Date.now(), theme).join('\n')).join('\n\n')}\n`;
}
