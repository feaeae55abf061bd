import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { deriveAttachments, networks } from '../../src/gateway/attachments.ts';
import type { EdgePlan, TenantPlan } from '../../src/gateway/tenant-plan.ts';
import { bridgeConfig, macvlanConfig, vmNad } from '../../src/gateway/testing/sample-nads.ts';
import { allRoutes, blue, dualStack } from '../../src/gateway/testing/sample-plans.ts';
import { toolPath } from '../../tools/paths.ts';
import { type Host, Network } from './network.ts';

/** A node with the segment's bridge and parent interface, and a pod on its network. */
async function nodeAndPod(network: Network): Promise<{ node: Host; pod: Host }> {
  const [node, pod] = [await network.host('node'), await network.host('pod')];
  await node.run('ip', 'link', 'add', 'br100', 'type', 'bridge');
  await node.run('ip', 'link', 'set', 'br100', 'up');
  await network.connect([node, 'ens4.100'], [await network.host('switch'), 'port']);
  await network.connect([pod, 'eth0'], [node, 'pod0']);
  await pod.run('ip', 'address', 'add', '10.128.0.5/24', 'dev', 'eth0');
  await pod.run('ip', 'route', 'add', 'default', 'via', '10.128.0.1');
  return { node, pod };
}

interface Plugin {
  readonly type: string;
  readonly capabilities?: Readonly<Record<string, boolean>>;
}

/** What Multus and the CNI library do with an attachment: each plugin in turn, with what the one before returned and what the pod asked for. */
async function attach(node: Host, pod: Host, plan: TenantPlan, edge: EdgePlan, config: unknown): Promise<void> {
  const { nads } = deriveAttachments({ ...plan, edges: [edge] }, [vmNad(config)]);
  const [spec] = nads.map((nad) => nad['spec'] as { readonly config: string });
  const { cniVersion, name, plugins } = JSON.parse(spec?.config ?? '') as {
    cniVersion: string;
    name: string;
    plugins: Plugin[];
  };
  const [asked] = JSON.parse(networks(plan, edge)) as [{ mac: string; interface: string }];
  let prevResult: unknown;
  for (const plugin of plugins) {
    const runtimeConfig = plugin.capabilities?.['mac'] ? { runtimeConfig: { mac: asked.mac } } : {};
    const stdin = JSON.stringify({ cniVersion, name, ...plugin, ...runtimeConfig, ...(prevResult === undefined ? {} : { prevResult }) });
    prevResult = JSON.parse(await add(node, pod, plugin.type, asked.interface, stdin));
  }
}

async function add(node: Host, pod: Host, type: string, link: string, stdin: string): Promise<string> {
  const binary = toolPath(type);
  const env = {
    PATH: process.env['PATH'],
    CNI_COMMAND: 'ADD',
    CNI_CONTAINERID: 'edge',
    CNI_NETNS: `/proc/${pod.pid}/ns/net`,
    CNI_IFNAME: link,
    CNI_PATH: dirname(binary),
  };
  const [program = '', ...args] = node.inside([binary]);
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(stdin);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode !== 0 && stdout.includes('"code"')) throw new Error(`${type}: ${stdout}${stderr}`);
  return stdout;
}

const lines = (output: string): string[] =>
  output
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => line !== '');
const routes = async (pod: Host, table: string, ...family: string[]): Promise<string[]> =>
  lines(await pod.run('ip', ...family, 'route', 'show', 'table', table)).sort();
const rules = async (pod: Host, ...family: string[]): Promise<string[]> =>
  lines(await pod.run('ip', ...family, 'rule')).filter((rule) => rule.includes('lookup 100'));
const edgeA = (plan: TenantPlan): EdgePlan => plan.edges[0] as EdgePlan;
const hub = ['10.128.0.0/24 dev eth0 proto kernel scope link src 10.128.0.5', 'default via 10.128.0.1 dev eth0'];
const segment = '192.168.100.0/24 dev net1 proto kernel scope link src 192.168.100.2';

test.each([
  ['bridge', bridgeConfig],
  ['macvlan', macvlanConfig],
])('a pod on a %s gets its address, its MAC, and the segment as a second way out for answers only', async (_, config) => {
  await using network = new Network();
  const { node, pod } = await nodeAndPod(network);
  await attach(node, pod, blue, edgeA(blue), config);
  expect(lines(await pod.run('ip', '-oneline', '-4', 'address', 'show', 'dev', 'net1'))[0]).toContain('inet 192.168.100.2/24');
  expect(await pod.run('ip', '-oneline', 'link', 'show', 'dev', 'net1')).toContain('link/ether 02:69:86:4e:d8:94');
  expect(await rules(pod)).toEqual(['32765: from 192.168.100.2 lookup 100']);
  expect(await routes(pod, '100')).toEqual(['192.168.100.0/24 dev net1 scope link', 'default via 192.168.100.1 dev net1']);
  // What the pod dials of its own accord goes to the hub, and to neighbours on the segment: one default route, and it is not the segment's.
  expect(await routes(pod, 'main')).toEqual([...hub, segment].sort());
});

test('both families look into the same table, and IPv6 keeps its link-local route', async () => {
  await using network = new Network();
  const { node, pod } = await nodeAndPod(network);
  await attach(node, pod, dualStack, edgeA(dualStack), bridgeConfig);
  expect([await rules(pod), await rules(pod, '-6')]).toEqual([
    ['32765: from 192.168.100.2 lookup 100'],
    ['32765: from fd00:100::2 lookup 100'],
  ]);
  expect(await routes(pod, '100', '-6')).toEqual([
    'default via fd00:100::1 dev net1 metric 1024 pref medium',
    'fd00:100::/64 dev net1 metric 1024 pref medium',
  ]);
  expect(await routes(pod, 'main', '-6')).toEqual(
    [
      'fd00:100::/64 dev net1 proto kernel metric 256 pref medium',
      'fe80::/64 dev eth0 proto kernel metric 256 pref medium',
      'fe80::/64 dev net1 proto kernel metric 256 pref medium',
    ].sort(),
  );
});

test('on a segment without a router a pod has its address and the way to its neighbours, and nothing else', async () => {
  await using network = new Network();
  const { node, pod } = await nodeAndPod(network);
  await attach(node, pod, allRoutes, edgeA(allRoutes), bridgeConfig);
  expect(await rules(pod)).toEqual([]);
  expect(await routes(pod, 'main')).toEqual([...hub, '192.168.100.0/24 dev net1 proto kernel scope link src 192.168.100.1'].sort());
});

test('mistake 4: the VMs’ own attachment would have given a pod no address', async () => {
  await using network = new Network();
  const { node, pod } = await nodeAndPod(network);
  await add(node, pod, 'bridge', 'net1', JSON.stringify({ ...bridgeConfig, runtimeConfig: { ips: ['192.168.100.2/24'] } }));
  expect(lines(await pod.run('ip', '-oneline', '-4', 'address', 'show', 'dev', 'net1'))).toEqual([]);
});
