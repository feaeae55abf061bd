import { expect, test } from 'vitest';
import { judgeOffers } from './dhcp-discover.ts';
import type { Offer } from './dhcp-message.ts';
import { dhcp, list } from './testing/list.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const offer = (change: Partial<Offer> = {}): Offer => ({
  transaction: 1,
  mac: '02:00:00:00:01:05',
  address: '192.168.100.5',
  server: '192.168.100.2',
  options: new Map([
    [3, hex('c0a86401')],
    [6, hex('c0a86402c0a86404')],
    [15, Buffer.from('blue.example.com')],
    [42, hex('c0a86401')],
    [121, hex('00c0a86401')],
  ]),
  ...change,
});
const judged = (...offers: readonly Offer[]) => judgeOffers(list, dhcp, offers, 7);
const lonely = { group: 'DHCP', subject: 'other servers', verdict: 'passed', message: 'nobody else gives out addresses', milliseconds: 7 };

test('an offer of an edge with the planned options passes, from whichever of them', () => {
  expect(judged(offer({ server: '192.168.100.4' }))).toEqual({
    results: [
      {
        group: 'DHCP',
        subject: 'DISCOVER',
        verdict: 'passed',
        message: 'edge-b (192.168.100.4) offers an address with 5 options as planned',
        milliseconds: 7,
      },
      lonely,
    ],
    rogueServers: [],
  });
});

test('silence is told, with where to look', () => {
  expect(judged().results[0]).toEqual({
    group: 'DHCP',
    subject: 'DISCOVER',
    verdict: 'failed',
    message: 'neither of 192.168.100.2, 192.168.100.4 offers an address',
    fix: 'look at the container dhcp of the edges: kubectl logs -c dhcp',
    milliseconds: 7,
  });
});

test('an offer with another resolver, without a router or of another network does not pass', () => {
  const options = new Map(offer().options).set(6, hex('0a000001'));
  options.delete(3);
  expect(judged(offer({ address: '10.1.2.3', options })).results[0]?.message).toBe(
    'edge-a (192.168.100.2): the offered address 10.1.2.3 is not of the segment; option 3 (routers) is missing instead of 192.168.100.1; option 6 (domain-name-servers) is 10.0.0.1 instead of 192.168.100.2, 192.168.100.4',
  );
});

test('a server that is none of ours is a rogue, also when ours answers', () => {
  const found = judged(offer(), offer({ server: '192.168.100.66', address: '192.168.100.99' }));
  expect(found).toEqual({
    results: [
      expect.objectContaining({ subject: 'DISCOVER', verdict: 'passed' }),
      {
        group: 'DHCP',
        subject: 'other servers',
        verdict: 'failed',
        message: '192.168.100.66 gives out addresses as well',
        fix: 'find the machine with 192.168.100.66 on the segment and stop its DHCP server; whoever listens to it is lost',
        milliseconds: 7,
      },
    ],
    rogueServers: ['192.168.100.66'],
  });
});
