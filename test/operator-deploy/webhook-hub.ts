/**
 * Webhooks before the judge that matters: a real API server calls them, by HTTPS, with the certificate that they made for themselves, and
 * under the rights that deploy/default gives and no others.
 */
import { readFile } from 'node:fs/promises';
import { Client } from '../../src/kube/client.ts';
import { systemClock } from '../../src/kube/clock.ts';
import { ApiError } from '../../src/kube/errors.ts';
import { resourcePath, type WireObject } from '../../src/kube/object.ts';
import { RecordedLog } from '../../src/kube/testing/telemetry-recorder.ts';
import { Transport } from '../../src/kube/transport.ts';
import { NODE_POOL, TENANT_NETWORK } from '../../src/operator/resources.ts';
import { configurations } from '../../src/operator/webhook/configurations.ts';
import { openWebhooks } from '../../src/operator/webhook/open.ts';
import { SelfMadeCertificate } from '../../src/operator/webhook/self-made/self-made-certificate.ts';
import { World } from '../../src/operator/world/world.ts';
import { freePorts } from '../../tools/testing/ports.ts';
import { eventually, type Hub, startHub } from '../operator/hub.ts';
import * as play from '../operator/player.ts';
import { asOperator, installedObjects } from './installation.ts';

export const DAY = 24 * 3_600_000;
export const one = play.tenant(1);
export const two = play.tenant(2);
const log = new RecordedLog();
export const stop = new AbortController();
/** The clock of the certificates. Those made under it have to be valid on the API server's clock too, so it is moved within the past. */
let offset = 0;
const clock = { ...systemClock, now: () => Date.now() + offset };

export let hub: Hub;
let world: World;
export let port: number;
let client: Client;
let webhooks: { readonly ended: Promise<void>; end(): Promise<void> };

export async function open(): Promise<void> {
  hub = await startHub();
  await play.playTenant(hub, one);
  await play.playTenant(hub, two);
  // Before there are webhooks: two tenants on one segment, as an older version may have let them in.
  await hub.apply(play.tenantNetwork(one));
  await hub.apply(overlapping('older'));
  await hub.apply(play.namespace('hcpio-system'));
  for (const object of installedObjects('default')) if (/Role|ServiceAccount/.test(object.kind)) await hub.apply(object);
  [port = 0] = await freePorts(1);
  for (const object of configurations((path) => ({ url: `https://127.0.0.1:${port}${path}` })))
    await hub.apply(object as unknown as WireObject);
  const transport = new Transport({ connection: asOperator(hub.controlPlane), userAgent: 'webhook-test', log });
  client = new Client(transport);
  world = new World({ transport, log });
  for (const informer of world.informers) void informer.run(stop.signal);
  await world.synced(stop.signal);
  setDay(-(4 * 365 + 2));
  await source().current(stop.signal);
  setDay(-80);
  await begin();
}

export async function close(): Promise<void> {
  stop.abort();
  await webhooks?.ended;
  await hub?.stop();
}

/** Counted from today. */
export function setDay(day: number): void {
  offset = day * DAY;
}

/** The webhooks serve, and the API server calls them. */
export async function begin(certificateDirectory?: string): Promise<void> {
  webhooks = serve(certificateDirectory);
  await called();
}

export const end = (): Promise<void> => webhooks.end();

/** Another replica's certificate. */
export const source = () => new SelfMadeCertificate({ client, namespace: 'hcpio-system', names: ['127.0.0.1'], clock, log });

function serve(certificateDirectory?: string) {
  const ending = new AbortController();
  const running = openWebhooks({
    world,
    client,
    namespace: 'hcpio-system',
    certificateDirectory,
    readFile: (path, signal) => readFile(path, { encoding: 'utf8', signal }),
    clock,
    log,
    metrics: { count() {}, gauge() {}, observe() {} },
    serve: { port, host: '127.0.0.1', names: ['127.0.0.1'], lookEveryMs: 50 },
  });
  const ended = running.run(AbortSignal.any([ending.signal, stop.signal]));
  return {
    ended,
    async end() {
      ending.abort();
      await ended;
    },
  };
}

/** How often the API server went on without an answer of ours: of the defaults nothing else would tell. */
export async function passedUnasked(): Promise<number> {
  const { body } = await hub.transport.request<string>({ method: 'GET', path: '/metrics' }, stop.signal);
  const counts = body.matchAll(/^apiserver_admission_webhook_fail_open_count\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The API server hears of configurations and authorities at its own pace, and of each configuration by itself. */
export const called = () =>
  eventually('the API server to call', async () => {
    const before = await passedUnasked();
    return (await refusal(overlapping('probe'))) !== undefined && (await passedUnasked()) === before;
  });

export const overlapping = (name: string, cidr = '10.200.1.128/25') =>
  play.tenantNetwork({ ...two, name }, { segment: { attachment: one.attachment, cidrs: [cidr] } });

export interface Answer {
  readonly object: WireObject & { readonly spec?: Record<string, unknown> };
  readonly warnings: string;
}

export async function create(object: WireObject, dryRun = true): Promise<Answer> {
  const resource = object.kind === 'NodePool' ? NODE_POOL : TENANT_NETWORK;
  const { body, headers } = await hub.transport.request<Answer['object']>(
    {
      method: 'POST',
      path: resourcePath(resource, object.metadata.namespace),
      query: { fieldValidation: 'Strict', ...(dryRun ? { dryRun: 'All' } : {}) },
      body: object,
    },
    stop.signal,
  );
  return { object: body, warnings: String(headers['warning'] ?? '') };
}

export const messageOf = (error: unknown): string => {
  if (error instanceof ApiError) return error.status.message ?? '';
  throw error;
};
/** What the API server says against it, or undefined when it takes it. */
export const refusal = (object: WireObject): Promise<string | undefined> =>
  create(object).then(
    () => undefined,
    (error: unknown) => messageOf(error),
  );
export const patch = (name: string, body: object, subresource?: string) =>
  hub.client.patch(
    TENANT_NETWORK,
    { namespace: two.namespace, name },
    { type: 'merge', body },
    stop.signal,
    subresource ? { subresource } : {},
  );

/** Asks again and again for what has to be refused, while something is done to the webhooks. */
export class Stream {
  #asked = 0;
  readonly #slipped: number[] = [];
  readonly #asking = new AbortController();
  readonly #unasked: number;
  readonly #running: Promise<void>;

  private constructor(unasked: number) {
    this.#unasked = unasked;
    this.#running = this.#run();
  }

  static async start(): Promise<Stream> {
    return new Stream(await passedUnasked());
  }

  async #run(): Promise<void> {
    for (; !this.#asking.signal.aborted; this.#asked++) {
      // A failed call would let it pass, because that is what the configuration says.
      if ((await refusal(overlapping(`asked-${this.#asked}`))) === undefined) this.#slipped.push(this.#asked);
    }
  }

  /** Returns when so many more were asked. */
  async more(count: number): Promise<void> {
    const wanted = this.#asked + count;
    await eventually('requests', async () => this.#asked >= wanted);
  }

  /** How many were asked, and of how many the webhooks were not, or gave the wrong answer. */
  async end() {
    this.#asking.abort();
    await this.#running;
    return { asked: this.#asked, slipped: this.#slipped, unasked: (await passedUnasked()) - this.#unasked };
  }
}

/** What was forbidden, and what failed. */
export const errors = (): readonly unknown[] => [
  ...log.lines.filter(({ level }) => level === 'error').map(({ message, fields }) => [message, String(fields['err'])]),
  ...world.informers.filter(({ state }) => state.phase === 'forbidden').map(({ name }) => name),
];
