import { X509Certificate } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { due, type Keyring, type Step, take, trusted } from './keyring.ts';
import { decode, encode } from './keyring-secret.ts';

const NAMES = ['hcpio-webhook.hcpio-system.svc', '127.0.0.1'];
const DAY = 24 * 3_600_000;
const START = Date.parse('2026-01-02T03:04:05Z');
let first: Keyring;

beforeAll(async () => {
  first = await take('make all', undefined, NAMES, START);
});

const certificates = (pem: string): string[] => pem.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----\n/g) ?? [];
const verifies = (keyring: Keyring, bundle: string): boolean =>
  certificates(bundle).some((pem) => {
    const authority = new X509Certificate(pem);
    const leaf = new X509Certificate(keyring.leaf.cert);
    return leaf.checkIssued(authority) && leaf.verify(authority.publicKey);
  });

test('nothing is due right after everything was made', () => {
  expect(due(first, NAMES, START)).toBeUndefined();
});

test('the leaf is for the names that were asked for, for servers, and not an authority', () => {
  const leaf = new X509Certificate(first.leaf.cert);
  expect({ names: leaf.subjectAltName, ca: leaf.ca, usage: leaf.keyUsage, subject: leaf.subject }).toEqual({
    names: 'DNS:hcpio-webhook.hcpio-system.svc, IP Address:127.0.0.1',
    ca: false,
    usage: ['1.3.6.1.5.5.7.3.1'],
    subject: 'CN=hcpio-webhook.hcpio-system.svc',
  });
  expect(verifies(first, trusted(first))).toBe(true);
});

test('it survives being written down and read back', async () => {
  const later = await take('add an authority', first, NAMES, START);
  const promoted = await take('promote the next authority', later, NAMES, START + DAY);
  expect([decode(encode(first)), decode(encode(later)), decode(encode(promoted))]).toEqual([first, later, promoted]);
});

test.each<[string, Step | undefined, (keyring: Keyring) => Keyring | undefined, number]>([
  ['there is none', 'make all', () => undefined, 0],
  ['the leaf has 31 days left', undefined, (k) => k, 59 * DAY],
  ['the leaf has less than 30 days left', 'renew the leaf', (k) => k, 61 * DAY],
  ['the leaf is expired', 'renew the leaf', (k) => k, 100 * DAY],
  ['the authority has less than a year left', 'add an authority', (k) => k, 4 * 365 * DAY + DAY],
  ['the authority is expired', 'make all', (k) => k, 5 * 365 * DAY + DAY],
  ['somebody wrote nonsense into the leaf', 'make all', (k) => ({ ...k, leaf: { ...k.leaf, cert: 'nonsense' } }), 0],
  ['somebody took the key of the authority', 'make all', (k) => ({ ...k, authority: { ...k.authority, key: '' } }), 0],
  ['somebody wrote nonsense into the next authority', 'add an authority', (k) => ({ ...k, next: { cert: 'x', key: 'y' } }), 0],
])('when %s: %s', (_, step, change, after) => {
  expect(due(change(first), NAMES, START + after)).toBe(step);
});

test('another name for the Service takes another leaf, under the same authority', async () => {
  const names = [...NAMES, 'hcpio-webhook.elsewhere.svc'];
  expect(due(first, names, START)).toBe('renew the leaf');
  const renewed = await take('renew the leaf', first, names, START);
  expect({ due: due(renewed, names, START), authority: renewed.authority, verified: verifies(renewed, trusted(first)) }).toEqual({
    due: undefined,
    authority: first.authority,
    verified: true,
  });
});

test('over ten years, nobody is shown a leaf that the bundle of the day before does not verify', async () => {
  let keyring = first;
  let known = trusted(first);
  const steps: Step[] = [];
  for (let day = 0; day < 3650; day++) {
    const now = START + day * DAY;
    for (let step = due(keyring, NAMES, now); step !== undefined; step = due(keyring, NAMES, now)) {
      steps.push(step);
      keyring = await take(step, keyring, NAMES, now);
    }
    const leaf = new X509Certificate(keyring.leaf.cert);
    const valid = leaf.validFromDate.getTime() <= now && now < leaf.validToDate.getTime();
    if (!valid || !verifies(keyring, known)) throw new Error(`day ${day}: ${valid ? 'not verified' : 'not valid'} after ${steps.at(-1)}`);
    known = trusted(keyring);
  }
  const counted = Object.fromEntries(
    Map.groupBy(steps, (step) => step)
      .entries()
      .map(([step, all]) => [step, all.length]),
  );
  // Leaves: every 60 days, and two come with a new authority instead of by themselves.
  expect(counted).toEqual({ 'renew the leaf': expect.any(Number), 'add an authority': 2, 'promote the next authority': 2 });
  expect(certificates(known).length).toBeLessThanOrEqual(3);
});
