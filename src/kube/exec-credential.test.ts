import { expect, test } from 'vitest';
import { execCredential, systemCommand, untilExpiry } from './exec-credential.ts';
import { ManualClock } from './testing/manual-clock.ts';

const never = new AbortController().signal;
const printing = (output: string) => execCredential({ command: 'plugin' }, '/', async () => output, never);

test('what a plugin prints must be a credential', async () => {
  expect(await printing('{"kind":"ExecCredential","status":{"token":"t"}}')).toEqual({ token: 't' });
  await expect(printing('login first')).rejects.toThrow('credential plugin plugin did not print JSON');
  await expect(printing('{"kind":"ExecCredential"}')).rejects.toThrow('printed no ExecCredential with a status');
  await expect(printing('{"kind":"ExecCredential","status":{"clientCertificateData":"c"}}')).rejects.toThrow(
    'gave neither a token nor a client certificate with its key',
  );
});

test('a plugin that cannot be run is told with its hint', async () => {
  const config = { command: '/does/not/exist', installHint: 'install it with your package manager\n' };
  await expect(execCredential(config, '/', systemCommand({}), never)).rejects.toThrow(
    /^credential plugin \/does\/not\/exist: .*ENOENT.*\ninstall it with your package manager$/,
  );
});

test('a real command gets our environment and its own', async () => {
  const script = 'process.stdout.write(process.env.OURS + JSON.parse(process.env.KUBERNETES_EXEC_INFO).kind)';
  const run = systemCommand({ OURS: 'ours ' });
  expect(await run(process.execPath, ['-e', script], { KUBERNETES_EXEC_INFO: '{"kind":"theirs"}' }, never)).toBe('ours theirs');
});

test('a credential without an end is used until the server refuses it', () => {
  expect(untilExpiry({ token: 't' }, new ManualClock())).toBe(Number.POSITIVE_INFINITY);
});
