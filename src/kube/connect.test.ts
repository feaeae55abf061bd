import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type ConnectOptions, connect } from './connect.ts';
import { SERVICE_ACCOUNT_DIR } from './in-cluster.ts';
import { silentLogger } from './telemetry.ts';
import { ManualClock } from './testing/manual-clock.ts';

const never = new AbortController().signal;
const POD = { KUBERNETES_SERVICE_HOST: '172.30.0.1', KUBERNETES_SERVICE_PORT: '443' };
const kubeconfig = (server: string) =>
  stringify({
    'current-context': 'one',
    contexts: ['one', 'two'].map((name) => ({ name, context: { cluster: name, namespace: `of-${name}` } })),
    clusters: ['one', 'two'].map((name) => ({ name, cluster: { server: `https://${name}.${server}` } })),
  });
const files: Record<string, string> = {
  '/home/me/.kube/config': kubeconfig('home'),
  '/elsewhere': kubeconfig('elsewhere'),
  [`${SERVICE_ACCOUNT_DIR}/namespace`]: 'pod-namespace',
};

async function found(env: ConnectOptions['env'], options: Partial<ConnectOptions> = {}) {
  const readFile = async (path: string) => {
    const content = files[path];
    if (content === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    return content;
  };
  const { connection, namespace, context } = await connect(
    { env, readFile, runCommand: async () => '', clock: new ManualClock(), log: silentLogger, ...options },
    never,
  );
  return [connection.server.host, namespace, context];
}

test('outside a cluster the kubeconfig of the home directory counts', async () => {
  expect(await found({ HOME: '/home/me' })).toEqual(['one.home', 'of-one', 'one']);
});

test('in a pod the pod counts, before the home directory', async () => {
  expect(await found({ ...POD, HOME: '/home/me' })).toEqual(['172.30.0.1', 'pod-namespace', undefined]);
});

test('what was asked for counts before the pod', async () => {
  expect(await found({ ...POD, KUBECONFIG: '/elsewhere' })).toEqual(['one.elsewhere', 'of-one', 'one']);
  expect(await found({ ...POD, HOME: '/home/me' }, { context: 'two' })).toEqual(['two.home', 'of-two', 'two']);
  expect(await found({ KUBECONFIG: '/home/me/.kube/config' }, { kubeconfig: '/elsewhere', context: 'two' })).toEqual([
    'two.elsewhere',
    'of-two',
    'two',
  ]);
});
