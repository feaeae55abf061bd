/** The operator as a process: flags and files in, logs out, signals heeded. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { pino } from 'pino';
import { Client } from '../kube/client.ts';
import { systemClock } from '../kube/clock.ts';
import type { Connection, ReadFile } from '../kube/connection.ts';
import { ConfigError, LeadershipLost } from '../kube/errors.ts';
import { inClusterConnection, inClusterNamespace } from '../kube/in-cluster.ts';
import type { Runnable } from '../kube/manager.ts';
import type { Logger } from '../kube/telemetry.ts';
import { Transport } from '../kube/transport.ts';
import { type Meters, meters } from './metrics.ts';
import { createOperator, type Operator } from './operator.ts';
import { type Options, readOptions, usage } from './options.ts';
import { askGuard, askProber, askProberToLook } from './segment/ask-prober.ts';
import type { Answer, Serving } from './serving/health.ts';
import { httpServer, type Reply } from './serving/http.ts';
import { openWebhooks } from './webhook/open.ts';
import type { Webhooks } from './webhook/webhooks.ts';

const LEASE_NAME = 'hcpio-operator';
const DEFAULT_NAMESPACE = 'hcpio-system';

const readText: ReadFile = (path, signal) => readFile(path, { encoding: 'utf8', signal });

async function main(args: readonly string[], stop: AbortSignal): Promise<void> {
  const options = readOptions(args, process.env);
  if (options.help) {
    process.stdout.write(usage());
    return;
  }
  const log = pino({ level: options.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime });
  const meter = meters();
  const files = { env: process.env, readFile: readText, clock: systemClock, log };
  const connection = await connect(options, files, stop);
  const { rate } = options;
  const transport = new Transport({ connection, userAgent: 'hcpio-operator', log, metrics: meter, ...(rate ? { rate } : {}) });
  const namespace = options.leaseNamespace ?? (await inClusterNamespace(files, stop)) ?? DEFAULT_NAMESPACE;
  const instance = `${hostname()}_${randomBytes(4).toString('hex')}`;
  const operator = await createOperator(
    {
      ...options,
      edge: { ...options.edge, operatorNamespace: namespace },
      askProber,
      askProberToLook,
      askGuard,
      transport,
      clock: systemClock,
      random: Math.random,
      instance,
      lease: options.leaseTiming && { namespace, name: LEASE_NAME, timing: options.leaseTiming },
      meters: meter,
      collectGarbage: globalThis.gc && collectGarbage,
      log,
    },
    stop,
  );
  log.info({ instance, server: connection.server.href }, 'starting');
  const webhooks = webhooksOf(options, namespace, operator, transport, meter, log);
  const serving = (): Serving => (webhooks === undefined ? 'off' : webhooks.port === undefined ? 'waiting' : 'serving');
  const beside = [...servers(options, operator, serving, meter, log), ...(webhooks ? [webhooks] : [])];
  await operator.run(beside, stop);
  transport.close();
  log.info({}, 'stopped');
}

/** Twice: what is compiled and was not used between two collections goes with the second (`--bytecode-old-age`). */
function collectGarbage(): void {
  // The last resort is the one that also gives the pages back.
  for (let times = 0; times < 2; times += 1) globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** A pod has a service account; a person has a kubeconfig. Whoever names a file means it. */
async function connect(options: Options, files: Files, signal: AbortSignal): Promise<Connection> {
  if (options.kubeconfig === undefined && files.env['KUBERNETES_SERVICE_HOST']) return inClusterConnection(files);
  // Not at the top: the YAML parser weighs more than the rest of the client, and a pod never needs it.
  const [{ kubeconfigPaths, loadKubeconfig }, { systemCommand }] = await Promise.all([
    import('../kube/kubeconfig.ts'),
    import('../kube/exec-credential.ts'),
  ]);
  const paths = options.kubeconfig === undefined ? kubeconfigPaths(files.env) : [options.kubeconfig];
  const { connection } = await loadKubeconfig(
    { ...files, paths, runCommand: systemCommand(files.env), ...(options.context ? { context: options.context } : {}) },
    signal,
  );
  return connection;
}

interface Files {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: ReadFile;
  readonly clock: typeof systemClock;
  readonly log: Logger;
}

function servers(
  { metrics, health }: Options,
  operator: Operator,
  serving: () => Serving,
  meter: Meters,
  log: Logger,
): readonly Runnable[] {
  const said = ({ ok, text }: Answer): Reply => ({ code: ok ? 200 : 503, body: `${text}\n` });
  return [
    ...(metrics
      ? [
          httpServer(
            'metrics',
            metrics,
            { '/metrics': async () => ({ code: 200, contentType: meter.contentType, body: await meter.text() }) },
            log,
          ),
        ]
      : []),
    ...(health
      ? [httpServer('health', health, { '/healthz': () => said(operator.alive()), '/readyz': () => said(operator.ready(serving())) }, log)]
      : []),
  ];
}

/** A rehearsal answers nobody: making a certificate is a write, and so is what the answers lead to. */
function webhooksOf(
  options: Options,
  namespace: string,
  { world }: Operator,
  transport: Transport,
  meter: Meters,
  log: Logger,
): Webhooks | undefined {
  if (options.webhooks === undefined || options.dryRun) return undefined;
  const { listen, certificateDirectory } = options.webhooks;
  const client = new Client(transport);
  return openWebhooks({
    world,
    client,
    namespace,
    certificateDirectory,
    readFile: readText,
    clock: systemClock,
    log,
    metrics: meter.webhooks,
    serve: listen,
  });
}

const stop = new AbortController();
// Once: a second signal is for those who do not want to wait, and ends the process as usual.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort(new Error(signal)));

main(process.argv.slice(2), stop.signal).catch((error: unknown) => {
  if (stop.signal.aborted) return;
  const known = error instanceof ConfigError || error instanceof LeadershipLost;
  process.stderr.write(`${known ? (error as Error).message : ((error as Error).stack ?? String(error))}\n`);
  // At once: whoever may no longer write must not go on running for the sake of an open connection.
  process.exit(error instanceof ConfigError ? 2 : 1);
});
