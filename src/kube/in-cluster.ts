/** The connection of a pod: the service account's files, which kubelet rotates, and two environment variables. */
import type { Clock } from './clock.ts';
import type { Connection, Credentials, ReadFile } from './connection.ts';
import { ConfigError } from './errors.ts';
import { Refreshed } from './refreshed.ts';
import type { Logger } from './telemetry.ts';

export const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

/** client-go's period. Kubelet renews a token at 80 % of its life, so a minute of lag is far from the end of any token. */
const RE_READ_MS = 60_000;

export interface InClusterOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: ReadFile;
  readonly clock: Clock;
  readonly log: Logger;
  readonly directory?: string;
}

export function inClusterConnection(options: InClusterOptions): Connection {
  const host = options.env['KUBERNETES_SERVICE_HOST'];
  const port = options.env['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) {
    throw new ConfigError('not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  }
  const directory = options.directory ?? SERVICE_ACCOUNT_DIR;
  const source = new Refreshed<Credentials>({
    clock: options.clock,
    freshForMs: () => RE_READ_MS,
    onStale: (error) => options.log.warn({ err: error }, 'service account files could not be read again; the old ones stay in use'),
    async load(signal) {
      const [token, ca] = await Promise.all([
        options.readFile(`${directory}/token`, signal),
        options.readFile(`${directory}/ca.crt`, signal),
      ]);
      if (token.trim() === '') throw new ConfigError(`${directory}/token is empty`);
      return { headers: { authorization: `Bearer ${token.trim()}` }, tls: { ca } };
    },
  });
  return {
    server: new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`),
    credentials: (signal) => source.get(signal),
    invalidate: () => source.invalidate(),
  };
}

/** The namespace this pod runs in, or undefined outside a cluster. */
export async function inClusterNamespace(options: InClusterOptions, signal: AbortSignal): Promise<string | undefined> {
  return options.readFile(`${options.directory ?? SERVICE_ACCOUNT_DIR}/namespace`, signal).then(
    (text) => text.trim() || undefined,
    () => undefined,
  );
}
