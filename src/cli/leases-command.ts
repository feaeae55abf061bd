import { Command, Option } from 'commander';
import { type ClusterOptions, withCluster, withClusterOptions } from './cluster.ts';
import { ANSWER, type Outcome } from './exit-status.ts';
import type { LeasesView } from './lease-view.ts';
import { leasesText } from './leases-text.ts';
import { CONTAINER, leasesOf } from './live-leases.ts';
import { findTenant, listTenants } from './live-tenants.ts';
import { tenantView } from './tenant-view.ts';
import type { Terminal } from './terminal.ts';
import { toYaml } from './yaml-text.ts';

interface LeasesOptions extends ClusterOptions {
  readonly allNamespaces?: boolean;
  readonly output: 'table' | 'json' | 'yaml';
}

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
        for (const tenant of tenants) views.push(await leasesOf(cluster, tenantView({ tenant }), signal));
        terminal.out(shown(views, name !== undefined, options, terminal));
        outcome.status = views.every(({ agree }) => agree === true) ? ANSWER.yes : ANSWER.no;
      });
    });

function shown(views: readonly LeasesView[], single: boolean, { output }: LeasesOptions, { theme }: Terminal): string {
  const data = single ? views[0] : views;
  if (output === 'json') return `${JSON.stringify(data, null, 2)}\n`;
  if (output === 'yaml') return toYaml(data);
  if (views.length === 0) return 'there is no tenant network here (-A looks everywhere)\n';
  return `${views.map((view) => leasesText(view, Date.now(), theme).join('\n')).join('\n\n')}\n`;
}
