import { expect, test } from 'vitest';
import { findLeg } from './leg.ts';
import { judgeHolder, neighbours } from './neighbours.ts';
import { list } from './testing/list.ts';

const TABLE = `IP address       HW type     Flags       HW address            Mask     Device
192.168.100.3    0x1         0x2         02:AA:bb:cc:dd:01     *        net1
192.168.100.77   0x1         0x0         00:00:00:00:00:00     *        net1
10.128.0.1       0x1         0x2         0a:58:0a:80:00:01     *        eth0
`;

test('the neighbours are those that have answered', () => {
  expect([...neighbours(TABLE)]).toEqual([
    ['192.168.100.3', '02:aa:bb:cc:dd:01'],
    ['10.128.0.1', '0a:58:0a:80:00:01'],
  ]);
  expect([...neighbours('')]).toEqual([]);
});

test('the VIP is held by the edge whose MAC answers for it; anybody else is told, with what to do', () => {
  const [vip = '', edge] = [list.vips[0], list.edges[0]];
  expect(judgeHolder(list, new Map([[vip, edge?.mac ?? '']]))).toEqual({ holder: edge?.name, results: [] });
  expect(judgeHolder(list, new Map())).toEqual({ results: [] });
  expect(judgeHolder(list, new Map([[vip, '02:66:66:66:66:66']]))).toEqual({
    results: [
      {
        group: 'VIP',
        subject: vip,
        verdict: 'failed',
        message: '02:66:66:66:66:66 answers for it, and that is neither of the edges',
        fix: `find the machine with MAC address 02:66:66:66:66:66 on the segment and take ${vip} from it; who believes it does not reach the gateway`,
        milliseconds: 0,
      },
    ],
  });
});

test('a machine finds its leg on the segment by its address, whatever the interface is called', () => {
  const entry = (address: string, mac: string) => ({ address, mac, family: 'IPv4' as const, netmask: '', internal: false, cidr: null });
  const interfaces = {
    eth0: [entry('10.128.0.9', '0a:00:00:00:00:01')],
    enp1s0: [
      entry('192.168.100.10', '02:00:00:00:01:01'),
      entry('fe80::1', '02:00:00:00:01:01'),
      entry('fd00:100::a', '02:00:00:00:01:01'),
    ],
  };
  expect(findLeg(['192.168.100.0/24', 'fd00:100::/64'], interfaces)).toEqual({
    device: 'enp1s0',
    mac: '02:00:00:00:01:01',
    ipv4: '192.168.100.10',
    ipv6: 'fd00:100::a',
    linkLocal: 'fe80::1',
  });
  expect(findLeg(['192.168.200.0/24'], interfaces)).toBeUndefined();
});
