import { expect, test } from 'vitest';
import { ConfigError } from './errors.ts';
import { type InClusterOptions, inClusterConnection, inClusterNamespace, SERVICE_ACCOUNT_DIR } from './in-cluster.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { RecordedLog } from './testing/telemetry-recorder.ts';

const never = new AbortController().signal;

function pod(env: Record<string, string> = { KUBERNETES_SERVICE_HOST: '172.30.0.1', KUBERNETES_SERVICE_PORT: '443' }) {
  const clock = new ManualClock();
  const log = new RecordedLog();
  const files: Record<string, string> = { token: 'first\n', 'ca.crt': 'CA one', namespace: 'mine\n' };
  const readFile = async (path: string) => {
    const content = files[path.replace(`${SERVICE_ACCOUNT_DIR}/`, '')];
    if (content === undefined) throw new Error(`no ${path}`);
    return content;
  };
  const options: InClusterOptions = { env, readFile, clock, log };
  return { clock, log, files, options };
}

test('the server and the credentials are those of the pod', async () => {
  const { options } = pod();
  const connection = inClusterConnection(options);
  expect(connection.server.href).toBe('https://172.30.0.1/');
  expect(await connection.credentials(never)).toEqual({ headers: { authorization: 'Bearer first' }, tls: { ca: 'CA one' } });
  expect(await inClusterNamespace(options, never)).toBe('mine');
});

test('an IPv6 service address makes a URL', () => {
  const { options } = pod({ KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' });
  expect(inClusterConnection(options).server.href).toBe('https://[fd00::1]:6443/');
});

test('a rotated token is used within a minute', async () => {
  const { clock, files, options } = pod();
  const connection = inClusterConnection(options);
  await connection.credentials(never);
  files['token'] = 'second';
  expect((await connection.credentials(never)).headers).toEqual({ authorization: 'Bearer first' });
  await clock.advance(60_000);
  expect((await connection.credentials(never)).headers).toEqual({ authorization: 'Bearer second' });
});

test('a rotated CA is used when the old one does not fit any more', async () => {
  const { files, options } = pod();
  const connection = inClusterConnection(options);
  await connection.credentials(never);
  files['ca.crt'] = 'CA two';
  connection.invalidate();
  expect((await connection.credentials(never)).tls).toEqual({ ca: 'CA two' });
});

test('files that vanish for a moment leave the old credentials in use', async () => {
  const { clock, log, files, options } = pod();
  const connection = inClusterConnection(options);
  await connection.credentials(never);
  files['token'] = '';
  await clock.advance(60_000);
  expect((await connection.credentials(never)).headers).toEqual({ authorization: 'Bearer first' });
  expect(log.messages('warn')).toEqual(['service account files could not be read again; the old ones stay in use']);
});

test('outside a cluster it says so', async () => {
  const { options, files } = pod({});
  expect(() => inClusterConnection(options)).toThrow(ConfigError);
  delete files['namespace'];
  expect(await inClusterNamespace(options, never)).toBeUndefined();
});
