/** What the live commands share: how a cluster is named on the command line, and what is said when it does not answer. */
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { Client } from '../kube/client.ts';
import { systemClock } from '../kube/clock.ts';
import { connect } from '../kube/connect.ts';
import { ApiError, ConfigError, NetworkError } from '../kube/errors.ts';
import { systemCommand } from '../kube/exec-credential.ts';
import { silentLogger } from '../kube/telemetry.ts';
import { Transport } from '../kube/transport.ts';
import { Failure } from './failure.ts';
import { printable } from './layout.ts';
import { VERSION } from './version.ts';

export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

export interface Cluster {
  readonly client: Client;
  /** Where to look when no namespace was named. */
  readonly namespace: string;
}

export const withClusterOptions = (command: Command): Command =>
  command
    .option('-n, --namespace <name>', "where the tenant is; the context's own namespace when absent")
    .option('--kubeconfig <file>', 'instead of $KUBECONFIG or ~/.kube/config')
    .option('--context <name>', 'a context of the kubeconfig, instead of the current one');

/** A person waits: two tries more, and no minutes of silence. */
const RETRY = { maxRetries: 2, initialMs: 200, maxMs: 1000 };
const TIMEOUT_MS = 15_000;

/** Works with the cluster that the options name. What goes wrong on the way is told as one line that says what to do. */
export async function withCluster<T>(options: ClusterOptions, signal: AbortSignal, work: (cluster: Cluster) => Promise<T>): Promise<T> {
  let where = 'the API server';
  let transport: Transport | undefined;
  try {
    const { connection, namespace, context } = await connect(
      {
        ...(options.kubeconfig === undefined ? {} : { kubeconfig: options.kubeconfig }),
        ...(options.context === undefined ? {} : { context: options.context }),
        env: process.env,
        readFile: (path, stop) => readFile(path, { encoding: 'utf8', signal: stop }),
        runCommand: systemCommand(process.env),
        clock: systemClock,
        log: silentLogger,
      },
      signal,
    );
    where = `the API server ${connection.server.origin}${context === undefined ? '' : ` of context ${context}`}`;
    transport = new Transport({ connection, userAgent: `hcpio/${VERSION}`, retry: RETRY, timeoutMs: TIMEOUT_MS });
    return await work({ client: new Client(transport), namespace: options.namespace ?? namespace });
  } catch (error) {
    throw explained(error, where);
  } finally {
    transport?.close();
  }
}

function explained(error: unknown, where: string): unknown {
  if (error instanceof ConfigError) return new Failure(`${error.message}; name a file with --kubeconfig or $KUBECONFIG`);
  if (error instanceof NetworkError && /CERT|SIGNATURE|ALTNAME/.test(error.code))
    return new Failure(`${where} shows a certificate that the kubeconfig does not trust (${error.code}): is it the right cluster?`);
  if (error instanceof NetworkError) return new Failure(`${where} does not answer (${error.code}): is it up, and is it the right one?`);
  if (!(error instanceof ApiError)) return error;
  if (error.code === 401) return new Failure(`${where} does not accept the credentials of the kubeconfig: log in again`);
  return new Failure(`${where} answers ${error.code}: ${printable(error.status.message ?? error.reason)}`);
}
