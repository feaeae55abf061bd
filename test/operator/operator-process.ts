/** The operator as a process of its own: bundled as it is shipped, so that it can be killed and measured as it is run. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { answers } from '../../tools/testing/answers.ts';
import { Daemon } from '../../tools/testing/daemon.ts';
import { freePorts } from '../../tools/testing/ports.ts';
import { OPERATOR_USER } from './audit.ts';

/** As in the image: a small young generation is worth 30 MB, and costs nothing that can be measured here. */
export const NODE_FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=180'];

export interface OperatorProcess {
  readonly daemon: Daemon;
  readonly metricsUrl: string;
  readonly healthUrl: string;
  /** Resolves when it says that it is ready. */
  ready(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

export interface OperatorProcessOptions {
  /** A kubeconfig that leads to the API server, or to something in between. */
  readonly kubeconfig: string;
  readonly server?: string;
  readonly flags?: readonly string[];
  readonly nodeFlags?: readonly string[];
}

const ENTRY = join(import.meta.dirname, '../../src/operator/main.ts');
const NODE = join(import.meta.dirname, '../../node_modules/node/bin/node');

export async function bundleOperator(outfile: string): Promise<void> {
  await build({
    entryPoints: [ENTRY],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    // Not ESM: an import of node:http asks for all that it exports, WebSocket included, and so loads the whole of fetch.
    format: 'cjs',
    logLevel: 'error',
  });
}

export async function operatorProcess(options: OperatorProcessOptions): Promise<OperatorProcess> {
  const dir = mkdtempSync(join(tmpdir(), 'hcpio-operator-'));
  const bundle = join(dir, 'operator.cjs');
  await bundleOperator(bundle);
  const [metrics = 0, health = 0] = await freePorts(2);
  const kubeconfig = join(dir, 'kubeconfig');
  writeFileSync(
    kubeconfig,
    JSON.stringify(impersonating(JSON.parse(readFileSync(options.kubeconfig, 'utf8')) as Kubeconfig, options.server)),
  );
  const flags = [`--kubeconfig=${kubeconfig}`, `--metrics-address=127.0.0.1:${metrics}`, `--health-address=127.0.0.1:${health}`];
  const command = [NODE, ...(options.nodeFlags ?? NODE_FLAGS), bundle, ...flags, ...(options.flags ?? ['--leader-election=off'])];
  const daemon = new Daemon('operator', command, join(dir, 'operator.log'));
  const healthUrl = `http://127.0.0.1:${health}`;
  return {
    daemon,
    metricsUrl: `http://127.0.0.1:${metrics}/metrics`,
    healthUrl,
    ready: (signal) => daemon.until(() => answers(`${healthUrl}/readyz`), signal),
    async stop() {
      await daemon.kill('SIGTERM');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

interface Kubeconfig {
  readonly clusters: readonly { readonly name: string; readonly cluster: object }[];
  readonly users: readonly { readonly name: string; readonly user: object }[];
}

const impersonating = (config: Kubeconfig, server: string | undefined): Kubeconfig => ({
  ...config,
  clusters: config.clusters.map((one) => (server ? { ...one, cluster: { ...one.cluster, server } } : one)),
  users: config.users.map(({ name, user }) => ({ name, user: { ...user, as: OPERATOR_USER, 'as-groups': ['system:masters'] } })),
});
