import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { segmentMac } from '../../src/gateway/segment-mac.ts';
import { blue } from '../../src/gateway/testing/sample-plans.ts';
import { log, says } from './daemon-log.ts';
import { EdgePod } from './edge-pod.ts';
import { eventually, type Host, Network } from './network.ts';

describe('the guard', () => {
  test('closes the segment, links the edges, and can do it again', async () => {
    await using network = new Network();
    const { edges, tenant } = await EdgePod.pair(network, blue);
    await Promise.all(edges.map((edge) => edge.guard()));
    await Promise.all(edges.map((edge) => edge.guard())); // as after a restart of the pod's sandbox
    const [a] = edges;
    // Kea's port on the link is the one that answers there, and nobody listens yet; everything else is silent, and all of it on the segment.
    expect(await a.host.dial('169.254.77.2:8004', '169.254.77.2:9902')).toEqual({
      '169.254.77.2:8004': 'ECONNREFUSED',
      '169.254.77.2:9902': 'silence',
    });
    await a.host.listen('10.128.0.2:9902', '192.168.100.2:53');
    await tenant.run('ip', 'route', 'add', '10.128.0.0/24', 'via', '192.168.100.2');
    expect(await tenant.dial('10.128.0.2:9902', '192.168.100.2:53', '192.168.100.2:22')).toEqual({
      '10.128.0.2:9902': 'silence',
      '192.168.100.2:53': 'open',
      '192.168.100.2:22': 'silence',
    });
  });

  test('does not start an edge whose address somebody else has, and leaves word of who that is for the pod’s status', async () => {
    await using network = new Network();
    const { edges, tenant } = await EdgePod.pair(network, blue);
    await tenant.run('ip', 'link', 'set', 'net1', 'address', '02:66:66:66:66:66');
    await tenant.run('ip', 'address', 'add', '192.168.100.2/24', 'dev', 'net1');
    const message = join(edges[0].host.dir, 'run', 'termination-log');
    writeFileSync(message, '');
    const taken = '192.168.100.2 is taken: 02:66:66:66:66:66 on the segment answers for it';
    await expect(edges[0].guard({ MESSAGE: '/run/termination-log' })).rejects.toThrow(`guard: ${taken}`);
    expect(readFileSync(message, 'utf8')).toBe(`${taken}\n`);
    await edges[1].guard();
  });

  test('puts the address on net1 itself where the network must not know of it', async () => {
    await using network = new Network();
    const { edges } = await EdgePod.pair(network, blue);
    await edges[0].host.run('ip', 'address', 'flush', 'dev', 'net1'); // as OVN leaves it
    await edges[0].guard();
    expect(await edges[0].host.run('ip', '-brief', 'address', 'show', 'dev', 'net1')).toContain(' 192.168.100.2/24');
  });

  test('waits for kubelet to know the Service of the peer', async () => {
    await using network = new Network();
    const { edges } = await EdgePod.pair(network, blue);
    await expect(edges[0].guard({ PEER_REMOTE: '$(EDGE_B_PEER_SERVICE_HOST)' })).rejects.toThrow(
      "guard: kubelet does not know the peer's Service yet",
    );
  });

  test('says so when the segment was not attached', async () => {
    await using network = new Network();
    const { edges } = await EdgePod.pair(network, blue);
    await edges[0].host.run('ip', 'link', 'delete', 'net1');
    await expect(edges[0].guard()).rejects.toThrow('guard: there is no net1: Multus did not attach the segment');
  });
});
describe.each([
  ['IPv4', '192.168.100.3/24'],
  ['IPv6', 'fd00:100::3/64'],
])('the look at the segment over %s, while the link is silent', (_, vip) => {
  test('tells the peer that holds the VIP from a machine that only says so', async () => {
    await using network = new Network();
    const { edges, tenant } = await EdgePod.pair(network, blue);
    const [own, peer] = edges.map((edge) => edge.host) as [Host, Host];
    await network.connect([own, 'peer0'], [peer, 'peer0']);
    const [address = ''] = vip.split('/');
    const env = [
      `SEGMENT_VIPS=${address}`,
      'PEER_ADDRESS=169.254.77.1',
      'PEER_OTHER_ADDRESS=169.254.77.2',
      `PEER_SEGMENT_MAC=${segmentMac(blue, { name: 'edge-b' })}`,
    ];
    const watch = own.start('segment-watch', own.edge('env', ...env, '/mnt/libexec/segment-watch', '/run/vip-elsewhere'));
    const elsewhere = (expected: string) =>
      eventually(
        async () =>
          watch.running ? readFileSync(join(own.dir, 'run', 'vip-elsewhere'), { encoding: 'utf8', flag: 'a+' }).trim() : log(watch),
        (seen) => seen === expected,
      );
    await elsewhere('0');
    await peer.run('ip', 'address', 'add', vip, 'dev', 'net1', 'nodad');
    await elsewhere('1');
    await peer.run('ip', 'address', 'delete', vip, 'dev', 'net1');
    await elsewhere('0');
    await tenant.run('ip', 'address', 'add', vip, 'dev', 'net1', 'nodad');
    const before = await answered(tenant);
    await eventually(
      () => answered(tenant),
      (count) => count > before + 5,
    );
    await elsewhere('0');
  });
});

/** Packets that a machine has sent on the segment: answers, here. */
const answered = async (host: Host): Promise<number> => {
  const [link] = JSON.parse(await host.run('ip', '-json', '-stats', 'link', 'show', 'dev', 'net1')) as [
    { stats64: { tx: { packets: number } } },
  ];
  return link.stats64.tx.packets;
};
test('Kea keeps its configuration when a new one is no good, also over a restart, and reads a good one', async () => {
  await using network = new Network();
  const { edges } = await EdgePod.pair(network, blue);
  const [edge] = edges;
  await edge.guard();
  const kea = edge.start('dhcp');
  await says(kea, 'DHCP4_STARTED');
  const change = (edit: (content: string) => string) => edge.files('dhcp').map((file) => ({ ...file, content: edit(file.content) }));

  edge.configure(
    'dhcp',
    change((content) => content.replace('192.168.100.0/24', '192.168.100.0/240')),
  );
  await says(kea, 'kea-dhcp4.json was refused, the last good one stays');
  await kea.kill();
  kea.start();
  await says(kea, 'DHCP4_STARTED', 2);

  edge.configure(
    'dhcp',
    change((content) => content.replace('"valid-lifetime": 900', '"valid-lifetime": 600')),
  );
  await says(kea, 'kea-dhcp4 reads its new configuration');
  await says(kea, 'DHCP4_DYNAMIC_RECONFIGURATION_SUCCESS');
});
