import { afterEach, beforeEach, expect, test } from 'vitest';
import { Applier } from './apply.ts';
import { Discovery } from './discovery.ts';
import { writeStatus } from './status.ts';
import { CONFIG_MAP } from './testing/kinds.ts';
import { ProtocolServer } from './testing/protocol-server.ts';
import type { Transport } from './transport.ts';

const never = new AbortController().signal;

let server: ProtocolServer;
let transport: Transport;
let applier: Applier;
beforeEach(async () => {
  server = await ProtocolServer.start();
  transport = server.transport();
  applier = new Applier(transport, new Discovery(transport, [CONFIG_MAP]), 'me');
});
afterEach(async () => {
  transport.close();
  await server.close();
});

test('a status that differs is written, whatever order its keys are in it is not written again', async () => {
  const object = server.put('configmaps', { metadata: { namespace: 'n', name: 'a' } });
  const result = await writeStatus(applier, object, { ready: true, count: 3 }, never);
  expect(result).toMatchObject({ outcome: 'changed', object: { status: { ready: true, count: 3 } } });
  const written = server.get('configmaps', 'n/a') ?? object;
  expect((await writeStatus(applier, written, { count: 3, ready: true }, never)).outcome).toBe('unchanged');
  // Nor while the store still shows the object as it was before our write.
  expect((await writeStatus(applier, object, { ready: true, count: 3 }, never)).outcome).toBe('unchanged');
  expect(server.requests).toHaveLength(1);
});

test('no status and an empty one are the same', async () => {
  const object = server.put('configmaps', { metadata: { namespace: 'n', name: 'a' } });
  expect((await writeStatus(applier, object, {}, never)).outcome).toBe('unchanged');
  expect(server.requests).toEqual([]);
});
