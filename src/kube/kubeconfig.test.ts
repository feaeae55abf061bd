import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { ConfigError } from './errors.ts';
import type { RunCommand } from './exec-credential.ts';
import { kubeconfigPaths, loadKubeconfig } from './kubeconfig.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { RecordedLog } from './testing/telemetry-recorder.ts';

const never = new AbortController().signal;
const base64 = (text: string) => Buffer.from(text).toString('base64');

function config(cluster: object, user: object, context: object = {}) {
  return {
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', ...context } }],
    clusters: [{ name: 'c', cluster: { server: 'https://api.example.com:6443', ...cluster } }],
    users: [{ name: 'u', user }],
  };
}

function disk(files: Record<string, unknown>, runCommand: RunCommand = async () => '') {
  const clock = new ManualClock();
  const log = new RecordedLog();
  const readFile = async (path: string) => {
    const content = files[path];
    if (content === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' });
    return typeof content === 'string' ? content : stringify(content);
  };
  const load = (paths: readonly string[] = ['/etc/kc'], context?: string) =>
    loadKubeconfig({ paths, readFile, runCommand, clock, log, ...(context ? { context } : {}) }, never);
  return { clock, log, files, load };
}

test('server, proxy, names, certificates and namespace come from the current context', async () => {
  const cluster = { 'certificate-authority-data': base64('CA'), 'tls-server-name': 'inner', 'proxy-url': 'http://proxy:3128' };
  const user = { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') };
  const { context, namespace, connection } = await disk({ '/etc/kc': config(cluster, user, { namespace: 'team' }) }).load();
  expect([context, namespace, connection.server.href, connection.proxyUrl]).toEqual([
    'here',
    'team',
    'https://api.example.com:6443/',
    'http://proxy:3128',
  ]);
  expect(await connection.credentials(never)).toEqual({ headers: {}, tls: { ca: 'CA', cert: 'CERT', key: 'KEY', servername: 'inner' } });
});

test('tokens, passwords and impersonation become headers', async () => {
  const headers = async (user: object) => {
    const { connection } = await disk({ '/etc/kc': config({ 'insecure-skip-tls-verify': true }, user) }).load();
    return connection.credentials(never);
  };
  expect(await headers({ token: 't' })).toEqual({ headers: { authorization: 'Bearer t' }, tls: { insecureSkipVerify: true } });
  expect((await headers({ username: 'a', password: 'b' })).headers).toEqual({ authorization: `Basic ${base64('a:b')}` });
  expect((await headers({ token: 't', as: 'jane', 'as-uid': '7', 'as-groups': ['x', 'y'] })).headers).toEqual({
    authorization: 'Bearer t',
    'impersonate-user': 'jane',
    'impersonate-uid': '7',
    'impersonate-group': ['x', 'y'],
  });
});

test('files are found beside the kubeconfig and read again when they change', async () => {
  const files = {
    '/etc/kc': config({ 'certificate-authority': 'pki/ca.crt' }, { tokenFile: '/run/token' }),
    '/etc/pki/ca.crt': 'CA',
    '/run/token': 'one\n',
  };
  const { clock, load } = disk(files);
  const { connection } = await load();
  expect(await connection.credentials(never)).toEqual({ headers: { authorization: 'Bearer one' }, tls: { ca: 'CA' } });
  files['/run/token'] = 'two';
  await clock.advance(60_000);
  expect(await connection.credentials(never)).toEqual({ headers: { authorization: 'Bearer two' }, tls: { ca: 'CA' } });
});

test('of several files the first that has an entry wins, and missing ones are skipped', async () => {
  const first = { 'current-context': 'here', clusters: [{ name: 'c', cluster: { server: 'https://first' } }] };
  const { load } = disk({ '/a': first, '/b': config({}, { token: 't' }) });
  expect((await load(['/missing', '/a', '/b'])).connection.server.href).toBe('https://first/');
});

test('another context can be chosen', async () => {
  const other = { ...config({}, {}), contexts: [{ name: 'there', context: { cluster: 'c' } }] };
  expect(await disk({ '/etc/kc': other }).load(['/etc/kc'], 'there')).toMatchObject({ context: 'there', namespace: 'default' });
});

test('a credential plugin is run, used until shortly before its end, and run again', async () => {
  const calls: unknown[] = [];
  const expiry = '2026-01-02T04:04:05Z'; // an hour from the start of the clock
  const runCommand: RunCommand = async (command, args, env) => {
    calls.push([command, args, env['REGION'], JSON.parse(env['KUBERNETES_EXEC_INFO'] ?? '')]);
    const status = { token: `token-${calls.length}`, expirationTimestamp: expiry };
    return JSON.stringify({ kind: 'ExecCredential', status });
  };
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: './get-token',
    args: ['-v'],
    env: [{ name: 'REGION', value: 'eu' }],
  };
  const { clock, load } = disk({ '/etc/kc': config({}, { exec }) }, runCommand);
  const { connection } = await load();
  const token = async () => (await connection.credentials(never)).headers['authorization'];
  expect([await token(), await token()]).toEqual(['Bearer token-1', 'Bearer token-1']);
  expect(calls).toEqual([
    [
      '/etc/get-token',
      ['-v'],
      'eu',
      { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', spec: { interactive: false } },
    ],
  ]);
  await clock.advance(3_570_000 - 1);
  expect(await token()).toBe('Bearer token-1');
  await clock.advance(1);
  expect(await token()).toBe('Bearer token-2');
});

test('a plugin may give a client certificate, and a refused credential is asked for again', async () => {
  let runs = 0;
  const runCommand: RunCommand = async () => {
    runs += 1;
    return JSON.stringify({ kind: 'ExecCredential', status: { clientCertificateData: `CERT${runs}`, clientKeyData: 'KEY' } });
  };
  const { load } = disk({ '/etc/kc': config({}, { exec: { command: 'p' } }) }, runCommand);
  const { connection } = await load();
  expect((await connection.credentials(never)).tls).toEqual({ cert: 'CERT1', key: 'KEY' });
  connection.invalidate();
  expect((await connection.credentials(never)).tls).toEqual({ cert: 'CERT2', key: 'KEY' });
});

test.each([
  ['no file at all', {}, 'no kubeconfig found: /etc/kc does not exist'],
  ['a file that is no YAML', { '/etc/kc': 'a: [' }, /^kubeconfig \/etc\/kc: /],
  ['an empty file', { '/etc/kc': '' }, 'no current-context in /etc/kc: choose one with --context'],
  ['a context that is not there', { '/etc/kc': { 'current-context': 'x' } }, 'the kubeconfig has no context named "x"'],
  ['a cluster that is not there', { '/etc/kc': { ...config({}, {}), clusters: [] } }, 'the kubeconfig has no cluster named "c"'],
  ['a user that is not there', { '/etc/kc': { ...config({}, {}), users: null } }, 'the kubeconfig has no user named "u"'],
  ['a cluster without a server', { '/etc/kc': config({ server: '' }, {}) }, 'the cluster of the kubeconfig has no server'],
  [
    'a login method of the past',
    { '/etc/kc': config({}, { 'auth-provider': { name: 'gcp' } }) },
    'user u has an auth-provider, which Kubernetes removed in 1.26: use its exec plugin',
  ],
])('%s is told', async (_, files, message) => {
  const loading = disk(files).load();
  await expect(loading).rejects.toThrow(ConfigError);
  await expect(loading).rejects.toThrow(message);
});

test('the files are looked for where kubectl looks', () => {
  expect(kubeconfigPaths({ KUBECONFIG: '/a::/b', HOME: '/home/me' })).toEqual(['/a', '/b']);
  expect(kubeconfigPaths({ HOME: '/home/me' })).toEqual(['/home/me/.kube/config']);
});
