import { expect, test } from 'vitest';
import { type LogLine, type PodLogOrder, podLog } from './pod-log.ts';
import { fail, ProtocolServer } from './testing/protocol-server.ts';

const ORDER: PodLogOrder = { namespace: 'blue-edge', pod: 'edge-a-0', container: 'gateway', tailLines: 2 };
const never = new AbortController().signal;

async function serving(...chunks: readonly (string | Buffer)[]) {
  const server = await ProtocolServer.start();
  server.failNext(
    ({ path }) => path.endsWith('/log'),
    (response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      for (const chunk of chunks) response.write(chunk);
      response.end();
    },
  );
  return server;
}

const all = async (server: ProtocolServer, order = ORDER): Promise<LogLine[]> => {
  const lines: LogLine[] = [];
  for await (const line of podLog(server.transport(), order, never)) lines.push(line);
  return lines;
};

test('lines come one by one with their time, wherever the pieces were cut', async () => {
  const umlaut = Buffer.from('2026-01-02T03:04:05.1Z first ü\n2026-01-02T03:04:06.2Z\n');
  const cutAt = umlaut.indexOf(0xc3) + 1;
  const server = await serving(umlaut.subarray(0, cutAt), umlaut.subarray(cutAt), '2026-01-02T03:04:07.3Z {"a": "b c"}\n');
  expect(await all(server)).toEqual([
    { at: '2026-01-02T03:04:05.1Z', text: 'first ü' },
    { at: '2026-01-02T03:04:06.2Z', text: '' },
    { at: '2026-01-02T03:04:07.3Z', text: '{"a": "b c"}' },
  ]);
  expect(server.requests.map(({ path, query }) => ({ path, query }))).toEqual([
    {
      path: '/api/v1/namespaces/blue-edge/pods/edge-a-0/log',
      query: { container: 'gateway', tailLines: '2', timestamps: 'true' },
    },
  ]);
  await server.close();
});

test('a log that may not be read is the answer of the API', async () => {
  const server = await ProtocolServer.start();
  server.failNext(
    () => true,
    (response) => fail(response, 403, 'Forbidden', 'pods "edge-a-0" is forbidden'),
  );
  await expect(all(server)).rejects.toMatchObject({ code: 403, status: { message: 'pods "edge-a-0" is forbidden' } });
  await server.close();
});
