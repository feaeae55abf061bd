/**
 * The webhooks before the judge that matters: a real API server calls them, by HTTPS, with the certificate that they made for
 * themselves, and under the rights that deploy/default gives and no others.
 */
import { existsSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAUSE_MARKER } from '../../src/api/markers.ts';
import { Client } from '../../src/kube/client.ts';
import { systemClock } from '../../src/kube/clock.ts';
import { ApiError } from '../../src/kube/errors.ts';
import { resourcePath, type WireObject } from '../../src/kube/object.ts';
import { RecordedLog } from '../../src/kube/testing/telemetry-recorder.ts';
import { Transport } from '../../src/kube/transport.ts';
import { NODE_POOL, TENANT_NETWORK } from '../../src/operator/resources.ts';
import { configurations, MUTATING, VALIDATING, type WebhookConfiguration } from '../../src/operator/webhook/configurations.ts';
import { openWebhooks } from '../../src/operator/webhook/open.ts';
import { issue, type KeyPair, makeAuthority } from '../../src/operator/webhook/self-made/issue.ts';
import { SECRET_NAME, SelfMadeCertificate } from '../../src/operator/webhook/self-made/self-made-certificate.ts';
import { World } from '../../src/operator/world/world.ts';
import { freePorts } from '../../tools/testing/ports.ts';
import { eventually, type Hub, startHub } from '../operator/hub.ts';
import * as play from '../operator/player.ts';
import { asOperator, installedObjects } from './installation.ts';

const DAY = 24 * 3_600_000;
const one = play.tenant(1);
const two = play.tenant(2);
const log = new RecordedLog();
const stop = new AbortController();
/** The clock of the certificates. Those made under it have to be valid on the API server's clock too, so it is moved within the past. */
let offset = 0;
const clock = { ...systemClock, now: () => Date.now() + offset };

let hub: Hub;
let world: World;
let port: number;
let client: Client;
let webhooks: { readonly ended: Promise<void>; end(): Promise<void> };

beforeAll(async () => {
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
  offset = -(4 * 365 + 2) * DAY;
  await source().current(stop.signal);
  offset = -80 * DAY;
  webhooks = serve();
  await called();
});
afterAll(async () => {
  stop.abort();
  await webhooks?.ended;
  await hub?.stop();
});

const source = () => new SelfMadeCertificate({ client, namespace: 'hcpio-system', names: ['127.0.0.1'], clock, log });

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
async function passedUnasked(): Promise<number> {
  const { body } = await hub.transport.request<string>({ method: 'GET', path: '/metrics' }, stop.signal);
  const counts = body.matchAll(/^apiserver_admission_webhook_fail_open_count\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The API server hears of configurations and authorities at its own pace, and of each configuration by itself. */
const called = () =>
  eventually('the API server to call', async () => {
    const before = await passedUnasked();
    return (await refusal(overlapping('probe'))) !== undefined && (await passedUnasked()) === before;
  });

const overlapping = (name: string, cidr = '10.200.1.128/25') =>
  play.tenantNetwork({ ...two, name }, { segment: { attachment: one.attachment, cidrs: [cidr] } });

interface Answer {
  readonly object: WireObject & { readonly spec?: Record<string, unknown> };
  readonly warnings: string;
}

async function create(object: WireObject, dryRun = true): Promise<Answer> {
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

const messageOf = (error: unknown): string => {
  if (error instanceof ApiError) return error.status.message ?? '';
  throw error;
};
/** What the API server says against it, or undefined when it takes it. */
const refusal = (object: WireObject): Promise<string | undefined> =>
  create(object).then(
    () => undefined,
    (error: unknown) => messageOf(error),
  );
const patch = (name: string, body: object, subresource?: string) =>
  hub.client.patch(
    TENANT_NETWORK,
    { namespace: two.namespace, name },
    { type: 'merge', body },
    stop.signal,
    subresource ? { subresource } : {},
  );

describe('TenantNetworks', () => {
  test('a network that another tenant has on the same segment is refused, with the code and what to do', async () => {
    expect(await refusal(overlapping('clash'))).toBe(
      'admission webhook "validate.tenantnetwork.hcpio.io" denied the request: HCPIO-NET-014 spec.segment.cidrs[0]: 10.200.1.128/25 overlaps 10.200.1.0/24 of tenant clusters/t1 on the same segment (default/vlan1). Fix: give each tenant its own attachment (VLAN), or networks that do not overlap\n' +
        'HCPIO-NET-014 spec.segment.cidrs[0]: 10.200.1.128/25 overlaps 10.200.1.128/25 of tenant clusters/older on the same segment (default/vlan1). Fix: give each tenant its own attachment (VLAN), or networks that do not overlap',
    );
  });

  test.each([
    [
      'text that would break out of a configuration file',
      { gateway: { dns: { records: [{ name: 'a.example.com', type: 'TXT', value: 'x\ny' }] } } },
      'HCPIO-IN-008',
    ],
    ['a reserved range that is none', { segment: { attachment: two.attachment, reserved: ['nonsense'] } }, 'HCPIO-NET-011'],
    ['a mode that is not built', { mode: 'PrimaryUDN' }, 'HCPIO-MODE-001'],
    ['a DHCP option that hcpio sets itself', { gateway: { dhcp: { options: [{ code: 3, data: '10.0.0.1' }] } } }, 'HCPIO-DHCP-001'],
  ])('%s is refused', async (_, spec, code) => {
    expect(await refusal(play.tenantNetwork(two, spec))).toMatch(new RegExp(`denied the request: ${code}.*Fix: `, 's'));
  });

  test('a second one for the same cluster is refused', async () => {
    expect(await refusal(play.tenantNetwork({ ...two, name: 'second' }, { hostedCluster: 't1' }))).toContain('HCPIO-TEN-007');
  });

  test('one that is good is stored with every default in it', async () => {
    const { object, warnings } = await create(play.tenantNetwork(two), false);
    expect({ spec: object.spec, warnings }).toEqual({
      spec: {
        segment: { attachment: 'default/vlan2', cidrs: [], mtu: 1500, reserved: [] },
        mode: 'Gateway',
        gateway: {
          availability: 'HighlyAvailable',
          addresses: {},
          dhcp: { serve: 'KnownMachines', leaseSeconds: 900, poolSize: 4096, ntpServers: [], options: [] },
          dns: { upstreams: [], records: [] },
          apps: 'Gateway',
          ports: [],
        },
        nodePools: 'Gate',
        deletionPolicy: 'Delete',
      },
      warnings: '',
    });
  });

  test('one whose cluster is not there yet is taken, with a warning', async () => {
    const { warnings } = await create(
      play.tenantNetwork({ ...two, name: 'early' }, { segment: { attachment: 'default/vlan3', cidrs: ['10.210.0.0/24'] } }),
    );
    expect(warnings.match(/HCPIO-[A-Z]+-\d+/g)).toEqual(['HCPIO-ATT-001', 'HCPIO-TEN-001']);
  });

  test('one that was let in with a mistake can still be changed, labelled and deleted, but not be made worse', async () => {
    await patch('older', { metadata: { labels: { a: 'b' }, finalizers: ['example.com/kept'] } });
    await patch('older', { spec: { nodePools: 'Ignore' } });
    await expect(patch('older', { spec: { segment: { cidrs: ['10.200.1.0/25'] } } }).catch(messageOf)).resolves.toContain('HCPIO-NET-014');
    await hub.client.delete(TENANT_NETWORK, { namespace: two.namespace, name: 'older' }, stop.signal);
    await patch('older', { metadata: { finalizers: null } });
    expect(await hub.client.find(TENANT_NETWORK, { namespace: two.namespace, name: 'older' }, stop.signal)).toBeUndefined();
  });
});

describe('NodePools', () => {
  const held = ({ object }: Answer) => ({ pausedUntil: object.spec?.['pausedUntil'], marker: object.metadata.annotations?.[PAUSE_MARKER] });
  const pool = (changes: { spec?: object; annotations?: Record<string, string> } = {}, of = one): WireObject => {
    const made = play.nodePool(of, 'new') as WireObject & { spec: object };
    return {
      ...made,
      metadata: { ...made.metadata, ...(changes.annotations ? { annotations: changes.annotations } : {}) },
      spec: { ...made.spec, ...changes.spec },
    };
  };

  test('a new one of a gated tenant is paused, with and without annotations of its own', async () => {
    const expected = { pausedUntil: 'true', marker: 'true' };
    expect([held(await create(pool())), held(await create(pool({ annotations: { a: 'b' } })))]).toEqual([expected, expected]);
  });

  test("a person's pause stays a person's", async () => {
    expect(held(await create(pool({ spec: { pausedUntil: '2027-01-01T00:00:00Z' } })))).toEqual({
      pausedUntil: '2027-01-01T00:00:00Z',
      marker: undefined,
    });
  });

  test('one of a cluster without a TenantNetwork is left alone', async () => {
    expect(held(await create(pool({}, { ...one, name: 'nobody' })))).toEqual({ pausedUntil: undefined, marker: undefined });
  });

  test('one of a tenant whose segment is proven starts at once', async () => {
    const paused = { pausedUntil: 'true', marker: 'true' };
    await eventually('it to be held before', async () => isDeepStrictEqual(held(await create(pool({}, two))), paused));
    const proven = { type: 'SegmentProven', status: 'True', reason: 'Proven', message: 'seen', lastTransitionTime: '2026-01-01T00:00:00Z' };
    await patch(two.name, { status: { conditions: [proven] } }, 'status');
    await eventually('the operator to hear of it', async () => held(await create(pool({}, two))).pausedUntil === undefined);
  });
});

/** The serial number of what is shown to whoever trusts this authority. */
const shown = (ca: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', ca }, () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber ?? '');
      socket.end();
    });
    socket.on('error', reject);
  });

describe('the certificate', () => {
  const secret = () =>
    hub.client.get<WireObject & { data: Record<string, string> }>(SECRETS, { namespace: 'hcpio-system', name: SECRET_NAME }, stop.signal);
  const SECRETS = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true };
  const decoded = async (name: string) => Buffer.from((await secret()).data[name] ?? '', 'base64').toString();

  const bundles = async () => {
    const found = await Promise.all(
      [MUTATING, VALIDATING].map((resource) => hub.client.get<WebhookConfiguration>(resource, { name: 'hcpio' }, stop.signal)),
    );
    return found.flatMap(({ webhooks: all }) => all.map(({ clientConfig }) => atob(clientConfig.caBundle ?? '')));
  };
  const isTold = async () => {
    const ca = await decoded('ca.crt');
    return (await bundles()).every((bundle) => bundle === ca);
  };

  test('leaf and authority are replaced while requests go on, and not one of them fails', async () => {
    const before = { ca: await decoded('ca.crt'), authority: await decoded('authority.crt') };
    const first = await shown(before.ca);
    const unasked = await passedUnasked();
    let asked = 0;
    const slipped: number[] = [];
    const asking = new AbortController();
    const stream = (async () => {
      // A failed call would let it pass, because that is what the configuration says.
      for (; !asking.signal.aborted; asked++) if ((await refusal(overlapping(`asked-${asked}`))) === undefined) slipped.push(asked);
    })();
    const more = (count: number) => eventually('requests', async () => asked >= count);

    offset = -15 * DAY;
    await eventually('another leaf', async () => (await shown(before.ca)) !== first);
    await more(asked + 10);
    const renewed = await shown(before.ca);
    offset = -1.5 * DAY;
    await eventually('the next authority to be trusted', async () => (await decoded('next.crt')) !== '' && (await isTold()));
    await more(asked + 10);
    const both = await decoded('ca.crt');
    offset = 0;
    await eventually('the next authority to sign', async () => (await decoded('next.crt')) === '' && (await shown(both)) !== renewed);
    await more(asked + 20);
    asking.abort();
    await stream;

    const after = { ca: await decoded('ca.crt'), authority: await decoded('authority.crt') };
    expect({
      slipped,
      unasked: (await passedUnasked()) - unasked,
      changed: [renewed !== first, after.authority !== before.authority],
      bundles: new Set(await bundles()),
    }).toEqual({
      slipped: [],
      unasked: 0,
      changed: [true, true],
      bundles: new Set([after.ca]),
    });
    expect(asked).toBeGreaterThan(30);
    await expect(shown(before.ca)).rejects.toThrow();
  });

  test('a Secret that somebody spoiled is made anew, and the API server is told', async () => {
    const spoiled = Buffer.from('nonsense').toString('base64');
    await hub.client.patch(
      SECRETS,
      { namespace: 'hcpio-system', name: SECRET_NAME },
      { type: 'merge', body: { data: { 'tls.crt': spoiled } } },
      stop.signal,
    );
    await eventually('a good one', async () => (await decoded('tls.crt')) !== 'nonsense' && (await isTold()));
    await called();
  });

  test('replicas that start at once agree on one authority', async () => {
    await webhooks.end();
    await hub.client.delete(SECRETS, { namespace: 'hcpio-system', name: SECRET_NAME }, stop.signal);
    const [a, b, c] = await Promise.all([source(), source(), source()].map((replica) => replica.current(stop.signal)));
    expect([b, c]).toEqual([a, a]);
    webhooks = serve();
    await called();
  });
});

describe('a certificate that somebody else makes, mounted as files', () => {
  const dir = mkdtempSync(join(tmpdir(), 'hcpio-webhook-'));
  const validity = { notBefore: new Date(Date.now() - DAY), notAfter: new Date(Date.now() + DAY) };
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  /** As kubelet does it: new files beside the old, and then one link is turned. */
  async function mount(authority: KeyPair): Promise<void> {
    const { cert, key } = await issue(authority, ['127.0.0.1'], validity);
    const fresh = mkdtempSync(join(dir, '..'));
    writeFileSync(join(fresh, 'tls.crt'), cert);
    writeFileSync(join(fresh, 'tls.key'), key);
    const link = join(dir, '..data');
    rmSync(`${link}.next`, { force: true });
    symlinkSync(fresh, `${link}.next`);
    renameSync(`${link}.next`, link);
    for (const file of ['tls.crt', 'tls.key']) if (!existsSync(join(dir, file))) symlinkSync(join('..data', file), join(dir, file));
  }

  /** What service-ca and cert-manager's injector write into the configurations. */
  async function trust(...authorities: readonly KeyPair[]): Promise<void> {
    const caBundle = btoa(authorities.map(({ cert }) => cert).join(''));
    for (const resource of [MUTATING, VALIDATING]) {
      const { webhooks: all } = await hub.client.get<WebhookConfiguration>(resource, { name: 'hcpio' }, stop.signal);
      const body = { webhooks: all.map((webhook) => ({ ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } })) };
      await hub.client.patch(resource, { name: 'hcpio' }, { type: 'merge', body }, stop.signal);
    }
  }

  test('is shown, and another one as soon as the files are others, without a request that fails', async () => {
    const [first, second] = await Promise.all([makeAuthority('first', validity), makeAuthority('second', validity)]);
    await webhooks.end();
    await mount(first);
    await trust(first);
    webhooks = serve(dir);
    await called();
    const unasked = await passedUnasked();
    const slipped: number[] = [];
    let asked = 0;
    const asking = new AbortController();
    const stream = (async () => {
      for (; !asking.signal.aborted; asked++) if ((await refusal(overlapping(`mounted-${asked}`))) === undefined) slipped.push(asked);
    })();
    const more = () => {
      const count = asked + 10;
      return eventually('requests', async () => asked >= count);
    };
    await trust(first, second);
    await more();
    await mount(second);
    await eventually('the second to be shown', () => shown(second.cert).then(Boolean));
    await more();
    asking.abort();
    await stream;
    expect({ slipped, unasked: (await passedUnasked()) - unasked }).toEqual({ slipped: [], unasked: 0 });
    await expect(shown(first.cert)).rejects.toThrow();
  });
});

test('a webhook that is stopped blocks nobody', async () => {
  await webhooks.end();
  const unasked = await passedUnasked();
  const { object } = await create(play.nodePool(one, 'unattended'));
  expect(object.spec?.['pausedUntil']).toBeUndefined();
  expect(await refusal(overlapping('unattended'))).toBeUndefined();
  // All three of them, one for the NodePool and two for the TenantNetwork.
  expect((await passedUnasked()) - unasked).toBe(3);
});

test('nothing was forbidden, and nothing failed', () => {
  expect(log.lines.filter(({ level }) => level === 'error').map(({ message, fields }) => [message, String(fields['err'])])).toEqual([]);
  expect(world.informers.filter(({ state }) => state.phase === 'forbidden').map(({ name }) => name)).toEqual([]);
});
