import { describe, expect, test } from 'vitest';
import { tenantNetworkSchema } from './crd.ts';
import { fillDefaults, readTenantNetwork } from './defaults.ts';
import { tenantNetwork } from './tenant-network.ts';

const tn = (spec: unknown, more: Record<string, unknown> = {}) => ({
  apiVersion: 'hcpio.io/v1alpha1',
  kind: 'TenantNetwork',
  metadata: { name: 'blue', namespace: 'clusters' },
  spec,
  ...more,
});
const short = { segment: { attachment: 'default/vlan100' } };

test('the shortest TenantNetwork gets every default of the modes-independent part', () => {
  expect(readTenantNetwork(tn(short)).value?.spec).toEqual({
    segment: { attachment: 'default/vlan100', cidrs: [], mtu: 1500, reserved: [] },
    mode: 'Gateway',
    nodePools: 'Gate',
    deletionPolicy: 'Delete',
  });
});

test.each([
  ['nothing', short],
  ['an empty gateway', { ...short, gateway: {} }],
  ['part of a gateway', { ...short, gateway: { dhcp: { serve: 'Anyone' } } }],
])('the defaults that the CRD declares are those of the parser: %s', (_, spec) => {
  const stored = fillDefaults(tenantNetworkSchema(), tn(spec)) as { spec: unknown };
  expect(stored.spec).toEqual(tenantNetwork.parse(tn(spec)).spec);
});

test('what a cluster adds to an object is no mistake', () => {
  const dumped = tn(short, { status: { anything: { goes: 1 } } });
  const metadata = { ...dumped.metadata, uid: 'x', generation: 3, managedFields: [{}], labels: { a: 'b' }, creationTimestamp: null };
  expect(readTenantNetwork({ ...dumped, metadata }).problems).toEqual([]);
});

describe('problems name the field, what is wrong with it and what to do', () => {
  test.each([
    [
      'a misspelt field',
      { segment: { atachment: 'a/b' } },
      'unknown',
      'spec.segment has no field "atachment"; did you mean attachment?',
      'write attachment instead',
    ],
    [
      'a field one level too high',
      { ...short, cidrs: [] },
      'unknown',
      'spec has no field "cidrs"; did you mean spec.segment.cidrs?',
      'move it to spec.segment.cidrs',
    ],
    [
      'a field that is nothing like any',
      { segment: { ...short.segment, colour: 'blue' } },
      'unknown',
      'spec.segment has no field "colour"; its fields are attachment, cidrs, router, mtu, reserved',
      'remove it',
    ],
    [
      'a field in a list',
      { ...short, gateway: { ports: [{ port: 1, service: 'x', servicePort: 2, snii: 'a' }] } },
      'unknown',
      'spec.gateway.ports[0] has no field "snii"; did you mean sni?',
      'write sni instead',
    ],
    [
      'settings of a mode without settings',
      { ...short, mode: 'LoadBalancer', loadBalancer: { vip: 1 } },
      'unknown',
      'spec.loadBalancer has no field "vip"; did you mean spec.gateway.addresses.vip?',
      'move it to spec.gateway.addresses.vip',
    ],
    [
      'a number in quotes',
      { segment: { ...short.segment, mtu: '1500' } },
      'value',
      'spec.segment.mtu must be a number, not the text "1500"',
      'remove the quotes: 1500',
    ],
    [
      'a text without quotes',
      { segment: { ...short.segment, router: 1 } },
      'value',
      'spec.segment.router must be a text, not 1',
      'put it in quotes: "1"',
    ],
    [
      'a text where a list is wanted',
      { segment: { ...short.segment, cidrs: '10.0.0.0/24' } },
      'value',
      'spec.segment.cidrs must be a list, not the text "10.0.0.0/24"',
      'write a list: [10.0.0.0/24]',
    ],
    [
      'a fraction',
      { segment: { ...short.segment, mtu: 1500.5 } },
      'value',
      'spec.segment.mtu must be a whole number, not 1500.5',
      'use a whole number',
    ],
    ['null', { ...short, gateway: null }, 'value', 'spec.gateway must be an object, not null', 'use an object'],
    [
      'too small a number',
      { segment: { ...short.segment, mtu: 576 } },
      'value',
      'spec.segment.mtu must be at least 1280, not 576',
      'use at least 1280',
    ],
    [
      'too long a list',
      { segment: { ...short.segment, cidrs: ['1', '2', '3'] } },
      'value',
      'spec.segment.cidrs must have at most 2 entries; this has 3',
      'use at most 2 entries',
    ],
    [
      'the wrong case',
      { ...short, mode: 'gateway' },
      'value',
      'spec.mode must be Gateway, LoadBalancer or PrimaryUDN, not the text "gateway"',
      'did you mean Gateway?',
    ],
    [
      'another word',
      { ...short, mode: 'Tunnel' },
      'value',
      'spec.mode must be Gateway, LoadBalancer or PrimaryUDN, not the text "Tunnel"',
      'use Gateway, LoadBalancer or PrimaryUDN',
    ],
    ['nothing', { segment: {} }, 'value', 'spec.segment.attachment is missing', 'add it: a text'],
    ['an empty text', { segment: { attachment: '' } }, 'value', 'spec.segment.attachment must not be empty', 'use at least 3 characters'],
    [
      'a form',
      { ...short, hostedCluster: 'Blue' },
      'value',
      'spec.hostedCluster is "Blue" and must be a DNS name: lower-case letters, digits, - and .',
      'write it in that form',
    ],
    [
      'a line break',
      { segment: { attachment: 'a/b\nc' } },
      'text',
      'spec.segment.attachment holds a line break, quote or control character: "a/b\\nc"',
      'write the plain text without it',
    ],
    [
      'a line break where a form is wanted',
      { ...short, hostedCluster: 'a\nb' },
      'text',
      'spec.hostedCluster holds a line break, quote or control character: "a\\nb"',
      'write the plain text without it',
    ],
    [
      'a line break in free text',
      { ...short, gateway: { dns: { records: [{ name: 'a.b', type: 'TXT', value: 'a\nb' }] } } },
      'text',
      'spec.gateway.dns.records[0].value holds a line break, quote or control character: "a\\nb"',
      'write the plain text without it',
    ],
  ])('%s', (_, spec, kind, message, fix) => {
    const { problems } = readTenantNetwork(tn(spec));
    expect(problems.map((p) => ({ kind: p.kind, message: p.message, fix: p.fix }))).toEqual([{ kind, message, fix }]);
  });
});

test('quotes may stand in free text', () => {
  expect(
    readTenantNetwork(tn({ ...short, gateway: { dns: { records: [{ name: 'a.b', type: 'TXT', value: 'say "hi"' }] } } })).problems,
  ).toEqual([]);
});

test('names that JavaScript knows are as unknown as others', () => {
  const spec = JSON.parse('{"segment":{"attachment":"a/b","constructor":1,"__proto__":{"x":1}}}') as unknown;
  expect(readTenantNetwork(tn(spec)).problems.map((p) => p.path.at(-1))).toEqual(['constructor', '__proto__']);
});
