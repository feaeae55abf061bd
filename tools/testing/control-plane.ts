import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crdFiles, toolPath } from '../paths.ts';
import { answers } from './answers.ts';
import { Daemon } from './daemon.ts';
import { freePorts } from './ports.ts';

export interface ControlPlaneOptions {
  readonly signal?: AbortSignal;
  /** Added to, and so overriding, the arguments of each. */
  readonly etcdArgs?: readonly string[];
  readonly apiserverArgs?: readonly string[];
}

/** A real etcd and kube-apiserver on loopback. No controllers: nothing is garbage-collected, namespaces never finish deleting. */
export interface ControlPlane {
  readonly url: string;
  /** PEM that verifies `url`. */
  readonly ca: string;
  /** Bearer token of a member of system:masters. */
  readonly token: string;
  readonly kubeconfigPath: string;
  readonly etcd: Daemon;
  readonly apiserver: Daemon;
  /** Resolves when the API server says that it is ready, etcd included. */
  ready(): Promise<void>;
  /** kill -9 and start again, on the same port and data; ready when it resolves. */
  restart(which: 'etcd' | 'apiserver'): Promise<void>;
  kubectl(...args: readonly string[]): Promise<string>;
  /** Server-side apply, then waits until the API server serves them. */
  applyCrds(files?: readonly string[]): Promise<void>;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const signal = options.signal ?? new AbortController().signal;
  const binaries = { etcd: toolPath('etcd'), apiserver: toolPath('kube-apiserver') }; // throws before there is anything to clean up
  const dir = mkdtempSync(join(tmpdir(), 'hcpio-control-plane-'));
  const [etcdPort = 0, peerPort = 0, apiPort = 0] = await freePorts(3);
  const access = writeCredentials(dir, apiPort);
  const etcd = new Daemon(
    'etcd',
    [binaries.etcd, ...etcdArguments(dir, etcdPort, peerPort), ...(options.etcdArgs ?? [])],
    join(dir, 'etcd.log'),
  );
  const apiserver = new Daemon(
    'kube-apiserver',
    [binaries.apiserver, ...apiserverArguments(dir, etcdPort, apiPort), ...(options.apiserverArgs ?? [])],
    join(dir, 'kube-apiserver.log'),
  );
  const startEtcd = async () => {
    etcd.start();
    await etcd.until(() => answers(`http://127.0.0.1:${etcdPort}/readyz`), signal);
  };
  const ready = () => apiserver.until(() => answers(`${access.url}/readyz`, access.token), signal);
  const stop = async () => {
    await Promise.all([apiserver.kill(), etcd.kill()]);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await startEtcd(); // first: an API server that finds no etcd gives up after a while
    apiserver.start();
    await ready();
  } catch (cause) {
    await stop();
    throw cause;
  }
  const restart = async (which: 'etcd' | 'apiserver') => {
    await (which === 'etcd' ? etcd : apiserver).kill();
    if (which === 'etcd') await startEtcd();
    else apiserver.start();
    await ready();
  };
  const ca = readFileSync(join(dir, 'certs', 'apiserver.crt'), 'utf8');
  return { ...access, ca, etcd, apiserver, ready, restart, ...kubectlFor(dir, signal), stop, [Symbol.asyncDispose]: stop };
}

function kubectlFor(dir: string, signal: AbortSignal): Pick<ControlPlane, 'kubectl' | 'applyCrds'> {
  const env = { PATH: process.env['PATH'], KUBECONFIG: join(dir, 'kubeconfig'), KUBECACHEDIR: join(dir, 'kubectl-cache') };
  const kubectl = async (...args: readonly string[]) =>
    (await promisify(execFile)(toolPath('kubectl'), args, { env, signal, maxBuffer: 64 << 20 })).stdout;
  const applyCrds = async (crds = crdFiles()) => {
    const files = crds.flatMap((file) => ['--filename', file]);
    await kubectl('apply', '--server-side', ...files);
    await kubectl('wait', '--for=condition=Established', ...files);
  };
  return { kubectl, applyCrds };
}

function writeCredentials(dir: string, apiPort: number) {
  const url = `https://127.0.0.1:${apiPort}`;
  const token = randomBytes(16).toString('hex');
  const kubeconfigPath = join(dir, 'kubeconfig');
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    // The API server makes its certificate at its first start, and keeps it over restarts.
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority': join(dir, 'certs', 'apiserver.crt') } }],
    users: [{ name: 'admin', user: { token } }],
  };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  mkdirSync(join(dir, 'certs'));
  writeFileSync(kubeconfigPath, JSON.stringify(kubeconfig), { mode: 0o600 });
  writeFileSync(join(dir, 'tokens.csv'), `${token},admin,admin,system:masters\n`, { mode: 0o600 });
  writeFileSync(join(dir, 'service-accounts.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return { url, token, kubeconfigPath };
}

function etcdArguments(dir: string, port: number, peerPort: number): readonly string[] {
  const client = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  return [
    `--data-dir=${join(dir, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync', // survives kill -9, not a power cut
  ];
}

function apiserverArguments(dir: string, etcdPort: number, port: number): readonly string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none', // a loopback address may not stand in Endpoints
    `--secure-port=${port}`,
    `--cert-dir=${join(dir, 'certs')}`,
    `--token-auth-file=${join(dir, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--allow-privileged=true',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${join(dir, 'service-accounts.key')}`,
    `--service-account-signing-key-file=${join(dir, 'service-accounts.key')}`,
  ];
}
