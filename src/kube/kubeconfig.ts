/** The connection of a person or a tool: kubeconfig files, merged and resolved as kubectl does it. */
import { dirname, isAbsolute, join } from 'node:path';
import type { Clock } from './clock.ts';
import type { Connection, Credentials, Headers, ReadFile, TlsMaterial } from './connection.ts';
import { ConfigError, toError } from './errors.ts';
import { type ExecConfig, type ExecCredential, execCredential, type RunCommand, untilExpiry } from './exec-credential.ts';
import { Refreshed } from './refreshed.ts';
import type { Logger } from './telemetry.ts';

interface Cluster {
  readonly server?: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
  readonly 'proxy-url'?: string;
}

interface User {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly username?: string;
  readonly password?: string;
  readonly as?: string;
  readonly 'as-uid'?: string;
  readonly 'as-groups'?: readonly string[];
  readonly exec?: ExecConfig;
  readonly 'auth-provider'?: unknown;
}

interface Context {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

interface ConfigFile {
  readonly 'current-context'?: string;
  readonly clusters?: readonly { readonly name: string; readonly cluster?: Cluster }[];
  readonly users?: readonly { readonly name: string; readonly user?: User }[];
  readonly contexts?: readonly { readonly name: string; readonly context?: Context }[];
}

/** An entry and the directory its relative paths start from. */
interface Found<T> {
  readonly value: T;
  readonly directory: string;
}

export interface KubeconfigOptions {
  /** Earlier files win, as in $KUBECONFIG; files that do not exist are skipped as long as one does. */
  readonly paths: readonly string[];
  /** Instead of the file's current-context. */
  readonly context?: string;
  readonly readFile: ReadFile;
  readonly runCommand: RunCommand;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Kubeconfig {
  readonly context: string;
  readonly namespace: string;
  readonly connection: Connection;
}

const RE_READ_MS = 60_000;

export async function loadKubeconfig(options: KubeconfigOptions, signal: AbortSignal): Promise<Kubeconfig> {
  const files = await readFiles(options, signal);
  const contextName = options.context ?? files.map((file) => file.value['current-context']).find((name) => name);
  if (!contextName) throw new ConfigError(`no current-context in ${options.paths.join(', ')}: choose one with --context`);
  const context = find(files, 'context', contextName, (file) => file.contexts?.find((entry) => entry.name === contextName)?.context);
  const { cluster: clusterName = '', user: userName } = context.value;
  const cluster = find(files, 'cluster', clusterName, (file) => file.clusters?.find((entry) => entry.name === clusterName)?.cluster);
  const user = userName
    ? find(files, 'user', userName, (file) => file.users?.find((entry) => entry.name === userName)?.user)
    : { value: {}, directory: '' };
  if (user.value['auth-provider'] !== undefined) {
    throw new ConfigError(`user ${userName} has an auth-provider, which Kubernetes removed in 1.26: use its exec plugin`);
  }
  return { context: contextName, namespace: context.value.namespace ?? 'default', connection: connectionOf(cluster, user, options) };
}

/** Where kubectl looks: $KUBECONFIG (a list), else the file in the home directory. */
export function kubeconfigPaths(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const listed = (env['KUBECONFIG'] ?? '').split(':').filter((path) => path !== '');
  return listed.length > 0 ? listed : [join(env['HOME'] ?? '/', '.kube', 'config')];
}

async function readFiles(options: KubeconfigOptions, signal: AbortSignal): Promise<readonly Found<ConfigFile>[]> {
  const files: Found<ConfigFile>[] = [];
  const failures: string[] = [];
  for (const path of options.paths) {
    try {
      const text = await options.readFile(path, signal);
      files.push({ value: ((await parsed(text)) ?? {}) as ConfigFile, directory: dirname(path) });
    } catch (thrown) {
      const error = toError(thrown) as NodeJS.ErrnoException;
      if (error.code !== 'ENOENT') throw new ConfigError(`kubeconfig ${path}: ${error.message}`, { cause: error });
      failures.push(path);
    }
  }
  if (files.length === 0) throw new ConfigError(`no kubeconfig found: ${failures.join(', ')} does not exist`);
  return files;
}

/** Tools write kubeconfigs as JSON. The YAML parser weighs more than all of this, and is loaded for those that people write. */
async function parsed(text: string): Promise<unknown> {
  if (text.trimStart().startsWith('{')) {
    try {
      return JSON.parse(text);
    } catch {
      // YAML's flow style begins like that too.
    }
  }
  const { parse } = await import('yaml');
  return parse(text);
}

function find<T>(files: readonly Found<ConfigFile>[], what: string, name: string, pick: (file: ConfigFile) => T | undefined): Found<T> {
  for (const file of files) {
    const value = pick(file.value);
    if (value !== undefined && value !== null) return { value, directory: file.directory };
  }
  throw new ConfigError(`the kubeconfig has no ${what} named "${name}"`);
}

function connectionOf(cluster: Found<Cluster>, user: Found<User>, options: KubeconfigOptions): Connection {
  const { server, 'proxy-url': proxyUrl } = cluster.value;
  if (!server) throw new ConfigError('the cluster of the kubeconfig has no server');
  const exec = user.value.exec && execSource(user.value.exec, user.directory, options);
  const files = new Refreshed<Credentials>({
    clock: options.clock,
    freshForMs: () => (usesFiles(cluster.value, user.value) ? RE_READ_MS : Number.POSITIVE_INFINITY),
    onStale: (error) => options.log.warn({ err: error }, 'files of the kubeconfig could not be read again; the old ones stay in use'),
    load: async (signal) => ({
      headers: await userHeaders(user, options.readFile, signal),
      tls: await tlsOf(cluster, user, options.readFile, signal),
    }),
  });
  return {
    server: new URL(server),
    ...(proxyUrl ? { proxyUrl } : {}),
    async credentials(signal) {
      const base = await files.get(signal);
      const extra = await exec?.get(signal);
      const headers = extra?.token ? { ...base.headers, authorization: `Bearer ${extra.token}` } : base.headers;
      const { cert = extra?.clientCertificateData, key = extra?.clientKeyData, ...tls } = base.tls;
      return { headers, tls: { ...tls, ...(cert && key ? { cert, key } : {}) } };
    },
    invalidate() {
      files.invalidate();
      exec?.invalidate();
    },
  };
}

function execSource(config: ExecConfig, directory: string, options: KubeconfigOptions): Refreshed<ExecCredential> {
  return new Refreshed({
    clock: options.clock,
    freshForMs: (credential) => untilExpiry(credential, options.clock),
    onStale: (error) =>
      options.log.warn({ err: error, command: config.command }, 'the exec plugin failed; the old credential stays in use'),
    load: (signal) => execCredential(config, directory, options.runCommand, signal),
  });
}

function usesFiles(cluster: Cluster, user: User): boolean {
  return Boolean(cluster['certificate-authority'] || user.tokenFile || user['client-certificate'] || user['client-key']);
}

async function userHeaders({ value, directory }: Found<User>, readFile: ReadFile, signal: AbortSignal): Promise<Headers> {
  const headers: Record<string, string | readonly string[]> = {};
  const token = value.tokenFile ? (await readFile(resolve(directory, value.tokenFile), signal)).trim() : value.token;
  if (token) headers['authorization'] = `Bearer ${token}`;
  else if (value.username !== undefined) {
    headers['authorization'] = `Basic ${Buffer.from(`${value.username}:${value.password ?? ''}`).toString('base64')}`;
  }
  if (value.as) headers['impersonate-user'] = value.as;
  if (value['as-uid']) headers['impersonate-uid'] = value['as-uid'];
  if (value['as-groups']?.length) headers['impersonate-group'] = value['as-groups'];
  return headers;
}

async function tlsOf(cluster: Found<Cluster>, user: Found<User>, readFile: ReadFile, signal: AbortSignal): Promise<TlsMaterial> {
  const pem = async (data: string | undefined, path: string | undefined, directory: string) =>
    data ? Buffer.from(data, 'base64').toString('utf8') : path ? readFile(resolve(directory, path), signal) : undefined;
  const { value: c } = cluster;
  const { value: u } = user;
  const ca = await pem(c['certificate-authority-data'], c['certificate-authority'], cluster.directory);
  const cert = await pem(u['client-certificate-data'], u['client-certificate'], user.directory);
  const key = await pem(u['client-key-data'], u['client-key'], user.directory);
  return {
    ...(ca ? { ca } : {}),
    ...(cert && key ? { cert, key } : {}),
    ...(c['tls-server-name'] ? { servername: c['tls-server-name'] } : {}),
    ...(c['insecure-skip-tls-verify'] ? { insecureSkipVerify: true } : {}),
  };
}

function resolve(directory: string, path: string): string {
  return isAbsolute(path) ? path : join(directory, path);
}
