import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { guardFiles } from '../../src/gateway/guard.ts';
import { vipFiles } from '../../src/gateway/keepalived.ts';
import type { ConfigFile } from '../../src/gateway/rendered.ts';
import { segmentMac } from '../../src/gateway/segment-mac.ts';
import type { EdgePlan, TenantPlan } from '../../src/gateway/tenant-plan.ts';
import { edgeOf, sampleEdges } from '../../src/gateway/testing/sample-edges.ts';
import { blue, dualStack } from '../../src/gateway/testing/sample-plans.ts';
import { eventually, type Host, Network } from './network.ts';

/** Our rules in a real kernel: what a tenant, the hub and the other edge can and cannot reach with them, and what they could without. */
const POD_ADDRESS = '10.128.0.5';
const HUB_ADDRESS = '10.128.0.1';
const PORTS = [22, 53, 80, 443, 6443, 8004, 8080, 9901];

const ruleFiles = (plan: TenantPlan, edge: EdgePlan): ConfigFile[] =>
  [...guardFiles(plan, edge), ...vipFiles(plan, edge)].filter(({ name }) => name.endsWith('.nft'));

async function load(host: Host, file: ConfigFile, ...options: readonly string[]): Promise<void> {
  host.configure([file]);
  await host.run(...host.edge('nft', ...options, '--file', `/mnt/${file.container}/${file.name}`));
}

interface World {
  readonly edge: Host;
  readonly client: Host;
  readonly hub: Host;
  readonly peer: Host;
}

/** An edge pod with its three interfaces and somebody at the far end of each. It listens everywhere, as careless daemons would. */
async function world(network: Network, plan: TenantPlan): Promise<World> {
  const [edge, client, hub, peer] = [
    await network.host('edge'),
    await network.host('client'),
    await network.host('hub'),
    await network.host('peer'),
  ];
  await network.connect([edge, 'net1'], [client, 'lan']);
  await network.connect([edge, 'eth0'], [hub, 'pods']);
  await network.connect([edge, 'peer0'], [peer, 'peer0']);
  const add = (host: Host, link: string, ...addresses: readonly string[]) =>
    Promise.all(
      addresses.map((address) => host.run('ip', 'address', 'add', address, 'dev', link, ...(address.includes(':') ? ['nodad'] : []))),
    );
  const { addresses, peer: link } = edgeOf(plan);
  const v6 = addresses.ipv6 !== undefined;
  await add(
    edge,
    'net1',
    `${addresses.ipv4}/24`,
    `${plan.addresses.ipv4?.vip}/32`,
    ...(v6 ? [`${addresses.ipv6}/64`, `${plan.addresses.ipv6?.vip}/128`] : []),
  );
  await add(client, 'lan', '192.168.100.10/24', ...(v6 ? ['fd00:100::a/64'] : []));
  await add(edge, 'eth0', `${POD_ADDRESS}/24`);
  await add(hub, 'pods', `${HUB_ADDRESS}/24`);
  if (link === undefined) throw new Error('a pair is needed here');
  await edge.run('ip', 'link', 'set', 'peer0', 'address', link.mac);
  await peer.run('ip', 'link', 'set', 'peer0', 'address', link.peerMac);
  await add(edge, 'peer0', `${link.address}/30`);
  await add(peer, 'peer0', `${link.peerAddress}/30`);
  await edge.listen(...PORTS.map((port) => `[::]:${port}`));
  await hub.listen(`${HUB_ADDRESS}:7777`);
  return { edge, client, hub, peer };
}

const guard = (edge: Host, plan: TenantPlan) => Promise.all(guardFiles(plan, edgeOf(plan)).map((file) => load(edge, file)));
const dialAll = async (from: Host, address: string, ports: readonly number[] = PORTS): Promise<unknown> => {
  const outcomes = (await from.dial(...ports.map((port) => `${address}:${port}`))) as Record<string, string>;
  return Object.fromEntries(ports.map((port) => [port, outcomes[`${address}:${port}`]]));
};
/** Every port of the list is silent, but those given. */
const onlyOpen = (...open: readonly number[]) => Object.fromEntries(PORTS.map((port) => [port, open.includes(port) ? 'open' : 'silence']));

test.each(sampleEdges)(
  '$sample, $edge.name: the kernel takes all rules, also a second time, and they are then the same',
  async ({ plan, edge }) => {
    await using network = new Network();
    const host = await network.host('edge');
    for (const link of ['net1', 'peer0']) await host.run('ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', `${link}-far`);
    const files = ruleFiles(plan, edge);
    expect(files.map(({ name }) => name)).toEqual(['guard.nft', 'fence.nft']);
    const rules = () => host.run(...host.edge('nft', 'list', 'ruleset'));
    for (const file of files) await load(host, file, '--check');
    expect(await rules()).toBe(''); // only checked until now
    for (const file of files) await load(host, file);
    const first = await rules();
    for (const file of files) await load(host, file);
    expect(await rules()).toBe(first);
    expect(first.match(/^table \S+ \S+/gm)).toEqual(['table inet hcpio', 'table arp hcpio_arp', 'table netdev hcpio_fence']);
  },
);

test('nft says so when it is given something wrong', async () => {
  await using network = new Network();
  const host = await network.host('edge');
  const [file] = guardFiles(blue, edgeOf(blue));
  if (file === undefined) throw new Error('there is one');
  await expect(load(host, { ...file, content: file.content.replace('policy drop', 'policy perhaps') }, '--check')).rejects.toThrow(
    'perhaps',
  );
  await expect(load(host, { ...file, content: file.content.replace('jump peer', 'jump nowhere') }, '--check')).rejects.toThrow('nowhere');
});

describe('mistake 29: from the segment only what is published answers', () => {
  test('on the edge, on the VIP and on nothing else', async () => {
    await using network = new Network();
    const { edge, client } = await world(network, blue);
    await guard(edge, blue);
    expect(await dialAll(client, '192.168.100.2')).toEqual(onlyOpen(53));
    expect(await dialAll(client, '192.168.100.3')).toEqual(onlyOpen(80, 443, 6443));
  });

  test('the same with IPv6', async () => {
    await using network = new Network();
    const { edge, client } = await world(network, dualStack);
    await guard(edge, dualStack);
    expect(await dialAll(client, '[fd00:100::2]')).toEqual(onlyOpen(53));
    expect(await dialAll(client, '[fd00:100::3]')).toEqual(onlyOpen(80, 443, 6443));
  });

  test('one machine cannot take all connections, and another one still gets its own', async () => {
    await using network = new Network();
    const { edge, client } = await world(network, blue);
    await crowdable(edge);
    const crowd = client.startProgram('tcp.ts', 'crowd', '20', '192.168.100.3:443');
    const open = () => (crowd.running ? Number.parseInt(readFileSync(crowd.log, 'utf8'), 10) : Number.NaN);
    await eventually(
      async () => open(),
      (count) => count >= 0,
    );
    expect(open()).toBe(5);
    // As long as it holds them: one more from the same address is one too many, one from another address is not.
    expect(await client.dial('192.168.100.3:443')).toEqual({ '192.168.100.3:443': 'silence' });
    await client.run('ip', 'address', 'add', '192.168.100.11/24', 'dev', 'lan');
    expect(await client.program('tcp.ts', 'hold', '5', '192.168.100.3:443', '192.168.100.11')).toBe(5);
    expect(await client.dial('192.168.100.3:443')).toEqual({ '192.168.100.3:443': 'silence' });
  });
});

async function crowdable(edge: Host): Promise<void> {
  const [file] = guardFiles(blue, edgeOf(blue));
  if (file === undefined) throw new Error('there is one');
  await load(edge, { ...file, content: file.content.replace('count over 2048', 'count over 5') });
}

describe('what the guard is there for is noticed, with the MAC of who did it', () => {
  const MAC = '02:66:66:66:66:66';
  const NOTICED = { claiming_edge: [], claiming_vip: [], asking: [], passing: [], knocking: [], crowding: [] };
  /** What the sets of the guard remember. */
  const noticed = async (edge: Host) => {
    const rules = await edge.run(...edge.edge('nft', 'list', 'ruleset'));
    const sets = rules.matchAll(/set (\w+) \{\n\t\ttype ether_addr([^}]*(?:\{[^}]*\})?)/g);
    return Object.fromEntries([...sets].map(([, name, text = '']) => [name, text.match(/(?:[0-9a-f]{2}:){5}[0-9a-f]{2}/g) ?? []]));
  };
  const attacked = async (network: Network): Promise<World> => {
    const found = await world(network, blue);
    await found.client.run('ip', 'link', 'set', 'lan', 'address', MAC);
    await found.edge.run('sysctl', '-qw', 'net.ipv4.ip_forward=1'); // as pods inherit it
    await crowdable(found.edge);
    return found;
  };
  const announce = (client: Host, address: string) =>
    client.run(...client.edge('arping', '-U', '-c', '1', '-w', '1', '-I', 'lan', '-s', address, address));

  test.each<[string, (world: World) => Promise<unknown>, object]>([
    ['a knock at a closed port', ({ client }) => client.dial('192.168.100.2:22'), { knocking: [MAC] }],
    [
      'a look for the pod’s address on the hub',
      async ({ client }) => {
        await client.run('ip', 'route', 'add', `${POD_ADDRESS}/32`, 'via', '192.168.100.2');
        await client.dial(`${POD_ADDRESS}:9901`);
      },
      { knocking: [MAC] },
    ],
    [
      'the same by ARP',
      ({ client }) =>
        client.run(...client.edge('arping', '-c', '1', '-w', '1', '-I', 'lan', '-s', '192.168.100.10', POD_ADDRESS)).catch(() => ''),
      { asking: [MAC] },
    ],
    [
      'an attempt to use the edge as a router',
      async ({ client }) => {
        await client.run('ip', 'route', 'add', '10.128.0.0/24', 'via', '192.168.100.2');
        await client.dial(`${HUB_ADDRESS}:7777`);
      },
      { passing: [MAC] },
    ],
    ['one connection too many', ({ client }) => client.program('tcp.ts', 'hold', '20', '192.168.100.3:443'), { crowding: [MAC] }],
    [
      'a claim of the edge’s address',
      async ({ client }) => {
        await client.run('ip', 'address', 'add', '192.168.100.2/32', 'dev', 'lan');
        await announce(client, '192.168.100.2');
      },
      { claiming_edge: [MAC] },
    ],
    [
      'a claim of the VIP',
      async ({ client }) => {
        await client.run('ip', 'address', 'add', '192.168.100.3/32', 'dev', 'lan');
        await announce(client, '192.168.100.3');
      },
      { claiming_vip: [MAC] },
    ],
  ])('%s', async (_, attack, expected) => {
    await using network = new Network();
    const found = await attacked(network);
    await attack(found);
    expect(await noticed(found.edge)).toEqual({ ...NOTICED, ...expected });
  });

  test('what every healthy machine does is not', async () => {
    await using network = new Network();
    const { edge, client } = await attacked(network);
    // The other edge announces the VIP that it just took.
    await client.run('ip', 'link', 'set', 'lan', 'address', segmentMac(blue, { name: 'edge-b' }));
    await client.run('ip', 'address', 'add', '192.168.100.3/32', 'dev', 'lan');
    await announce(client, '192.168.100.3');
    await client.run('ip', 'address', 'delete', '192.168.100.3/32', 'dev', 'lan');
    await client.run('ip', 'link', 'set', 'lan', 'address', MAC);
    // Served, and asked for what it may ask for.
    expect(await client.dial('192.168.100.3:443', '192.168.100.2:53')).toEqual({
      '192.168.100.3:443': 'open',
      '192.168.100.2:53': 'open',
    });
    // Broadcasts of all kinds, and a VIP that this edge does not have any more.
    await client.run('ping', '-b', '-c', '1', '-W', '1', '192.168.100.255').catch(() => '');
    await edge.run('ip', 'address', 'delete', '192.168.100.3/32', 'dev', 'net1');
    expect(await client.dial('192.168.100.3:443')).toEqual({ '192.168.100.3:443': 'silence' });
    expect(await noticed(edge)).toEqual(NOTICED);
  });
});

describe.each([
  { guarded: false, outcome: 'open' },
  { guarded: true, outcome: 'silence' },
])('mistake 27: the ways round the gateway, with the guard: $guarded', ({ guarded, outcome }) => {
  test("the pod's address on the hub, reached over the segment", async () => {
    await using network = new Network();
    const { edge, client } = await world(network, blue);
    if (guarded) await guard(edge, blue);
    await client.run('ip', 'route', 'add', '10.128.0.0/24', 'via', '192.168.100.2');
    expect(await dialAll(client, POD_ADDRESS, [443, 9901])).toEqual({ 443: outcome, 9901: outcome });
  });

  test('the hub itself, with the pod as a router', async () => {
    await using network = new Network();
    const { edge, client, hub } = await world(network, blue);
    if (guarded) await guard(edge, blue);
    await edge.run('sysctl', '-qw', 'net.ipv4.ip_forward=1');
    await client.run('ip', 'route', 'add', '10.128.0.0/24', 'via', '192.168.100.2');
    await hub.run('ip', 'route', 'add', '192.168.100.0/24', 'via', POD_ADDRESS);
    expect(await dialAll(client, HUB_ADDRESS, [7777])).toEqual({ 7777: outcome });
  });

  test('the VIP, reached from the hub', async () => {
    await using network = new Network();
    const { edge, hub } = await world(network, blue);
    if (guarded) await guard(edge, blue);
    await hub.run('ip', 'route', 'add', '192.168.100.0/24', 'via', POD_ADDRESS);
    expect(await dialAll(hub, '192.168.100.3', [443])).toEqual({ 443: outcome });
  });

  test("the pod's address on the hub, asked for by ARP on the segment", async () => {
    await using network = new Network();
    const { edge, client } = await world(network, blue);
    if (guarded) await guard(edge, blue);
    const ask = (address: string) =>
      client.run(...client.edge('arping', '-c', '1', '-w', '1', '-I', 'lan', '-s', '192.168.100.10', address)).then(
        () => 'answered',
        () => 'silence',
      );
    expect(await ask(POD_ADDRESS)).toBe(guarded ? 'silence' : 'answered');
    expect(await ask('192.168.100.3')).toBe('answered');
  });
});

test('over the link between the edges Kea can be reached, and nothing else', async () => {
  await using network = new Network();
  const { edge, peer } = await world(network, blue);
  expect(await dialAll(peer, '169.254.77.1', [8004, 9901])).toEqual({ 8004: 'open', 9901: 'open' });
  await guard(edge, blue);
  expect(await dialAll(peer, '169.254.77.1')).toEqual(onlyOpen(8004));
  // Somebody else on the same link.
  await peer.run('ip', 'link', 'set', 'peer0', 'address', '02:66:66:66:66:66');
  expect(await dialAll(peer, '169.254.77.1', [8004])).toEqual({ 8004: 'silence' });
});

test('an address that moves to another machine is followed when it is announced, as a router that fails over announces its own', async () => {
  await using network = new Network();
  const { edge, client } = await world(network, blue);
  await guard(edge, blue);
  const [router, mac] = ['192.168.100.1', '02:00:00:00:00:01'];
  await client.run('ip', 'link', 'set', 'lan', 'address', mac);
  await edge.run('ip', 'neigh', 'replace', router, 'lladdr', '02:66:66:66:66:66', 'nud', 'reachable', 'dev', 'net1');
  await client.run('ip', 'address', 'add', `${router}/32`, 'dev', 'lan');
  const announce = () => client.run(...client.edge('arping', '-U', '-c', '1', '-w', '1', '-I', 'lan', '-s', router, router));
  const known = async () => {
    await announce();
    return edge.run('ip', 'neigh', 'show', router, 'dev', 'net1');
  };
  expect(await eventually(known, (seen) => seen.includes(mac), AbortSignal.timeout(10_000))).toContain(mac);
});
