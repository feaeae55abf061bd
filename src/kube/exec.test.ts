import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { type ExecOrder, exec } from './exec.ts';
import { Transport } from './transport.ts';

/** Faults that no kubelet shows on demand; the real ones are asked in test/lab/standing/live-commands.ts. */
let http: Server;
let sockets: WebSocketServer;
let asked: string[] = [];
let accepted: (string | undefined)[] = [];
let offered: string[] = [];
let play: (socket: WebSocket) => void = () => {};
let refusal: string | undefined;

beforeEach(async () => {
  asked = [];
  accepted = [];
  refusal = undefined;
  http = createServer();
  sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (protocols) => {
      offered = [...protocols];
      return offered[0] ?? false;
    },
  });
  http.on('upgrade', (request, socket, head) => {
    asked.push(request.url ?? '');
    accepted.push(request.headers.accept);
    if (refusal === undefined) sockets.handleUpgrade(request, socket, head, (opened) => play(opened));
    else socket.end(`HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n${refusal}`);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  for (const client of sockets.clients) client.terminate();
  http.close();
});

const ORDER: ExecOrder = { namespace: 'blue', pod: 'edge-a-0', container: 'dhcp', command: ['leases', '--all', 'of it'] };
const never = new AbortController().signal;

function run(order: Partial<ExecOrder> = {}, signal = never) {
  const server = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/proxied`);
  const connection = { server, credentials: async () => ({ headers: { authorization: 'Bearer t' }, tls: {} }), invalidate() {} };
  return exec(new Transport({ connection, userAgent: 'test' }), { ...ORDER, ...order }, signal);
}

const say = (socket: WebSocket, channel: number, text: string) => socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]));
const SUCCESS = JSON.stringify({ kind: 'Status', status: 'Success' });

test('what was said on both streams comes back apart, whatever the pieces', async () => {
  play = (socket) => {
    for (const [channel, text] of [
      [1, ''],
      [2, 'note\n'],
      [1, 'first, '],
      [1, 'second ü'],
      [3, SUCCESS],
    ] as const)
      say(socket, channel, text);
  };
  expect(await run()).toEqual({ exitCode: 0, stdout: 'first, second ü', stderr: 'note\n' });
  expect({ asked, accepted, offered }).toEqual({
    accepted: ['*/*'],
    asked: [
      '/proxied/api/v1/namespaces/blue/pods/edge-a-0/exec?container=dhcp&command=leases&command=--all&command=of+it&stdout=true&stderr=true',
    ],
    offered: ['v5.channel.k8s.io', 'v4.channel.k8s.io'],
  });
});

test('the exit status of the command is a result', async () => {
  const failure = {
    kind: 'Status',
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: 'command terminated with exit code 7',
    details: { causes: [{ reason: 'ExitCode', message: '7' }] },
  };
  play = (socket) => {
    say(socket, 2, 'no socket\n');
    say(socket, 3, JSON.stringify(failure));
  };
  expect(await run()).toEqual({ exitCode: 7, stdout: '', stderr: 'no socket\n' });
});

test('a command that could not be started is an error in the words of the runtime', async () => {
  play = (socket) =>
    say(socket, 3, JSON.stringify({ kind: 'Status', status: 'Failure', reason: 'InternalError', code: 500, message: 'no such file' }));
  await expect(run()).rejects.toMatchObject({ name: 'ApiError', code: 500, message: expect.stringContaining('no such file') });
});

test('a refusal is told in the words of the server', async () => {
  refusal = JSON.stringify({ kind: 'Status', reason: 'Forbidden', message: 'pods "edge-a-0" is forbidden' });
  await expect(run()).rejects.toMatchObject({ name: 'ApiError', code: 403, reason: 'Forbidden' });
});

test.each([
  ['closes without a status', 'CLOSED', (socket: WebSocket) => socket.close()],
  ['is cut off', 'CLOSED', (socket: WebSocket) => socket.terminate()],
  ['ends in something else than a Status', 'UNREADABLE', (socket: WebSocket) => say(socket, 3, 'oops')],
])('a connection that %s is no answer', async (_, code, misbehave) => {
  play = misbehave;
  await expect(run()).rejects.toMatchObject({ name: 'NetworkError', code, sent: true });
});

test('nobody there is a network error, and nothing was sent', async () => {
  const connection = { server: new URL('http://127.0.0.1:1'), credentials: async () => ({ headers: {}, tls: {} }), invalidate() {} };
  const gone = exec(new Transport({ connection, userAgent: 'test' }), ORDER, never);
  await expect(gone).rejects.toMatchObject({ name: 'NetworkError', code: 'ECONNREFUSED', sent: false });
});

test('a silent command ends with its deadline, and with its caller', async () => {
  play = () => {};
  await expect(run({ timeoutMs: 50 })).rejects.toMatchObject({ name: 'NetworkError', code: 'TIMEOUT' });
  const caller = new AbortController();
  const running = run({}, caller.signal);
  caller.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
});
