import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { vipFiles } from '../../src/gateway/keepalived.ts';
import type { EdgePlan, TenantPlan } from '../../src/gateway/tenant-plan.ts';
import { sampleEdges } from '../../src/gateway/testing/sample-edges.ts';
import { blue, dualStack, ipv6Only, single } from '../../src/gateway/testing/sample-plans.ts';
import type { Daemon } from '../../tools/testing/daemon.ts';
import { eventually, type Host, Network } from './network.ts';

/** Our configuration in real keepalived: its own verdict, and then two of them on a segment that agree about one VIP. */
const VIP = '192.168.100.3';

interface Edge {
  readonly plan: EdgePlan;
  readonly host: Host;
}

interface Segment {
  readonly edges: readonly Edge[];
  readonly client: Host;
  readonly router: Host;
  /** A machine behind the router. */
  readonly remote: Host;
}

async function segmentOf(network: Network, plan: TenantPlan): Promise<Segment> {
  const edges = await Promise.all(plan.edges.map(async (edge) => ({ plan: edge, host: await network.host(edge.name) })));
  const client = await network.host('client');
  const router = await network.host('router');
  await network.segment('fabric', [...edges.map(({ host }) => [host, 'net1'] as const), [client, 'lan'], [router, 'lan']]);
  const [a, b] = edges;
  if (a !== undefined) await network.connect([a.host, 'peer0'], [b?.host ?? (await network.host('nobody')), 'peer0']);
  for (const { host, plan: edge } of edges) await becomeEdge(host, edge);
  await client.run('ip', 'address', 'add', '192.168.100.10/24', 'dev', 'lan');
  await client.run('ip', 'address', 'add', 'fd00:100::a/64', 'dev', 'lan', 'nodad');
  await router.run('ip', 'address', 'add', '192.168.100.1/24', 'dev', 'lan');
  const remote = await network.host('remote');
  await network.connect([router, 'wan'], [remote, 'lan']);
  await router.run('ip', 'address', 'add', '198.51.100.1/24', 'dev', 'wan');
  await router.run('sysctl', '-qw', 'net.ipv4.ip_forward=1');
  await remote.run('ip', 'address', 'add', '198.51.100.9/24', 'dev', 'lan');
  await remote.run('ip', 'route', 'add', 'default', 'via', '198.51.100.1');
  return { edges, client, router, remote };
}

/** What CNI and the guard do before keepalived starts. The pod network is a cable that leads nowhere, but the default route points there. */
async function becomeEdge(host: Host, { addresses: { ipv4, ipv6 }, peer }: EdgePlan): Promise<void> {
  if (ipv4 !== undefined) await host.run('ip', 'address', 'add', `${ipv4}/24`, 'dev', 'net1', 'noprefixroute');
  if (ipv6 !== undefined) await host.run('ip', 'address', 'add', `${ipv6}/64`, 'dev', 'net1', 'nodad');
  await host.run('ip', 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'pods');
  for (const link of ['eth0', 'pods']) await host.run('ip', 'link', 'set', link, 'up');
  await host.run('ip', 'address', 'add', '10.128.0.5/24', 'dev', 'eth0');
  await host.run('ip', 'route', 'add', 'default', 'via', '10.128.0.1');
  await host.run('ip', 'link', 'set', 'peer0', 'address', peer.mac);
  await host.run('ip', 'address', 'add', `${peer.address}/30`, 'dev', 'peer0');
  await host.run('ip', 'neighbour', 'replace', peer.peerAddress, 'lladdr', peer.peerMac, 'dev', 'peer0', 'nud', 'permanent');
}

const start = ({ host, plan: edge }: Edge, plan: TenantPlan): Daemon => {
  host.configure(vipFiles(plan, edge));
  return host.start(
    'keepalived',
    host.edge('keepalived', '--dont-fork', '--log-console', '--log-detail', '--use-file=/mnt/vip/keepalived.conf'),
  );
};

const fence = ({ host }: Edge) => host.run(...host.edge('nft', '--file', '/mnt/vip/fence.nft'));
const track = ({ host }: Edge, file: string, value: number) => writeFileSync(join(host.dir, 'run', 'keepalived', file), `${value}\n`);
const holds = async ({ host }: Edge): Promise<boolean> =>
  (await host.run('ip', '-oneline', 'address', 'show', 'dev', 'net1')).includes(` ${VIP}/32`);
const mac = async ({ host }: Edge): Promise<string> =>
  (JSON.parse(await host.run('ip', '-json', 'link', 'show', 'net1')) as [{ address: string }])[0].address;
const state = (daemon: Daemon): string | undefined =>
  [...readFileSync(daemon.log, 'utf8').matchAll(/\(segment\) Entering (\w+) STATE/g)].at(-1)?.[1];

/** Everybody who answers for an address on the segment, as a neighbour sees it. */
async function claimants(client: Host, address = VIP): Promise<string[]> {
  const said = await client.run(...client.edge('sh', '-c', 'arping -b -c 2 -w 2 -I lan -s 192.168.100.10 "$1" || true', 'sh', address));
  return [...new Set([...said.matchAll(/reply from \S+ \[([0-9A-F:]+)\]/g)].map(([, one = '']) => one.toLowerCase()))].sort();
}

/** Whether anything comes back from an address: nobody listens there, and saying so is an answer too. */
async function reaches(client: Host, ...addresses: readonly string[]): Promise<boolean[]> {
  const targets = addresses.map((address) => `${address.includes(':') ? `[${address}]` : address}:443`);
  const outcomes = (await client.dial(...targets)) as Record<string, string>;
  return targets.map((target) => outcomes[target] === 'ECONNREFUSED');
}

test.each(sampleEdges)('$sample, $edge.name: keepalived accepts the configuration', async ({ plan, edge }) => {
  await using network = new Network();
  const { edges } = await segmentOf(network, plan);
  const host = edges.find((one) => one.plan.name === edge.name)?.host as Host;
  host.configure(vipFiles(plan, edge));
  expect(await host.run(...host.edge('keepalived', '--config-test', '--use-file=/mnt/vip/keepalived.conf'))).toBe('');
});

test.each([
  ['a word that it does not know', (text: string) => text.replace('advert_int 0.2', 'advert_interval 0.2'), 'Unknown keyword'],
  ['an interface that is not there', (text: string) => text.replace('interface peer0', 'interface peer7'), 'peer7'],
  ['an address that is none', (text: string) => text.replace(`${VIP}/32 dev`, '192.168.100.300/32 dev'), '192.168.100.300'],
])('keepalived says so when it is given %s', async (_, spoil, complaint) => {
  await using network = new Network();
  const { edges } = await segmentOf(network, blue);
  const [{ host, plan: edge }] = edges as [Edge];
  host.configure(vipFiles(blue, edge).map((file) => ({ ...file, content: spoil(file.content) })));
  await expect(host.run(...host.edge('keepalived', '--config-test', '--use-file=/mnt/vip/keepalived.conf'))).rejects.toThrow(complaint);
});

interface Member extends Edge {
  readonly daemon: Daemon;
}

/** Which of the two holds the VIP after a cold start depends on who was faster by more than an advert or two: on a busy machine, either. */
async function electOne({ edges }: Segment, plan: TenantPlan): Promise<{ readonly holder: Member; readonly other: Member }> {
  const members = edges.map((edge) => ({ ...edge, daemon: start(edge, plan) }));
  const by = (wanted: string) => members.filter(({ daemon }) => state(daemon) === wanted);
  await eventually(
    async () => [by('MASTER').length, by('BACKUP').length],
    (counts) => counts.join() === '1,1',
  );
  const [[holder], [other]] = [by('MASTER'), by('BACKUP')];
  if (holder === undefined || other === undefined) throw new Error('it changed again');
  await eventually(() => holds(holder), Boolean);
  return { holder, other };
}

const becomes = ({ daemon }: Member, wanted: string) =>
  eventually(
    async () => state(daemon),
    (now) => now === wanted,
  );
/** Packets on the link between the edges: nothing but adverts. */
async function received({ host }: Edge): Promise<number> {
  const shown = await host.run('ip', '-json', '-statistics', 'link', 'show', 'peer0');
  return (JSON.parse(shown) as [{ stats64: { rx: { packets: number } } }])[0].stats64.rx.packets;
}
const taken = (by: Edge) => eventually(() => holds(by), Boolean);

describe('a pair', () => {
  test('one edge holds the VIP in both families, and answers from it although the pod network has the default route', async () => {
    await using network = new Network();
    const segment = await segmentOf(network, dualStack);
    const { holder, other } = await electOne(segment, dualStack);
    expect([await holds(holder), await holds(other)]).toEqual([true, false]);
    expect(await claimants(segment.client)).toEqual([await mac(holder)]);
    expect(await reaches(segment.client, VIP, 'fd00:100::3', '192.168.100.2', '192.168.100.4')).toEqual([true, true, true, true]);
  });

  test('without IPv4 on the segment there is one VIP as well, and it moves', async () => {
    await using network = new Network();
    const segment = await segmentOf(network, ipv6Only);
    const vip = ipv6Only.addresses.ipv6?.vip ?? '';
    for (const edge of segment.edges) start(edge, ipv6Only);
    const holders = async () => {
      const shown = await Promise.all(segment.edges.map(({ host }) => host.run('ip', '-oneline', 'address', 'show', 'dev', 'net1')));
      return shown.flatMap((text, index) => (text.includes(` ${vip}/128`) ? [index] : []));
    };
    const [first = 0] = await eventually(holders, (now) => now.length > 0);
    expect(await holders()).toEqual([first]);
    expect(await reaches(segment.client, vip, 'fd00:100::2', 'fd00:100::4')).toEqual([true, true, true]);
    track(segment.edges[first] as Edge, 'gateway-down', 1);
    expect(await eventually(holders, (now) => !now.includes(first) && now.length > 0)).toEqual([1 - first]);
    expect(
      await eventually(
        () => reaches(segment.client, vip),
        ([is]) => is === true,
      ),
    ).toEqual([true]);
  });

  test('mistakes 1 and 2: neighbours reach the VIP without the router, and others through it', async () => {
    await using network = new Network();
    const segment = await segmentOf(network, blue);
    // Nothing of this works by itself: the pod network has the default route.
    expect(await reaches(segment.client, '192.168.100.2')).toEqual([false]);
    await electOne(segment, blue);
    expect(await reaches(segment.remote, VIP, '192.168.100.2')).toEqual([true, true]);
    await segment.router.run('ip', 'link', 'set', 'lan', 'down');
    expect(await reaches(segment.client, VIP, '192.168.100.2')).toEqual([true, true]);
    expect(await reaches(segment.remote, VIP)).toEqual([false]);
  });

  test('mistake 3: after net1 was down the VIP is at the other edge, and all routes and addresses of the first are back', async () => {
    await using network = new Network();
    const segment = await segmentOf(network, dualStack);
    const { holder, other } = await electOne(segment, dualStack);
    const { ipv4 = '', ipv6 = '' } = holder.plan.addresses;
    // Without what goes with the VIP.
    const routes = async () =>
      [
        await holder.host.run('ip', 'route', 'show', 'table', '101'),
        await holder.host.run('ip', '-6', 'route', 'show', 'table', '101'),
        await holder.host.run('ip', 'rule', 'show', 'table', '101'),
      ]
        .join('')
        .replaceAll(/^.*from (192\.168\.100\.3|fd00:100::3) .*\n/gm, '');
    const before = await routes();
    await holder.host.run('ip', 'link', 'set', 'net1', 'down');
    await taken(other);
    expect(await holder.host.run('ip', 'route', 'show', 'table', '101')).not.toContain('192.168.100.0/24');
    await holder.host.run('ip', 'link', 'set', 'net1', 'up');
    await becomes(holder, 'BACKUP');
    expect(await eventually(routes, (now) => now === before)).toBe(before);
    expect(await reaches(segment.client, ipv4, ipv6, VIP)).toEqual([true, true, true]);
    expect(await claimants(segment.client)).toEqual([await mac(other)]);
  });

  test('a gateway that is down takes the VIP to the other edge, and nobody takes it back', async () => {
    await using network = new Network();
    const { holder, other } = await electOne(await segmentOf(network, blue), blue);
    // There and back: only the edge with the higher priority would take it back.
    for (const [from, to] of [
      [holder, other],
      [other, holder],
    ] as const) {
      track(from, 'gateway-down', 1);
      await taken(to);
      expect(await holds(from)).toBe(false);
      track(from, 'gateway-down', 0);
      await becomes(from, 'BACKUP');
      // It would be taken back at the first advert of the one that has it, or after four that did not come.
      const heard = await received(from);
      await eventually(
        async () => [await received(from), await holds(from)] as const,
        ([now, held]) => held || now > heard + 10,
      );
      expect([await holds(from), await holds(to)]).toEqual([false, true]);
    }
  });

  test.each([
    { fenced: false, answer: 'both edges answer' },
    { fenced: true, answer: 'only the other edge answers' },
  ])('mistake 21: keepalived is killed while it holds the VIP, and with the fence $fenced $answer for it', async ({ fenced }) => {
    await using network = new Network();
    const segment = await segmentOf(network, blue);
    const { holder, other } = await electOne(segment, blue);
    if (fenced) await Promise.all([holder, other].map(fence));
    expect(await claimants(segment.client)).toEqual([await mac(holder)]);
    await holder.daemon.kill();
    await taken(other);
    expect(await holds(holder)).toBe(true); // left behind, as nobody was there to take it away
    const both = [await mac(holder), await mac(other)].sort();
    expect(await claimants(segment.client)).toEqual(fenced ? [await mac(other)] : both);
  });

  test('mistake 21: an edge that comes back does not claim what the other one holds', async () => {
    await using network = new Network();
    const segment = await segmentOf(network, blue);
    const { holder, other } = await electOne(segment, blue);
    await Promise.all([holder, other].map(fence));
    await holder.daemon.kill();
    await taken(other);
    const again = start(holder, blue);
    // It takes away what it left behind before, and is then a backup, whatever the priorities are.
    await eventually(
      () => holds(holder),
      (held) => !held,
    );
    await again.until(async () => readFileSync(again.log, 'utf8').includes('Delayed start completed'), AbortSignal.timeout(20_000));
    expect(await claimants(segment.client)).toEqual([await mac(other)]);
    expect([state(again), state(other.daemon)]).toEqual(['BACKUP', 'MASTER']);
  });

  test.each([
    { told: 0, answer: 'both edges answer' },
    { told: 1, answer: 'only the one that has it answers' },
  ])('mistake 21: the link between the edges is cut, and when the other edge was told $told $answer for the VIP', async ({ told }) => {
    await using network = new Network();
    const segment = await segmentOf(network, blue);
    const { holder, other } = await electOne(segment, blue);
    track(other, 'vip-elsewhere', told);
    if (told === 1) await becomes(other, 'FAULT');
    await other.host.run(
      ...other.host.edge(
        'nft',
        'add table inet cut; add chain inet cut in { type filter hook input priority 0; }; add rule inet cut in iifname peer0 drop',
      ),
    );
    if (told === 0) await taken(other);
    const both = [await mac(holder), await mac(other)].sort();
    expect(await claimants(segment.client)).toEqual(told === 1 ? [await mac(holder)] : both);
  });
});

test('a single edge hears nobody and takes the VIP, and has it again after net1 was down', async () => {
  await using network = new Network();
  const { edges, client } = await segmentOf(network, single);
  const [a] = edges as [Edge];
  start(a, single);
  await eventually(() => holds(a), Boolean);
  expect(await reaches(client, VIP)).toEqual([true]);
  await a.host.run('ip', 'link', 'set', 'net1', 'down');
  await a.host.run('ip', 'link', 'set', 'net1', 'up');
  expect(
    await eventually(
      () => reaches(client, VIP),
      ([reached]) => reached === true,
    ),
  ).toEqual([true]);
});
