import { Command, InvalidArgumentError, Option } from 'commander';
import { type Cluster, type ClusterOptions, withCluster, withClusterOptions } from './cluster.ts';
import { PROBER } from './connection-names.ts';
import { type Connection, connectionOf, onceEach } from './connection-view.ts';
import { connectionTable } from './connections-text.ts';
import { ANSWER, type Outcome } from './exit-status.ts';
import { Failure } from './failure.ts';
import { followGateway, type GatewayLog, readGateway } from './gateway-log.ts';
import { plural } from './layout.ts';
import { findTenant } from './live-tenants.ts';
import { MachineNames } from './machine-names.ts';
import { type TenantView, tenantView } from './tenant-view.ts';
import type { Terminal } from './terminal.ts';

interface ConnectionsOptions extends ClusterOptions {
  readonly follow?: boolean;
  readonly since?: number;
  readonly tail?: number;
  readonly machine?: string;
  readonly all?: boolean;
  readonly output: 'table' | 'json';
}

export const connectionsCommand = (terminal: Terminal, outcome: Outcome): Command =>
  withClusterOptions(
    new Command('connections').description(
      'Who dialled what through the gateway: the access log of both edges, with the names of the VMs.',
    ),
  )
    .argument('<tenant>', 'a TenantNetwork, as name or namespace/name')
    .option('-f, --follow', 'go on with what is dialled from now on: a line when a connection is made, and one when it ends')
    .option('--since <duration>', 'only what was logged in the last so many seconds, minutes or hours: 90s, 10m, 2h', secondsOf)
    .option('--tail <count>', 'only the last so many connections', countOf)
    .option('--machine <name>', 'only those of this VM')
    .option('--all', 'those of the prober, too, which looks at every service every 30 s')
    .addOption(new Option('-o, --output <format>', 'a table, or one JSON object per line').choices(['table', 'json']).default('table'))
    .addHelpText('after', help(terminal.command))
    .action(async (name: string, options: ConnectionsOptions) => {
      const signal = terminal.gone ?? new AbortController().signal;
      await withCluster(options, signal, async (cluster) => {
        outcome.status = await show(cluster, name, options, terminal, signal);
      });
    });

const help = (command: string): string => `
The API server sees the address of the edge only; this is how one finds the worker behind a
connection. A connection is shown once: as it ended, or as "open". SENT and RECEIVED are the VM's. A
gateway writes every 10 seconds, so the newest come late. The nodes keep these logs as they keep
those of other pods, about 10 MiB per container, and they go with the pod: collect them if you have
to keep them.

The name is that of the machine that has the address and had it then; - where no machine is known
that had. The JSON is the line of the gateway with "edge" and "machine" before it; "seenAs" is what
the control plane's own audit log has as sourceIPs.

Needs the right to get tenantnetworks, to get pods/log in the namespace of the edge, and, so that no
machine is named that is younger than the connection, to list virtualmachines in that of the control
plane.

Exit status:
  0  the logs of all edges were read
  1  one of them could not be
  2  none could be: a wrong argument, no kubeconfig, no answer, no such tenant, no right

Examples:
  ${command} connections blue -n clusters --since 10m
  ${command} connections clusters/blue --machine blue-7adb1-p2sq7 --follow
  ${command} connections clusters/blue -o json | jq -r 'select(.seenAs == "10.128.0.7:16488").machine'`;

async function show(cluster: Cluster, name: string, options: ConnectionsOptions, terminal: Terminal, signal: AbortSignal) {
  const tenant = await findTenant(cluster, name, signal);
  const view = tenantView({ tenant });
  if (view.edges.length === 0) throw new Failure(`${view.tenant} has no edges yet; ${terminal.command} status says what it waits for`);
  const note = (text: string): void => terminal.err(`${terminal.command}: ${text}\n`);
  const names = await MachineNames.read(cluster, tenant, note, signal);
  const part = options.since === undefined ? {} : { sinceSeconds: options.since };
  const logs = await Promise.all(
    view.edges.map(({ name: edge }) => readGateway(cluster, { namespace: view.edgeNamespace, edge }, part, signal)),
  );
  const unread = logs.filter(({ problem }) => problem !== undefined);
  const told = unread.map(({ edge, problem }) => `the log of ${edge} could not be read: ${problem}`);
  if (unread.length === logs.length && !options.follow) throw new Failure(told.join('; '));
  for (const text of told) note(text);

  const print = printer(view, options, terminal);
  const wanted = ({ machine }: Connection): boolean =>
    options.machine === undefined ? options.all === true || machine !== PROBER : machine === options.machine;
  const all = onceEach(logs.flatMap(({ edge, lines }) => lines.flatMap(({ text }) => connectionOf(edge, text, names.of) ?? [])));
  const found = all.filter(wanted);
  for (const connection of options.tail === undefined ? found : found.slice(-options.tail)) print(connection);
  if (options.follow) await follow(cluster, view, logs, names, (connection) => wanted(connection) && print(connection), signal);
  else if (found.length === 0) note(nothing(view, all.length, options));
  return unread.length === 0 ? ANSWER.yes : ANSWER.no;
}

async function follow(
  cluster: Cluster,
  { edgeNamespace: namespace }: TenantView,
  logs: readonly GatewayLog[],
  names: MachineNames,
  show: (connection: Connection) => void,
  signal: AbortSignal,
): Promise<void> {
  const ended = Promise.all(
    logs.map(async ({ edge, lines }) => {
      for await (const { text } of followGateway(cluster, { namespace, edge }, lines.at(-1)?.at, signal)) {
        const connection = connectionOf(edge, text, names.of);
        if (connection === undefined) continue;
        // A machine that has come since we began is not known yet.
        if (connection.machine === null) await names.renew(signal);
        show(connectionOf(edge, text, names.of) ?? connection);
      }
    }),
  );
  // Whoever read it has gone; that is the ordinary end.
  await ended.catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

function printer(view: TenantView, { output }: ConnectionsOptions, { out, theme }: Terminal): (connection: Connection) => void {
  if (output === 'json') return (connection) => out(`${JSON.stringify(connection)}\n`);
  const { head, row } = connectionTable(view, theme);
  let begun = false;
  return (connection) => {
    if (!begun) out(`${head}\n`);
    begun = true;
    out(`${row(connection)}\n`);
  };
}

function nothing({ machines }: TenantView, others: number, { machine, since }: ConnectionsOptions): string {
  const unknown = machine !== undefined && !machines.some((each) => each.machine === machine);
  if (unknown) return `there is no machine ${machine}; there are ${machines.map((each) => each.machine).join(', ') || 'none'}`;
  const when = since === undefined ? '' : ` in the last ${plural(since, 'second')}`;
  return `no ${machine === undefined ? 'VM' : 'connection'} is in the logs${when}${others === 0 ? '' : `; ${plural(others, 'connection')} of others`}`;
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

function secondsOf(text: string): number {
  const [, count, unit = 's'] = /^(\d+)([smhd]?)$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('not a duration such as 90s, 10m or 2h');
  return Number(count) * (UNITS[unit || 's'] ?? 1);
}

function countOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('not a number');
  return Number(text);
}
