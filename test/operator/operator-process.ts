/** The operator as a process of its own: the file of the image, started as the image starts it, so that it can be killed and measured as it is run. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { bundle, OPERATOR_ENTRY } from '../../deploy/operator/bundle.ts';
import { answers } from '../../tools/testing/answers.ts';
import { Daemon } from '../../tools/testing/daemon.ts';
import { freePorts } from '../../tools/testing/ports.ts';
import { OPERATOR_USER } from './audit.ts';

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
  /** Whom the API server takes it for. Replicas that are to be told apart have one each. */
  readonly user?: string;
  readonly flags?: readonly string[];
  readonly nodeFlags?: readonly string[];
}

const DEPLOY = join(import.meta.dirname, '../../deploy');
const NODE = join(import.meta.dirname, '../../node_modules/node/bin/node');

export async function operatorProcess(options: OperatorProcessOptions): Promise<OperatorProcess> {
  const dir = mkdtempSync(join(tmpdir(), 'hcpio-operator-'));
  const program = join(dir, 'operator.cjs');
  await bundle(OPERATOR_ENTRY, program);
  const [metrics = 0, health = 0] = await freePorts(2);
  const kubeconfig = join(dir, 'kubeconfig');
  writeFileSync(kubeconfig, JSON.stringify(impersonating(JSON.parse(readFileSync(options.kubeconfig, 'utf8')) as Kubeconfig, options)));
  const flags = [`--kubeconfig=${kubeconfig}`, `--metrics-address=127.0.0.1:${metrics}`, `--health-address=127.0.0.1:${health}`];
  const { environment, nodeFlags } = shipped();
  // Nothing of this machine's environment: a pod has none of it, and Node would load every certificate that NODE_EXTRA_CA_CERTS names.
  const node = ['env', '--ignore-environment', ...environment, NODE, ...(options.nodeFlags ?? nodeFlags), program];
  const daemon = new Daemon('operator', [...node, ...flags, ...(options.flags ?? ['--leader-election=off'])], join(dir, 'operator.log'));
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

/** How the image and the Deployment start it. Read from them, so that nothing is measured that is not shipped. */
export function shipped(): { readonly environment: readonly string[]; readonly nodeFlags: readonly string[] } {
  const containerfile = readFileSync(join(DEPLOY, 'operator/Containerfile'), 'utf8');
  const entrypoint = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(containerfile)?.[1] ?? '[]') as readonly string[];
  const environment = [...containerfile.matchAll(/^ENV (\S+)$/gm)].map(([, setting = '']) => setting);
  const [deployment] = parseAllDocuments(readFileSync(join(DEPLOY, 'base/deployment.yaml'), 'utf8')).map((one) => one.toJS() as Deployment);
  const options = deployment?.spec.template.spec.containers[0]?.env.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? '';
  return { environment, nodeFlags: [...entrypoint.slice(1, -1), ...options.split(' ')] };
}

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: { readonly containers: readonly { readonly env: readonly { readonly name: string; readonly value?: string }[] }[] };
    };
  };
}

interface Kubeconfig {
  readonly clusters: readonly { readonly name: string; readonly cluster: object }[];
  readonly users: readonly { readonly name: string; readonly user: object }[];
}

const impersonating = (config: Kubeconfig, { server, user: as = OPERATOR_USER }: OperatorProcessOptions): Kubeconfig => ({
  ...config,
  clusters: config.clusters.map((one) => (server ? { ...one, cluster: { ...one.cluster, server } } : one)),
  users: config.users.map(({ name, user }) => ({ name, user: { ...user, as, 'as-groups': ['system:masters'] } })),
});
