/** The certificate that the API server trusts the webhooks by: their own, or one that somebody else makes. */
import { existsSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WireObject } from '../../src/kube/object.ts';
import { MUTATING, VALIDATING, type WebhookConfiguration } from '../../src/operator/webhook/configurations.ts';
import { issue, type KeyPair, makeAuthority } from '../../src/operator/webhook/self-made/issue.ts';
import { SECRET_NAME } from '../../src/operator/webhook/self-made/self-made-certificate.ts';
import { eventually } from '../operator/hub.ts';
import { begin, called, close, DAY, end, errors, hub, open, port, Stream, setDay, source, stop } from './webhook-hub.ts';

beforeAll(open);
afterAll(close);

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
    const stream = await Stream.start();
    setDay(-15);
    await eventually('another leaf', async () => (await shown(before.ca)) !== first);
    await stream.more(10);
    const renewed = await shown(before.ca);
    setDay(-1.5);
    await eventually('the next authority to be trusted', async () => (await decoded('next.crt')) !== '' && (await isTold()));
    await stream.more(10);
    const both = await decoded('ca.crt');
    setDay(0);
    await eventually('the next authority to sign', async () => (await decoded('next.crt')) === '' && (await shown(both)) !== renewed);
    await stream.more(20);
    const { asked, slipped, unasked } = await stream.end();
    const after = { ca: await decoded('ca.crt'), authority: await decoded('authority.crt') };
    expect({
      slipped,
      unasked,
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
    await end();
    await hub.client.delete(SECRETS, { namespace: 'hcpio-system', name: SECRET_NAME }, stop.signal);
    const [a, b, c] = await Promise.all([source(), source(), source()].map((replica) => replica.current(stop.signal)));
    expect([b, c]).toEqual([a, a]);
    await begin();
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
    await end();
    await mount(first);
    await trust(first);
    await begin(dir);
    const stream = await Stream.start();
    await trust(first, second);
    await stream.more(10);
    await mount(second);
    await eventually('the second to be shown', () => shown(second.cert).then(Boolean));
    await stream.more(10);
    const { slipped, unasked } = await stream.end();
    expect({ slipped, unasked }).toEqual({ slipped: [], unasked: 0 });
    await expect(shown(first.cert)).rejects.toThrow();
  });
});

test('nothing was forbidden, and nothing failed', () => {
  expect(errors()).toEqual([]);
});
