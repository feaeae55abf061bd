import { afterEach, beforeEach, expect, test } from 'vitest';
import { Discovery, KindNotInstalled } from './discovery.ts';
import { CONFIG_MAP } from './testing/kinds.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { answer, fail, ProtocolServer, type Seen } from './testing/protocol-server.ts';

const never = new AbortController().signal;
const clock = new ManualClock();
const widgets = { group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true };

let server: ProtocolServer;
let discovery: Discovery;
beforeEach(async () => {
  server = await ProtocolServer.start();
  discovery = new Discovery(server.transport({ clock, retry: { maxRetries: 0, initialMs: 1, maxMs: 1 } }), [CONFIG_MAP]);
});
afterEach(() => server.close());

const ofGroup = ({ path }: Seen) => path === '/apis/example.com/v1';
const serve = (...resources: readonly object[]) => server.failNext(ofGroup, (response) => answer(response, 200, { resources }));
const ask = () => discovery.resourceFor('example.com/v1', 'Widget', never);

test('a kind is found by its own resource, not by a subresource of another, and asked for once', async () => {
  serve({ name: 'widgets', kind: 'Widget', namespaced: true }, { name: 'gadgets/scale', kind: 'Widget', namespaced: false });
  expect(await Promise.all([ask(), ask()])).toEqual([widgets, widgets]);
  expect(await ask()).toEqual(widgets);
  expect(server.requests).toHaveLength(1);
});

test('a kind that the program knows is not asked for', async () => {
  expect(await discovery.resourceFor('v1', 'ConfigMap', never)).toEqual(CONFIG_MAP);
  expect(server.requests).toEqual([]);
});

test('a kind that is not there is told, and noticed some seconds after it was installed', async () => {
  server.failNext(ofGroup, (response) => fail(response, 404, 'NotFound', 'no'));
  await expect(ask()).rejects.toThrow(KindNotInstalled);
  await expect(ask()).rejects.toThrow('the API server has no kind Widget in example.com/v1');
  expect(server.requests).toHaveLength(1);
  await clock.advance(5_000);
  serve({ name: 'widgets', kind: 'Widget', namespaced: true });
  expect(await ask()).toEqual(widgets);
});

test('a failed question is not an answer for the next who asks', async () => {
  server.failNext(ofGroup, (response) => fail(response, 503, 'ServiceUnavailable', 'starting'));
  await expect(ask()).rejects.toThrow('503');
  serve({ name: 'widgets', kind: 'Widget', namespaced: true });
  expect(await ask()).toEqual(widgets);
});
