import { expect, test } from 'vitest';
import { probeList } from '../gateway/probes.ts';
import { segmentMac } from '../gateway/segment-mac.ts';
import { dualStack } from '../gateway/testing/sample-plans.ts';
import { readAdvertisement, solicit } from './dhcp6-message.ts';
import { type Advertised, judgeAdvertised } from './dhcp6-solicit.ts';

const list = probeList(dualStack, {});
const dhcp6 = list.dhcp6 ?? expect.fail('there is IPv6');
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const SERVER_ID = '0002 0002 abcd';
const ADDRESS = '0005 0018 fd000100000000000000000000000005 00000384 00000384';
const IDENTITY = `0003 0028 00000001 00000000 00000000 ${ADDRESS}`;
const RESOLVERS = '0017 0020 fd000100000000000000000000000002 fd000100000000000000000000000004';

test('a question names the client by its MAC and asks for an address and the resolvers', () => {
  expect(solicit('02:00:00:00:01:05', 0x0a0b0c).toString('hex')).toBe(
    hex('01 0a0b0c 0001 000a 0003 0001 020000000105 0003 000c 00000001 00000000 00000000 0006 0004 0017 0018 0008 0002 0000').toString(
      'hex',
    ),
  );
});

test('an advertisement is read, and nothing else is one', () => {
  expect(readAdvertisement(hex(`02 0a0b0c ${SERVER_ID} ${IDENTITY} ${RESOLVERS}`))).toEqual({
    transaction: 0x0a0b0c,
    addresses: ['fd00:100::5'],
    resolvers: ['fd00:100::2', 'fd00:100::4'],
  });
  expect([
    readAdvertisement(hex(`07 0a0b0c ${SERVER_ID} ${IDENTITY}`)),
    readAdvertisement(hex(`02 0a0b0c ${IDENTITY}`)),
    readAdvertisement(hex(`02 0a0b0c ${SERVER_ID} 0003 0028 0000`)),
    readAdvertisement(Buffer.alloc(0)),
  ]).toEqual([undefined, undefined, undefined, undefined]);
});

const advertised = (change: Partial<Advertised> = {}): Advertised => ({
  transaction: 1,
  server: dhcp6.servers[1] ?? '',
  addresses: ['fd00:100::5'],
  resolvers: ['fd00:100::2', 'fd00:100::4'],
  ...change,
});
const judged = (...heard: readonly Advertised[]) => {
  const { results, rogueServers } = judgeAdvertised(list, dhcp6, heard, 3);
  return { told: results.map(({ subject, verdict, message }) => `${subject} ${verdict}: ${message}`), rogueServers };
};
const lonely = 'other DHCPv6 servers passed: nobody else gives out addresses';

test('the edges are known by the link-local addresses that follow from their MACs', () => {
  const mac = segmentMac(dualStack, { name: 'edge-a' }).split(':');
  expect(dhcp6.servers[0]).toMatch(new RegExp(`^fe80::[0-9a-f:]*ff:fe${mac[3]}:${mac[4]}${mac[5]}$`.replace(/:0+/g, ':')));
  expect(judged(advertised())).toEqual({
    told: ['SOLICIT passed: edge-b advertises an address and the resolvers as planned', lonely],
    rogueServers: [],
  });
});

test('silence, another network and other resolvers do not pass', () => {
  expect(judged().told[0]).toBe('SOLICIT failed: neither of edge-a, edge-b advertises an address');
  expect(judged(advertised({ addresses: ['fd66::1'], resolvers: [] })).told[0]).toBe(
    'SOLICIT failed: edge-b: no address of the segment is advertised, but fd66::1; option 23 (dns-servers) is missing instead of fd00:100::2, fd00:100::4',
  );
});

test('a stranger with resolvers of his own is a rogue; an edge under another link-local address is none', () => {
  const stranger = advertised({ server: 'fe80::66', resolvers: ['fe80::66'] });
  expect(judged(advertised(), stranger).rogueServers).toEqual(['fe80::66']);
  expect(judged(advertised({ server: 'fe80::77' })).rogueServers).toEqual([]);
});
