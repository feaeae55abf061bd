import { Command, Option } from 'commander';
import type { WireObject } from '../kube/object.ts';
import { type Cluster, type ClusterOptions, withCluster, withClusterOptions } from './cluster.ts';
import type { Outcome } from './exit-status.ts';
import { ANSWER } from './exit-status.ts';
import { findTenant, listTenants, readTenant } from './live-tenants.ts';
import { lookAround } from './look-around.ts';
import { Screen } from './screen.ts';
import { changes } from './status-changes.ts';
import { statusText, tenantsTable } from './status-text.ts';
import { SurroundingsWatch } from './surroundings-watch.ts';
import { type TenantObjects, type TenantView, tenantView } from './tenant-view.ts';
import { watchTenants } from './tenant-watch.ts';
import type { Terminal } from './terminal.ts';
import { toYaml } from './yaml-text.ts';

interface StatusOptions extends ClusterOptions {
  readonly allNamespaces?: boolean;
  readonly output: 'table' | 'json' | 'yaml';
  readonly watch?: boolean;
}

export const statusCommand = (terminal: Terminal, outcome: Outcome): Command =>
  withClusterOptions(
    new Command('status').description('How a tenant network fares, or all of them: what is proven, what is waited for, who is where.'),
  )
    .argument('[tenant]', 'a TenantNetwork, as name or namespace/name; all of the namespace when absent')
    .option('-A, --all-namespaces', 'those of every namespace')
    .addOption(new Option('-o, --output <format>', 'how to show it').choices(['table', 'json', 'yaml']).default('table'))
    .option('-w, --watch', 'go on and show every change: drawn again on a terminal, else one line each')
    .addHelpText(
      'after',
      `
Exit status:
  0  every tenant network that was asked for is Ready
  1  one of them is not
  2  it could not be asked: a wrong argument, no kubeconfig, no answer, no such tenant

Needs the right to get and list tenantnetworks. It shows more with the rights to list nodepools, to
list pods, to read pods/log and to create pods/exec in the namespace of the edge, and to list
virtualmachines, virtualmachineinstances and machines (cluster.x-k8s.io) in that of the control
plane; what may not be seen is told and left out. The probes are what the prober saw last; verify
looks now. "reached" is as far as the gateways' logs go back. With --watch all that is asked of pods
is asked every 15 seconds, the rest is shown as it changes.

Examples:
  ${terminal.command} status -A
  ${terminal.command} status blue -n clusters              # one, with the drawing of its segment
  ${terminal.command} status clusters/blue --watch
  ${terminal.command} status clusters/blue -o json | jq '.edges[] | select(.holdsVip).node'`,
    )
    .action(async (tenant: string | undefined, options: StatusOptions) => {
      const signal = terminal.gone ?? new AbortController().signal;
      await withCluster(options, signal, async (cluster) => {
        if (options.watch) await watch(cluster, tenant, options, terminal, signal);
        else outcome.status = await once(cluster, tenant, options, terminal, signal);
      });
    });

async function once(cluster: Cluster, name: string | undefined, options: StatusOptions, terminal: Terminal, signal: AbortSignal) {
  const namespace = options.allNamespaces ? undefined : cluster.namespace;
  const views =
    name === undefined
      ? (await listTenants(cluster, namespace, signal)).map((tenant) => tenantView({ tenant }))
      : [await one(cluster, await findTenant(cluster, name, signal), signal)];
  terminal.out(shown(views, name !== undefined, options, namespace, terminal));
  return views.every(({ ready }) => ready) ? ANSWER.yes : ANSWER.no;
}

async function one(cluster: Cluster, tenant: WireObject, signal: AbortSignal): Promise<TenantView> {
  const [read, around] = await Promise.all([readTenant(cluster, tenant, signal), lookAround(cluster, tenant, signal)]);
  return tenantView({ ...read, around });
}

/** Until it is interrupted. */
async function watch(
  cluster: Cluster,
  name: string | undefined,
  options: StatusOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const tenant = name === undefined ? undefined : await findTenant(cluster, name, signal);
  const namespace = tenant?.metadata.namespace ?? (options.allNamespaces ? undefined : cluster.namespace);
  const screen = terminal.screen === undefined || options.output !== 'table' ? undefined : new Screen(terminal.out, terminal.screen);
  let before: readonly TenantView[] = [];
  const show = (views: readonly TenantView[]): void => {
    if (screen !== undefined)
      screen.draw(
        shown(views, tenant !== undefined, options, namespace, terminal)
          .trimEnd()
          .split('\n'),
      );
    else if (options.output === 'json') terminal.out(`${JSON.stringify(tenant === undefined ? views : (views[0] ?? null))}\n`);
    else if (options.output === 'yaml') terminal.out(`---\n${shown(views, tenant !== undefined, options, namespace, terminal)}`);
    else terminal.out(changeLines(before, views));
    before = views;
  };
  if (tenant === undefined) return watchTenants(cluster, { namespace }, (seen) => show(seen.map((each) => tenantView(each))), signal);
  let latest: readonly TenantObjects[] | undefined;
  const around = new SurroundingsWatch(cluster, tenant);
  // Whoever was asked may answer before there is a picture to add it to.
  const draw = () => latest && show(latest.map((each) => tenantView({ ...each, around: around.latest })));
  const followed = watchTenants(
    cluster,
    { tenant, namespace },
    (seen) => {
      latest = seen;
      draw();
    },
    signal,
  );
  await Promise.all([followed, around.run(draw, signal)]);
}

function changeLines(before: readonly TenantView[], after: readonly TenantView[]): string {
  const at = new Date().toISOString();
  const lines = after.flatMap((view) =>
    changes(
      before.find(({ tenant }) => tenant === view.tenant),
      view,
    ).map((line) => `${at}  ${view.tenant}  ${line}\n`),
  );
  const gone = before
    .filter(({ tenant }) => !after.some((view) => view.tenant === tenant))
    .map(({ tenant }) => `${at}  ${tenant}  is gone\n`);
  return [...lines, ...gone].join('');
}

/** One tenant is an object, several are a list, also when there is only one of them. */
function shown(
  views: readonly TenantView[],
  single: boolean,
  { output }: StatusOptions,
  namespace: string | undefined,
  { theme }: Terminal,
): string {
  const data = single ? views[0] : views;
  if (output === 'json') return `${JSON.stringify(data, null, 2)}\n`;
  if (output === 'yaml') return toYaml(data);
  if (views.length === 0)
    return namespace === undefined
      ? 'there is no tenant network\n'
      : `there is no tenant network in namespace ${namespace} (-A looks everywhere)\n`;
  const lines = single ? views.flatMap((view) => statusText(view, Date.now(), theme)) : tenantsTable(views, Date.now(), theme);
  return `${lines.join('\n')}\n`;
}
