/** What tests against a real API server share: our client for it, and an independent one that knows nothing of ours. */
import { readFile } from 'node:fs/promises';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { type ControlPlane, startControlPlane } from '../../../tools/testing/control-plane.ts';
import { Applier } from '../apply.ts';
import { Client } from '../client.ts';
import { systemClock } from '../clock.ts';
import type { Connection } from '../connection.ts';
import { Discovery } from '../discovery.ts';
import { systemCommand } from '../exec-credential.ts';
import { loadKubeconfig } from '../kubeconfig.ts';
import { silentLogger } from '../telemetry.ts';
import { Transport, type TransportOptions } from '../transport.ts';
import { RecordedMetrics } from './telemetry-recorder.ts';

export const never = new AbortController().signal;

export interface RealServer {
  readonly hub: ControlPlane;
  readonly connection: Connection;
  /** A client of our own making, with its metrics; closed with the server. */
  client(options?: Partial<TransportOptions>): RealClient;
  /** The official client, as a witness. */
  readonly witness: CoreV1Api;
  stop(): Promise<void>;
}

export interface RealClient {
  readonly transport: Transport;
  readonly client: Client;
  readonly discovery: Discovery;
  readonly applier: Applier;
  readonly metrics: RecordedMetrics;
  /** Requests with this method and code so far. */
  readonly requests: (method: string, code: string) => number;
}

export async function startRealServer(...apiserverArgs: readonly string[]): Promise<RealServer> {
  const hub = await startControlPlane({ apiserverArgs });
  const { connection } = await loadKubeconfig(
    {
      paths: [hub.kubeconfigPath],
      readFile: (path, signal) => readFile(path, { encoding: 'utf8', signal }),
      runCommand: systemCommand({}),
      clock: systemClock,
      log: silentLogger,
    },
    never,
  );
  const config = new KubeConfig();
  config.loadFromFile(hub.kubeconfigPath);
  const transports: Transport[] = [];
  return {
    hub,
    connection,
    witness: config.makeApiClient(CoreV1Api),
    client(options = {}) {
      const metrics = new RecordedMetrics();
      const transport = new Transport({ connection, userAgent: 'kube-runtime-test', metrics, ...options });
      transports.push(transport);
      const discovery = new Discovery(transport);
      const host = (options.connection ?? connection).server.host;
      return {
        transport,
        client: new Client(transport),
        discovery,
        applier: new Applier(transport, discovery, 'tester'),
        metrics,
        requests: (method, code) => metrics.value('rest_client_requests_total', { code, method, host }) ?? 0,
      };
    },
    async stop() {
      for (const transport of transports) transport.close();
      await hub.stop();
    },
  };
}

/** The connection of somebody else: what the administrator may do is not what they may do. */
export function actingAs(connection: Connection, user: string): Connection {
  return {
    server: connection.server,
    invalidate: () => connection.invalidate(),
    async credentials(signal) {
      const { headers, tls } = await connection.credentials(signal);
      return { headers: { ...headers, 'impersonate-user': user }, tls };
    },
  };
}

/** The same server, through another port of this machine. */
export function through(connection: Connection, port: number): Connection {
  return {
    server: new URL(`https://127.0.0.1:${port}`),
    invalidate: () => connection.invalidate(),
    credentials: (signal) => connection.credentials(signal),
  };
}
