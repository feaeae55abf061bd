/** Finds the API server as controller-runtime does: what was asked for, $KUBECONFIG, the pod we are in, the home directory. */
import type { Connection } from './connection.ts';
import type { RunCommand } from './exec-credential.ts';
import { type InClusterOptions, inClusterConnection, inClusterNamespace } from './in-cluster.ts';

export interface ConnectOptions extends InClusterOptions {
  readonly runCommand: RunCommand;
  /** A file, instead of where kubectl looks. */
  readonly kubeconfig?: string;
  /** A context of it, instead of the current one. */
  readonly context?: string;
}

export interface Connected {
  readonly connection: Connection;
  /** Where things go that name no namespace. */
  readonly namespace: string;
  /** Undefined in a pod. */
  readonly context?: string;
}

export async function connect(options: ConnectOptions, signal: AbortSignal): Promise<Connected> {
  const { env, kubeconfig, context } = options;
  const asked = kubeconfig !== undefined || context !== undefined || Boolean(env['KUBECONFIG']);
  if (!asked && env['KUBERNETES_SERVICE_HOST']) {
    return { connection: inClusterConnection(options), namespace: (await inClusterNamespace(options, signal)) ?? 'default' };
  }
  // Only here: the YAML parser is 14 MB that a process in a pod never needs.
  const { kubeconfigPaths, loadKubeconfig } = await import('./kubeconfig.ts');
  return loadKubeconfig({ ...options, paths: kubeconfig === undefined ? kubeconfigPaths(env) : [kubeconfig] }, signal);
}
