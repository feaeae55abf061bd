import { once } from 'node:events';
import { Agent, type AgentOptions, request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { selfSigned } from '../../kube/testing/certificates.ts';
import { ManualClock } from '../../kube/testing/manual-clock.ts';
import { RecordedLog } from '../../kube/testing/telemetry-recorder.ts';
import type { Certificate } from './certificate.ts';
import { PATHS } from './configurations.ts';
import { hub, tenantObject } from './testing/hub.ts';
import { Webhooks } from './webhooks.ts';

const [one, two] = [selfSigned('one'), selfSigned('two')];
const stop: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of stop.splice(0)) await end();
});

function agent(options: AgentOptions = {}): Agent {
  // A resumed session shows no certificate.
  const made = new Agent({ ...options, maxCachedSessions: 0 });
  stop.push(async () => made.destroy());
  return made;
}

interface Served {
  readonly webhooks: Webhooks;
  readonly clock: ManualClock;
  readonly log: RecordedLog;
  readonly measured: { readonly requests: string[]; readonly expiries: number[] };
  readonly source: { now: Certificate | Error };
  readonly end: () => Promise<void>;
}

function serve(first: Certificate | Error): Served {
  const clock = new ManualClock();
  const log = new RecordedLog();
  const source = { now: first };
  const measured = { requests: [] as string[], expiries: [] as number[] };
  const webhooks = new Webhooks({
    hub: hub(),
    source: { name: 'test', current: () => (source.now instanceof Error ? Promise.reject(source.now) : Promise.resolve(source.now)) },
    clock,
    log,
    metrics: {
      served: (path, status) => measured.requests.push(`${path} ${status}`),
      certificate: (expiry) => measured.expiries.push(expiry),
    },
    port: 0,
    host: '127.0.0.1',
    lookEveryMs: 60_000,
  });
  const controller = new AbortController();
  const running = webhooks.run(controller.signal);
  const end = async () => {
    controller.abort();
    await running;
  };
  stop.push(end);
  return { webhooks, clock, log, measured, source, end };
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
};

interface Answer {
  readonly status: number;
  readonly shown: string;
}

async function ask(port: number, body: string, client: Agent): Promise<Answer> {
  const asked = request({ host: '127.0.0.1', port, path: PATHS.validate, method: 'POST', agent: client, rejectUnauthorized: false });
  asked.end(body);
  const [response] = await once(asked, 'response');
  const shown = (response.socket as TLSSocket).getPeerCertificate().subject.CN as string;
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode, shown };
}

const BODY = JSON.stringify({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'u', operation: 'CREATE', namespace: 'clusters', name: 'blue', object: tenantObject() },
});

test('a renewed certificate is shown to new connections, and no request is lost on the old ones', async () => {
  const { webhooks, clock, source, measured } = serve(one);
  await until(() => webhooks.port !== undefined);
  const port = webhooks.port ?? 0;
  const kept = agent({ keepAlive: true, maxSockets: 1 });
  const before = await ask(port, BODY, kept);
  source.now = two;
  await clock.advance(60_000);
  await until(() => measured.expiries.length === 2);
  const fresh = agent({ keepAlive: true });
  expect([before, await ask(port, BODY, kept), await ask(port, BODY, fresh)]).toEqual([
    { status: 200, shown: 'one' },
    { status: 200, shown: 'one' },
    { status: 200, shown: 'two' },
  ]);
  expect(measured).toEqual({ requests: Array(3).fill(`${PATHS.validate} 200`), expiries: [4102444799, 4102444799] });
});

test('without a certificate nothing is served, it is told, and tried again soon', async () => {
  const { webhooks, clock, log, source } = serve(new Error('not mounted'));
  await until(() => log.messages('warn').length === 1);
  expect(webhooks.port).toBeUndefined();
  source.now = one;
  await clock.advance(5_000);
  await until(() => webhooks.port !== undefined);
  expect(log.messages('warn')).toEqual(['the certificate of the webhooks cannot be had']);
});

test('a certificate that cannot be renewed for a while stays in use', async () => {
  const { webhooks, clock, log, source } = serve(one);
  await until(() => webhooks.port !== undefined);
  source.now = new Error('the API server is away');
  await clock.advance(60_000);
  await until(() => log.messages('warn').length === 1);
  const client = agent();
  expect(await ask(webhooks.port ?? 0, BODY, client)).toEqual({ status: 200, shown: 'one' });
});

test('a body larger than any that an API server sends is cut off', async () => {
  const { webhooks } = serve(one);
  await until(() => webhooks.port !== undefined);
  const client = agent();
  const answer = await ask(webhooks.port ?? 0, 'x'.repeat((8 << 20) + 1), client).catch((error: NodeJS.ErrnoException) => error.code);
  // Whether the client still hears the 413 depends on how much it had sent.
  expect([413, 'ECONNRESET', 'EPIPE']).toContain(typeof answer === 'object' ? answer.status : answer);
  expect(await ask(webhooks.port ?? 0, BODY, client)).toEqual({ status: 200, shown: 'one' });
});

test('stopping answers what was asked and lets nobody hang', async () => {
  const { webhooks, end } = serve(one);
  await until(() => webhooks.port !== undefined);
  const port = webhooks.port ?? 0;
  const client = agent({ keepAlive: true });
  expect((await ask(port, BODY, client)).status).toBe(200);
  await end();
  expect(webhooks.port).toBeUndefined();
  const other = agent();
  await expect(ask(port, BODY, other)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
