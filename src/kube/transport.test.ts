import { createServer } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Connection, Credentials } from './connection.ts';
import { type SelfSigned, selfSigned } from './testing/certificates.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { answer, fail, ProtocolServer } from './testing/protocol-server.ts';
import { RecordedMetrics } from './testing/telemetry-recorder.ts';
import type { Transport } from './transport.ts';

const never = new AbortController().signal;
const quick = { maxRetries: 3, initialMs: 1, maxMs: 2 };
const path = '/api/v1/namespaces/n/configmaps/a';
const any = () => true;

let server: ProtocolServer;
const closing: (() => void | Promise<void>)[] = [];
beforeEach(async () => {
  server = await ProtocolServer.start();
  closing.push(() => server.close());
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function transportTo(options: Parameters<ProtocolServer['transport']>[0] = {}): Transport {
  const transport = server.transport({ retry: quick, ...options });
  closing.push(() => transport.close());
  return transport;
}

test('a request carries method, query, body and who asks; the answer is parsed', async () => {
  const body = { metadata: { name: 'a' }, data: { text: 'ü' } };
  const query = { fieldManager: 'me & you', dryRun: undefined, force: false };
  const { code, body: made } = await transportTo().request({ method: 'POST', path: '/api/v1/namespaces/n/configmaps', query, body }, never);
  expect([code, made]).toEqual([201, server.get('configmaps', 'n/a')]);
  const [seen] = server.requests;
  expect(seen).toMatchObject({ method: 'POST', query: { fieldManager: 'me & you', force: 'false' }, body });
  expect(seen?.headers).toMatchObject({ 'user-agent': 'test', accept: 'application/json', 'content-type': 'application/json' });
});

test('a refusal is an error with what the server said', async () => {
  await expect(transportTo().request({ path }, never)).rejects.toMatchObject({
    code: 404,
    reason: 'NotFound',
    message: `GET ${path}: 404 NotFound: a not found`,
  });
});

test('a page that is no Status is an error with its first line', async () => {
  server.failNext(any, (response) => response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>Proxy says no</h1>\n<p>'));
  await expect(transportTo().request({ path }, never)).rejects.toMatchObject({
    code: 403,
    message: `GET ${path}: 403: <h1>Proxy says no</h1>`,
  });
});

test('text that is not JSON is given as text, and JSON that is none is an error', async () => {
  server.failNext(any, (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('ok'));
  server.failNext(any, (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"half":'));
  const transport = transportTo({ retry: { ...quick, maxRetries: 0 } });
  expect((await transport.request({ path: '/healthz' }, never)).body).toBe('ok');
  await expect(transport.request({ path }, never)).rejects.toMatchObject({ code: 'UNREADABLE' });
});

test('a compressed answer is unpacked, and one that is damaged is an error', async () => {
  const packed = gzipSync(JSON.stringify({ items: [1, 2, 3] }));
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  server.failNext(any, (response) => response.writeHead(200, headers).end(packed));
  server.failNext(any, (response) => response.writeHead(200, headers).end(packed.subarray(0, 12)));
  const transport = transportTo({ retry: { ...quick, maxRetries: 0 } });
  expect((await transport.request({ path, compressed: true }, never)).body).toEqual({ items: [1, 2, 3] });
  expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip');
  await expect(transport.request({ path }, never)).rejects.toMatchObject({ name: 'NetworkError' });
});

test('429 with Retry-After is waited for as long as it says, also for a create', async () => {
  const clock = new ManualClock();
  server.failNext(any, (response) => fail(response, 429, 'TooManyRequests', 'slow down', {}, { 'retry-after': '3' }));
  const request = transportTo({ clock }).request(
    { method: 'POST', path: '/api/v1/namespaces/n/configmaps', body: { metadata: { name: 'a' } } },
    never,
  );
  await vi.waitFor(() => expect(clock.waits).toEqual([3_000]));
  expect(server.requests).toHaveLength(1);
  await clock.advance(3_000);
  expect((await request).code).toBe(201);
});

test('500 and a cut connection are tried again for a read, and not for a create', async () => {
  server.put('configmaps', { metadata: { namespace: 'n', name: 'a' } });
  const transport = transportTo();
  const faults = [
    () => server.failNext(any, (response) => fail(response, 500, 'InternalError', 'etcd is away')),
    () => server.failNext(any, (response) => response.socket?.resetAndDestroy()),
    () =>
      server.failNext(any, (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        response.write('{"metadata":', () => response.socket?.destroy());
      }),
  ];
  for (const fault of faults) fault();
  expect((await transport.request({ path }, never)).code).toBe(200);
  expect(server.requests).toHaveLength(4);
  for (const fault of faults) {
    fault();
    const create = transport.request({ method: 'POST', path: '/api/v1/namespaces/n/configmaps', body: { metadata: { name: 'b' } } }, never);
    await expect(create).rejects.toThrow(/500|ECONNRESET/);
  }
  expect(server.requests).toHaveLength(7);
});

test('a server that is not there is tried again for everything, and then told', async () => {
  const metrics = new RecordedMetrics();
  const gone = await ProtocolServer.start();
  const { host } = gone.url;
  const transport = gone.transport({ retry: quick, metrics });
  await gone.close();
  await expect(transport.request({ method: 'POST', path: '/api/v1/namespaces', body: {} }, never)).rejects.toMatchObject({
    code: 'ECONNREFUSED',
    sent: false,
  });
  expect(metrics.value('rest_client_request_retries_total', { code: 'ECONNREFUSED', verb: 'POST', host })).toBe(3);
  expect(metrics.value('rest_client_requests_total', { code: '<error>', method: 'POST', host })).toBe(4);
});

test('a server that does not answer is given up at the deadline', async () => {
  const clock = new ManualClock();
  server.failNext(any, () => {});
  const request = transportTo({ clock }).request({ path, maxRetries: 0, timeoutMs: 5_000 }, never);
  const outcome = expect(request).rejects.toMatchObject({ code: 'TIMEOUT', sent: true });
  await vi.waitFor(() => expect(server.requests).toHaveLength(1));
  await clock.advance(5_000);
  await outcome;
});

test('a server that stops in the middle of its answer is given up at the deadline too', async () => {
  const clock = new ManualClock();
  server.failNext(any, (response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{"a":'));
  const request = transportTo({ clock }).request({ path, maxRetries: 0, timeoutMs: 5_000 }, never);
  const outcome = expect(request).rejects.toMatchObject({ code: 'TIMEOUT' });
  await vi.waitFor(() => expect(server.requests).toHaveLength(1));
  await clock.advance(5_000);
  await outcome;
});

test('an abort ends a request with its reason, on the wire and while it waits to be sent again', async () => {
  const onTheWire = new AbortController();
  server.failNext(any, () => onTheWire.abort(new Error('enough')));
  await expect(transportTo().request({ path }, onTheWire.signal)).rejects.toThrow('enough');
  const waiting = new AbortController();
  const clock = new ManualClock();
  server.failNext(any, (response) => fail(response, 429, 'TooManyRequests', 'slow down', {}, { 'retry-after': '30' }));
  const request = transportTo({ clock }).request({ path }, waiting.signal);
  await vi.waitFor(() => expect(clock.waits).toEqual([30_000]));
  waiting.abort(new Error('enough'));
  await expect(request).rejects.toThrow('enough');
});

test('a request whose signal is aborted already is not sent', async () => {
  await expect(transportTo().request({ path }, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  await expect(transportTo().stream({ path, query: { watch: true } }, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  expect(server.requests).toEqual([]);
});

test('requests beyond the rate wait, urgent ones do not', async () => {
  server.put('configmaps', { metadata: { namespace: 'n', name: 'a' } });
  const clock = new ManualClock();
  const metrics = new RecordedMetrics();
  const transport = transportTo({ clock, metrics, rate: { qps: 2, burst: 1 } });
  await transport.request({ path }, never);
  const second = transport.request({ path }, never);
  await transport.request({ path, urgent: true }, never);
  expect(clock.waits).toEqual([500]);
  expect(server.requests).toHaveLength(2);
  await clock.advance(500);
  await second;
  expect(metrics.observed.filter(({ name }) => name === 'rest_client_rate_limiter_duration_seconds').map(({ value }) => value)).toEqual([
    0.5,
  ]);
});

test('connections are kept, never more than allowed, and an urgent request has its own', async () => {
  server.put('configmaps', { metadata: { namespace: 'n', name: 'a' } });
  const ports = new Set<number | undefined>();
  const held: (() => void)[] = [];
  const hold = () =>
    server.failNext(any, (response) => {
      ports.add(response.socket?.remotePort);
      held.push(() => answer(response, 200, {}));
    });
  const transport = transportTo({ maxInFlight: 2 });
  for (let request = 0; request < 6; request += 1) hold();
  const requests = Array.from({ length: 6 }, () => transport.request({ path }, never));
  await vi.waitFor(() => expect(held).toHaveLength(2));
  hold();
  const urgent = transport.request({ path, urgent: true }, never);
  await vi.waitFor(() => expect(held).toHaveLength(3));
  while (held.length > 0 || server.requests.length < 7) {
    held.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all([...requests, urgent]);
  expect(ports.size).toBe(3);
});

test('the metrics are those of client-go', async () => {
  const metrics = new RecordedMetrics();
  await expect(transportTo({ metrics }).request({ path }, never)).rejects.toThrow('404');
  const { host } = server.url;
  expect(metrics.value('rest_client_requests_total', { code: '404', method: 'GET', host })).toBe(1);
  expect(metrics.observed.map(({ name, labels }) => [name, labels])).toEqual([
    ['rest_client_request_duration_seconds', { verb: 'GET', host }],
  ]);
});

test('a server behind a path of its own is reached there', async () => {
  const connection: Connection = {
    server: new URL('/k8s/clusters/c-1', server.url),
    credentials: async () => ({ headers: {}, tls: {} }),
    invalidate() {},
  };
  await expect(transportTo({ connection }).request({ path: '/version' }, never)).rejects.toThrow('404');
  expect(server.requests[0]?.path).toBe('/k8s/clusters/c-1/version');
});

test('a token that the server does not take is read again, once', async () => {
  const tokens = ['old', 'new', 'new'];
  const invalidated: string[] = [];
  const connection: Connection = {
    server: server.url,
    credentials: async () => ({ headers: { authorization: tokens[0] ?? '' }, tls: {} }),
    invalidate: () => invalidated.push(tokens.shift() ?? ''),
  };
  const transport = transportTo({ connection });
  const refuse = () => server.failNext(any, (response) => fail(response, 401, 'Unauthorized', 'who?'));
  server.put('configmaps', { metadata: { namespace: 'n', name: 'a' } });
  refuse();
  expect((await transport.request({ path }, never)).code).toBe(200);
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['old', 'new']);
  refuse();
  await expect(transport.request({ path }, never)).rejects.toMatchObject({ code: 401 });
  expect([invalidated, server.requests.length]).toEqual([['old', 'new'], 3]);
});

test('a stream gives its bytes until it is aborted, and a refused one is an error', async () => {
  const stop = new AbortController();
  server.put('configmaps', { metadata: { name: 'a' } });
  const transport = transportTo();
  const stream = await transport.stream({ path: '/api/v1/configmaps', query: { watch: true, resourceVersion: 0 } }, stop.signal);
  const [first] = (
    await stream
      .iterator({ destroyOnReturn: false })
      .next()
      .then(({ value }) => String(value))
  ).split('\n');
  expect(JSON.parse(first ?? '')).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
  stop.abort(new Error('enough'));
  await expect(text(stream)).rejects.toThrow();
  await vi.waitFor(() => expect(server.watchers).toBe(0));
  server.failNext(any, (response) => fail(response, 410, 'Expired', 'too old'));
  await expect(transport.stream({ path: '/api/v1/configmaps', query: { watch: true } }, never)).rejects.toMatchObject({ code: 410 });
});

async function httpsServer(identity: SelfSigned): Promise<https.Server> {
  const tls = https.createServer(identity, (request, response) => answer(response, 200, { host: request.headers.host }));
  await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    tls.closeAllConnections();
    tls.close();
  });
  return tls;
}

function tlsConnection(tls: https.Server, credentials: Credentials[], extra: Partial<Connection> = {}): Connection {
  return {
    server: new URL(`https://127.0.0.1:${(tls.address() as AddressInfo).port}`),
    credentials: async () => credentials[0] ?? { headers: {}, tls: {} },
    invalidate: () => void (credentials.length > 1 && credentials.shift()),
    ...extra,
  };
}

test('a server whose certificate does not fit is refused; when the CA was rotated, the new one is read and it works', async () => {
  const [old, current] = [selfSigned('old'), selfSigned('current')];
  const tls = await httpsServer(current);
  const withOld: Credentials = { headers: {}, tls: { ca: old.cert } };
  const refused = transportTo({ connection: tlsConnection(tls, [withOld]), retry: { ...quick, maxRetries: 0 } });
  await expect(refused.request({ path: '/version' }, never)).rejects.toMatchObject({ name: 'NetworkError', sent: false });
  const rotated = tlsConnection(tls, [withOld, { headers: {}, tls: { ca: current.cert } }]);
  const transport = transportTo({ connection: rotated, retry: { ...quick, maxRetries: 0 } });
  expect((await transport.request({ path: '/version' }, never)).code).toBe(200);
});

test('the name in the certificate can be another than the address', async () => {
  const identity = selfSigned('named', 'api.internal');
  const tls = await httpsServer(identity);
  const named = { headers: {}, tls: { ca: identity.cert, servername: 'api.internal' } };
  expect((await transportTo({ connection: tlsConnection(tls, [named]) }).request({ path: '/' }, never)).code).toBe(200);
  const wrong = transportTo({
    connection: tlsConnection(tls, [{ headers: {}, tls: { ca: identity.cert, servername: 'other.internal' } }]),
    retry: { ...quick, maxRetries: 0 },
  });
  await expect(wrong.request({ path: '/' }, never)).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  const careless = { headers: {}, tls: { insecureSkipVerify: true } };
  expect((await transportTo({ connection: tlsConnection(tls, [careless]) }).request({ path: '/' }, never)).code).toBe(200);
});

test('a proxy is used for what lies behind it', async () => {
  const identity = selfSigned('behind');
  const tls = await httpsServer(identity);
  const connects: (string | undefined)[] = [];
  const proxy = createServer().on('connect', (request, socket) => {
    connects.push(request.url);
    const upstream = net.connect((tls.address() as AddressInfo).port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [upstream, socket]) end.on('error', () => {});
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  closing.push(() => void proxy.close());
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const connection = tlsConnection(tls, [{ headers: {}, tls: { ca: identity.cert } }], { proxyUrl });
  expect((await transportTo({ connection }).request({ path: '/' }, never)).code).toBe(200);
  expect(connects).toEqual([connection.server.host]);
});

test('a guarded write leaves only if it may in that very moment, also when it waited for a connection; reads and others are not asked', async () => {
  const transport = transportTo({ maxInFlight: 1 });
  let allowed = true;
  const guarded = transport.guarded(() => {
    if (!allowed) throw new Error('not any more');
  });
  const create = (name: string, by = guarded) =>
    by.request({ method: 'POST', path: '/api/v1/namespaces/n/configmaps', body: { metadata: { name } } }, never);
  // The second waits in the queue for the connection of the first, and by the time it gets it, things have changed.
  server.failNext(any, (response) => {
    allowed = false;
    response.writeHead(201, { 'content-type': 'application/json' }).end('{}');
  });
  const [first, second] = await Promise.allSettled([create('a'), create('b')]);
  expect([first.status, second]).toEqual(['fulfilled', { status: 'rejected', reason: new Error('not any more') }]);
  await expect(create('c')).rejects.toThrow('not any more');
  await expect(guarded.request({ path }, never)).rejects.toMatchObject({ code: 404 });
  expect((await create('d', transport)).code).toBe(201);
  expect(server.requests.filter(({ method }) => method === 'POST').length).toBe(2);
});
