import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from './clock.ts';
import { ConfigError } from './errors.ts';
import { systemCommand } from './exec-credential.ts';
import { inClusterConnection } from './in-cluster.ts';
import { loadKubeconfig } from './kubeconfig.ts';
import { mapParallel } from './parallel.ts';
import { silentLogger } from './telemetry.ts';
import { selfSigned } from './testing/certificates.ts';
import { never, type RealServer, startRealServer } from './testing/real-server.ts';
import type { Transport } from './transport.ts';

let real: RealServer;
beforeAll(async () => {
  real = await startRealServer();
});
afterAll(() => real.stop());

const whoAmI = async (transport: Transport) => {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const { body } = await transport.request<{ status: { userInfo: { username: string; groups: readonly string[] } } }>(
    { method: 'POST', path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', body: review },
    never,
  );
  return body.status.userInfo;
};

/** The files of a pod, to be rotated. */
function pod(files: Record<string, string>) {
  const { hostname, port } = real.connection.server;
  return inClusterConnection({
    env: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
    readFile: async (path) => files[path.split('/').at(-1) ?? ''] ?? '',
    clock: systemClock,
    log: silentLogger,
  });
}

test('a kubeconfig and the files of a pod lead to the same server as the same user', async () => {
  const inPod = real.client({ connection: pod({ token: real.hub.token, 'ca.crt': real.hub.ca }) });
  const users = [await whoAmI(real.client().transport), await whoAmI(inPod.transport)];
  expect(users.map(({ username }) => username)).toEqual(['admin', 'admin']);
});

test('a token and a CA that were rotated are read again without a failed request', async () => {
  const files = { token: 'expired', 'ca.crt': selfSigned('of another cluster').cert };
  const connection = pod(files);
  await connection.credentials(never);
  files.token = real.hub.token;
  files['ca.crt'] = real.hub.ca;
  expect((await whoAmI(real.client({ connection }).transport)).username).toBe('admin');
});

test('a token that is wrong and stays wrong is a 401, and a CA that is wrong is no connection', async () => {
  const wrongToken = real.client({ connection: pod({ token: 'wrong', 'ca.crt': real.hub.ca }) });
  await expect(whoAmI(wrongToken.transport)).rejects.toMatchObject({ code: 401, reason: 'Unauthorized' });
  const wrongCa = real.client({
    connection: pod({ token: real.hub.token, 'ca.crt': selfSigned('x').cert }),
    retry: { maxRetries: 0, initialMs: 1, maxMs: 1 },
  });
  await expect(whoAmI(wrongCa.transport)).rejects.toMatchObject({ name: 'NetworkError', sent: false });
});

test('a credential plugin logs in, and impersonation with groups is understood', async () => {
  const script = `process.stdout.write(JSON.stringify({kind: 'ExecCredential', status: {token: process.env.TOKEN}}))`;
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: ['-e', script],
    env: [{ name: 'TOKEN', value: real.hub.token }],
  };
  const config = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: real.hub.url, 'certificate-authority-data': Buffer.from(real.hub.ca).toString('base64') } }],
    users: [{ name: 'u', user: { exec, as: 'jane', 'as-groups': ['gardeners', 'singers'] } }],
  };
  const { connection } = await loadKubeconfig(
    {
      paths: ['/virtual'],
      readFile: async () => JSON.stringify(config),
      runCommand: systemCommand({}),
      clock: systemClock,
      log: silentLogger,
    },
    never,
  );
  expect(await whoAmI(real.client({ connection }).transport)).toMatchObject({
    username: 'jane',
    groups: ['gardeners', 'singers', 'system:authenticated'],
  });
});

test('a kubeconfig that is not there is told', async () => {
  const load = loadKubeconfig(
    {
      paths: ['/does/not/exist'],
      readFile: (path) => readFile(path, 'utf8'),
      runCommand: systemCommand({}),
      clock: systemClock,
      log: silentLogger,
    },
    never,
  );
  await expect(load).rejects.toThrow(ConfigError);
});

test('hundreds of requests go over as many connections as allowed', async () => {
  const { transport, requests } = real.client({ maxInFlight: 4 });
  const ask = () => transport.request({ path: '/api/v1/namespaces/default' }, never);
  await mapParallel(Array.from({ length: 300 }), 50, ask, never);
  expect(requests('GET', '200')).toBe(300);
});
