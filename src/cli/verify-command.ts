import { readFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { configMapName } from '../gateway/config-maps.ts';
import { PROBES_FILE } from '../gateway/probes.ts';
import type { WireObject } from '../kube/object.ts';
import { CONFIG_MAP } from '../operator/resources.ts';
import { look } from '../prober/look.ts';
import { isProven, type ProbeReport } from '../probes/report.ts';
import { type Cluster, type ClusterOptions, withCluster, withClusterOptions } from './cluster.ts';
import { ANSWER, type Outcome } from './exit-status.ts';
import { Failure } from './failure.ts';
import { edgeNamespaceOf, fromSegment, type Look, notYet } from './live-probes.ts';
import { findTenant, listTenants } from './live-tenants.ts';
import type { Terminal } from './terminal.ts';
import { verifyText } from './verify-text.ts';
import { toYaml } from './yaml-text.ts';

interface VerifyOptions extends ClusterOptions {
  readonly allNamespaces?: boolean;
  readonly output: 'table' | 'json' | 'yaml';
  readonly here?: string;
  readonly list?: boolean;
}

interface Verified extends Pick<Look, 'from'> {
  readonly report: ProbeReport;
}

export const verifyCommand = (terminal: Terminal, outcome: Outcome): Command =>
  withClusterOptions(
    new Command('verify').description(
      "Look at a tenant's segment from the segment, now: DHCP, DNS and every endpoint, as a worker would see them.",
    ),
  )
    .argument('[tenant]', 'a TenantNetwork, as name or namespace/name; all of the namespace when absent')
    .option('-A, --all-namespaces', 'those of every namespace')
    .addOption(new Option('-o, --output <format>', 'how to show it').choices(['table', 'json', 'yaml']).default('table'))
    .option('--list', 'print what would be looked at, for --here, and look at nothing')
    .option('--here <file>', 'look from this machine, which has to be on the segment, at what the file says; no cluster is asked')
    .addHelpText('after', help(terminal.command))
    .action(async (name: string | undefined, options: VerifyOptions) => {
      const { signal } = new AbortController();
      const tell = (verified: readonly Verified[], single: boolean) => {
        terminal.out(shown(verified, single, options, terminal));
        outcome.status = verified.length > 0 && verified.every(({ report }) => isProven(report)) ? ANSWER.yes : ANSWER.no;
      };
      if (options.here !== undefined) return tell([await fromHere(options.here)], true);
      return withCluster(options, signal, async (cluster) => {
        const namespace = options.allNamespaces ? undefined : cluster.namespace;
        const tenants = name === undefined ? await listTenants(cluster, namespace, signal) : [await findTenant(cluster, name, signal)];
        if (options.list) {
          for (const tenant of tenants) terminal.out(await listOf(cluster, tenant, signal));
          return;
        }
        const verified: Verified[] = [];
        for (const tenant of tenants) verified.push(await fromSegment(cluster, tenant, 'report', signal));
        tell(verified, name !== undefined);
      });
    });

const help = (command: string): string => `
The prober of the tenant takes a fresh look, which takes some seconds, and is asked for it by a
command in its pod: this needs the right to create (and before Kubernetes 1.35 also get) pods/exec
in the namespace of the edge. Nothing is changed on the hub or on the segment: an address is asked
for and not taken.

Exit status:
  0  everything is as planned
  1  something is not
  2  nobody could look: a wrong argument, no kubeconfig, no answer, no such tenant

Examples:
  ${command} verify blue -n clusters
  ${command} verify -A -o json | jq -r '.[].report.results[] | select(.verdict == "failed") | .message'
  ${command} verify blue -n clusters --list > probes.json    # then, on a worker of that tenant:
  ${command} verify --here probes.json`;

async function fromHere(path: string): Promise<Verified> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new Failure(`cannot read ${path}: ${error.message}`);
  });
  try {
    return { from: 'this machine', report: await look(text) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw new Failure(`${path} is no list of probes; write one with verify TENANT --list`);
    throw error;
  }
}

async function listOf({ client }: Cluster, tenant: WireObject, signal: AbortSignal): Promise<string> {
  const named = { namespace: edgeNamespaceOf(tenant), name: configMapName('prober', 'probes') };
  const map = await client.find<WireObject>(CONFIG_MAP, named, signal);
  const text = (map?.['data'] as Readonly<Record<string, string>> | undefined)?.[PROBES_FILE];
  if (text === undefined) throw new Failure(`${notYet(tenant)}: there is no ConfigMap ${named.namespace}/${named.name}`);
  return text;
}

function shown(verified: readonly Verified[], single: boolean, { output }: VerifyOptions, { theme }: Terminal): string {
  const data = single ? verified[0] : verified;
  if (output === 'json') return `${JSON.stringify(data, null, 2)}\n`;
  if (output === 'yaml') return toYaml(data);
  if (verified.length === 0) return 'there is no tenant network here (-A looks everywhere)\n';
  return `${verified.map(({ report, from }) => verifyText(report, from, theme).join('\n')).join('\n\n')}\n`;
}
