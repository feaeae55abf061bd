import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { segmentMac } from '../../src/gateway/segment-mac.ts';
import { blue, single } from '../../src/gateway/testing/sample-plans.ts';
import type { Daemon } from '../../tools/testing/daemon.ts';
import { log, said, says, saysAnew } from './daemon-log.ts';
import { EdgePod } from './edge-pod.ts';
import { eventually, type Host, Network } from './network.ts';

/** keepalived, when something speaks against it that it holds the VIP. */
const FAULT = 'Entering FAULT STATE';
/** The container, when it was asked to give the VIP away and does. */
const GIVEN = 'the VIP is given to the other edge';
/** keepalived, when its delay after a start is over and it might take the VIP. */
const STARTED = 'Delayed start completed';

const macOf = async (host: Host): Promise<string> => {
  const [link] = JSON.parse(await host.run('ip', '-json', 'link', 'show', 'dev', 'net1')) as [{ address: string }];
  return link.address;
};

describe('the VIP of a pair', () => {
  let network: Network;
  let pods: readonly [EdgePod, EdgePod];
  let tenant: Host;
  let vips: Daemon[];

  beforeAll(async () => {
    network = new Network();
    ({ edges: pods, tenant } = await EdgePod.pair(network, blue));
    await Promise.all(pods.map((pod) => pod.guard()));
    for (const pod of pods) pod.startGateway();
    vips = pods.map((pod) => pod.start('vip'));
    await eventually(holders, (seen) => seen.length === 1);
  });
  afterAll(() => network[Symbol.asyncDispose]());

  const holders = async (): Promise<number[]> =>
    (await Promise.all(pods.map(async (pod, i) => ((await pod.holdsVip()) ? [i] : [])))).flat();
  /** One edge holds it, and it is another one than before. */
  const moved = (from: number) => eventually(holders, (seen) => seen.length === 1 && seen[0] !== from);
  const holder = async (): Promise<number> => (await eventually(holders, (seen) => seen.length === 1))[0] as number;
  const pod = (i: number): EdgePod => pods[i] as EdgePod;
  const vip = (i: number): Daemon => vips[i] as Daemon;
  const answers = async (): Promise<unknown> => tenant.dial('192.168.100.3:6443');

  test('is at one of them, and answers', async () => {
    expect(await holders()).toHaveLength(1);
    expect(await answers()).toEqual({ '192.168.100.3:6443': 'open' });
  });

  test('moves when the gateway of its holder dies', async () => {
    const from = await holder();
    const before = said(vip(from), 'the gateway is ready');
    pod(from).killAll('envoy');
    await moved(from);
    expect(await answers()).toEqual({ '192.168.100.3:6443': 'open' });
    await pod(from).startGateway().ready();
    await says(vip(from), 'the gateway is ready', before + 1);
  });

  test('moves when keepalived is killed, is left behind nowhere, and the container ends so that it is started again', async () => {
    const from = await holder();
    const before = said(vip(from), 'Delayed start completed');
    pod(from).killAll('keepalived');
    await moved(from);
    await eventually(
      async () => vip(from).running,
      (running) => !running,
    );
    expect(await answers()).toEqual({ '192.168.100.3:6443': 'open' });
    vip(from).start();
    await says(vip(from), 'Delayed start completed', before + 1);
    expect(await holders()).toEqual([1 - from]);
  });

  test('stays when only the link between the edges is cut, and is then taken over without it when the holder is gone', async () => {
    const from = await holder();
    const other = 1 - from;
    const before = said(vip(other), FAULT);
    await pod(from).host.run('ip', 'link', 'set', 'eth0', 'down');
    await says(vip(other), FAULT, before + 1);
    expect(log(vip(other))).toContain('the link is silent but the other edge still holds 192.168.100.3');
    expect(await holders()).toEqual([from]);

    // A machine of the tenant that answers for the VIP keeps nobody from taking it: only the peer's MAC counts.
    await tenant.run('ip', 'address', 'add', '192.168.100.3/32', 'dev', 'net1');
    await pod(from).host.run('ip', 'link', 'set', 'net1', 'down');
    await eventually(
      () => pod(other).holdsVip(),
      (held) => held,
    );
    await says(vip(other), `${await macOf(tenant)} says that it has 192.168.100.3, and is neither edge`);
    await tenant.run('ip', 'address', 'delete', '192.168.100.3/32', 'dev', 'net1');

    for (const link of ['eth0', 'net1']) await pod(from).host.run('ip', 'link', 'set', link, 'up');
    await eventually(holders, (seen) => seen.length === 1 && seen[0] === other);
  });

  test('is never claimed by an edge that starts again while its peer holds it, with nobody to ask but the segment', async () => {
    const from = await holder();
    const other = 1 - from;
    await pod(from).host.run('ip', 'link', 'set', 'eth0', 'down'); // no pod network: no peer, no operator, no API
    const ask = 'while :; do arping -c 1 -w 1 -I net1 -s 192.168.100.50 192.168.100.3; sleep 0.05; done';
    const claims = tenant.start('claims', tenant.edge('sh', '-c', ask));
    const started = said(vip(other), STARTED);
    await vip(other).kill();
    vip(other).start();
    const samples: (readonly number[])[] = [];
    let after = 0;
    await eventually(
      async () => {
        samples.push(await holders());
        after += said(vip(other), STARTED) > started ? 1 : 0;
        return after;
      },
      // Two seconds and more after it might have begun: without a word from the peer it would take over within one.
      (count) => count > 40,
      AbortSignal.timeout(60_000),
    );
    expect(new Set(samples.map((seen) => seen.join()))).toEqual(new Set([`${from}`]));
    await claims.kill();
    const answers = log(claims).match(/reply from \S+ \[\S+\]/g) ?? [];
    expect(answers.length).toBeGreaterThan(40);
    expect(new Set(answers.map((line) => line.toLowerCase()))).toEqual(
      new Set([`reply from 192.168.100.3 [${segmentMac(blue, pod(from).edge)}]`]),
    );
    await pod(from).host.run('ip', 'link', 'set', 'eth0', 'up');
    await eventually(holders, (seen) => seen.length === 1);
  });

  test('is given to the other one when that is asked for, and stays there', async () => {
    const from = await holder();
    pod(from).askToYield('a word');
    await moved(from);
    expect(await answers()).toEqual({ '192.168.100.3:6443': 'open' });
    await says(vip(from), GIVEN);
    // Its fault for a moment is over: that was the last of it.
    await eventually(
      async () =>
        log(vip(from))
          .match(/Entering \w+ STATE/g)
          ?.at(-1),
      (state) => state === 'Entering BACKUP STATE',
    );
    const happened = () => vips.map((one) => [said(one, GIVEN), said(one, 'Entering')]);
    const before = happened();
    // Asked again by the same word, and by another one while it does not have it: nothing happens.
    for (const word of ['a word', 'another word']) {
      const heard = saysAnew(vip(from), 'asked to give the VIP to the other edge, but it is not here');
      pod(from).askToYield(word);
      await heard;
    }
    expect([await holders(), happened()]).toEqual([[1 - from], before]);
  });

  test('is not touched by a configuration that keepalived refuses, and a good one is read', async () => {
    const i = await holder();
    const files = pod(i).files('vip');
    const change = (edit: (content: string) => string) =>
      files.map((file) => (file.name === 'keepalived.conf' ? { ...file, content: edit(file.content) } : file));
    pod(i).configure(
      'vip',
      change((content) => content.replace('virtual_router_id 77', 'virtual_router_id 777')),
    );
    await says(vip(i), 'keepalived.conf was refused, the last good one stays');
    expect([await holders(), vip(i).running]).toEqual([[i], true]);
    pod(i).configure(
      'vip',
      change((content) => content.replace('vrrp_garp_master_refresh 60', 'vrrp_garp_master_refresh 30')),
    );
    await says(vip(i), 'keepalived reads its new configuration');
    expect(await holders()).toEqual([i]);
  });

  test('gets a new port as soon as the guard’s rules have it, without a restart', async () => {
    const i = await holder();
    await pod(i).host.listen('192.168.100.3:8443');
    expect(await tenant.dial('192.168.100.3:8443')).toEqual({ '192.168.100.3:8443': 'silence' });
    pod(i).configure(
      'guard',
      pod(i)
        .files('guard')
        .map((file) => ({ ...file, content: file.content.replace('6443', '6443, 8443') })),
    );
    await eventually(
      () => tenant.dial('192.168.100.3:8443') as Promise<Record<string, string>>,
      (seen) => seen['192.168.100.3:8443'] === 'open',
    );
  });

  test('is claimed by a machine of the tenant: both edges know which, tell it on the hub, and count', async () => {
    await tenant.run('ip', 'link', 'set', 'net1', 'address', '02:66:66:66:66:66');
    await tenant.run('ip', 'address', 'add', '192.168.100.3/32', 'dev', 'net1'); // without a word to anybody
    const ask = async (from: Host, address: string, page: string): Promise<string> =>
      from.run('curl', '-sf', '-m', '4', `http://${address}:8069/${page}`).catch(() => 'silence');
    for (const [from, address] of [
      [pod(1), '10.128.0.2'],
      [pod(0), '10.128.0.3'],
    ] as const) {
      const seen = await eventually(
        async () => JSON.parse((await ask(from.host, address, 'sightings')).replace('silence', '{}')) as Record<string, readonly string[]>,
        // Who did it before, by another MAC, is remembered as well.
        ({ claiming_vip = [] }) => claiming_vip.includes('02:66:66:66:66:66'),
      );
      expect(Object.keys(seen)).toEqual(['claiming_edge', 'claiming_vip', 'asking', 'passing', 'knocking', 'crowding']);
      expect(await ask(from.host, address, 'counters')).toMatch(/^claims_of_our_address [1-9]/m);
    }
    await tenant.run('ip', 'address', 'delete', '192.168.100.3/32', 'dev', 'net1');
    expect(await ask(tenant, '192.168.100.2', 'sightings')).toBe('silence');
    await eventually(holders, (seen) => seen.length === 1);
  });

  test('is handed over when a pod is told to stop, and the container ends as told', async () => {
    const from = await holder();
    pod(from).stop('vip');
    await moved(from);
    await eventually(
      async () => vip(from).running,
      (running) => !running,
    );
    expect(
      log(vip(from))
        .match(/keepalived ended with code \d+/g)
        ?.at(-1),
    ).toBe('keepalived ended with code 0');
  });
});
test('clients behind the router of the VLAN reach the VIP, before and after it moves, and those on the segment also without the router', async () => {
  await using network = new Network();
  const [router, remote] = [await network.host('router'), await network.host('remote')];
  const { edges, tenant } = await EdgePod.pair(network, blue, router);
  await network.connect([router, 'wan'], [remote, 'lan']);
  await router.run('ip', 'address', 'add', '192.168.100.1/24', 'dev', 'net1');
  await router.run('ip', 'address', 'add', '198.51.100.1/24', 'dev', 'wan');
  await router.run('sysctl', '-qw', 'net.ipv4.ip_forward=1');
  await remote.run('ip', 'address', 'add', '198.51.100.9/24', 'dev', 'lan');
  await remote.run('ip', 'route', 'add', 'default', 'via', '198.51.100.1');
  for (const edge of edges) {
    await edge.routeBySource();
    await edge.guard();
    edge.startGateway();
    edge.start('vip');
    edge.startDns();
  }
  const holders = async () => (await Promise.all(edges.map(async (edge) => ((await edge.holdsVip()) ? [edge] : [])))).flat();
  const [holder] = await eventually(holders, (seen) => seen.length === 1);
  const open = { '192.168.100.3:6443': 'open' };
  const reached = (from: Host) =>
    eventually(
      () => from.dial('192.168.100.3:6443') as Promise<Record<string, string>>,
      (seen) => seen['192.168.100.3:6443'] === 'open',
    );
  expect([await reached(remote), await reached(tenant)]).toEqual([open, open]);
  // DNS is for the segment: from behind the router it is refused.
  const resolve = async (from: Host, source: string) => {
    const task = { server: '192.168.100.2', port: 53, source, questions: ['udp api.blue.example.com A'] };
    const [answer] = Object.values(
      (await from.program('dns-client.ts', JSON.stringify(task))) as Record<string, { readonly rcode: string }>,
    );
    return answer?.rcode;
  };
  expect([await resolve(tenant, '192.168.100.50'), await resolve(remote, '198.51.100.9')]).toEqual(['NOERROR', 'REFUSED']);

  holder?.killAll('envoy');
  await eventually(holders, ([seen]) => seen !== undefined && seen !== holder);
  expect([await reached(remote), await reached(tenant)]).toEqual([open, open]);

  await router.run('ip', 'link', 'set', 'net1', 'down');
  expect(await tenant.dial('192.168.100.3:6443')).toEqual(open);
  expect(await remote.dial('192.168.100.3:6443')).not.toEqual(open);
});
test('a single edge takes the VIP, with nobody at the other end of its link', async () => {
  await using network = new Network();
  const pod = await EdgePod.alone(network, single);
  await pod.guard();
  pod.startGateway();
  pod.start('vip');
  await eventually(
    () => pod.holdsVip(),
    (held) => held,
  );
});
