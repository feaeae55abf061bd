import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/object.ts';
import { openLab } from '../../src/lab/open.ts';
import { hostedClusterObjects, nodePool } from '../../src/lab/player/scenario.ts';
import type { RunningLab } from '../../src/lab/running-lab.ts';
import { workers } from '../../src/lab/worker/control.ts';
import type { Found, Task } from './programs/scan.ts';
import { hcpioLab, hcpioLabWell } from './testing/cli.ts';
import { handshakes, netnsOf } from './testing/from-worker.ts';
import { remainsOf } from './testing/machine.ts';
import { says, tenantNetwork } from './testing/operator.ts';
import { addressOf, eventually } from './testing/pods.ts';

/** Two tenants with one and the same network, each on a VLAN of its own, and what a worker of theirs can reach: by scan, not by claim. */
const NAME = 'tisle';
const TENANTS = [
  { cluster: 'blue', segment: 'vlan100' },
  { cluster: 'green', segment: 'vlan200' },
] as const;
const CIDR = '192.168.100.0/24';
const VIP = '192.168.100.3';
const EDGES = ['192.168.100.2', '192.168.100.4'] as const;
const ROOT = join(import.meta.dirname, '../..');
const { signal } = new AbortController();
let lab: RunningLab;

beforeAll(async () => {
  await hcpioLab('down', '--name', NAME);
  await hcpioLabWell('up', '--name', NAME, '--operator');
  lab = await openLab(NAME);
  await lab.apply(hostedClusterObjects({ name: 'green', strategy: 'loadbalancer', machineCidr: CIDR }));
  await lab.apply([nodePool({ name: 'green', cluster: 'green', segment: 'vlan200', replicas: 0, kind: 'vm' })]);
  await lab.apply(
    TENANTS.map(
      ({ cluster, segment }) =>
        ({
          apiVersion: 'hcpio.io/v1alpha1',
          kind: 'TenantNetwork',
          metadata: { name: cluster, namespace: 'clusters' },
          spec: { segment: { attachment: `default/${segment}`, cidrs: [CIDR] } },
        }) as KubeObject,
    ),
  );
  // NodePools are held until the segment is proven.
  for (const { cluster } of TENANTS) expect(await says(lab, cluster, 'Ready', /^True/)).toMatch(/^True/);
  for (const { segment } of TENANTS) await workers.start(lab, { kind: 'netns', count: 1, segment }, signal);
});

afterAll(async () => {
  await hcpioLab('down', '--name', NAME, '--purge');
  expect(remainsOf(NAME)).toEqual([]);
});

const workerOf = async (cluster: string) => (await workers.list(lab)).find(({ name }) => name.startsWith(`${cluster}-light-`));
const netnsOfWorker = async (cluster: string) => netnsOf(lab, (await workerOf(cluster))?.name ?? '');
const scan = async (cluster: string, task: Task) =>
  JSON.parse(
    await lab.run([join(ROOT, 'node_modules/node/bin/node'), join(ROOT, 'test/lab/programs/scan.ts'), JSON.stringify(task)], {
      netns: await netnsOfWorker(cluster),
    }),
  ) as Record<string, Found>;

describe('two tenants that use the same addresses', () => {
  test('both have workers that joined', async () => {
    for (const { cluster } of TENANTS) {
      const worker = await eventually(
        () => workerOf(cluster),
        (found) => found?.steps.some(({ step }) => step === 'ready') ?? false,
        180_000,
      );
      expect([cluster, worker?.steps.at(-1)?.step]).toEqual([cluster, 'ready']);
    }
    const vips = await Promise.all(TENANTS.map(async ({ cluster }) => (await tenantNetwork(lab, cluster)).status?.vip));
    expect(vips).toEqual([VIP, VIP]);
  });

  test.each(TENANTS)('a worker of $cluster meets its own API and no other', async ({ cluster }) => {
    const other = cluster === 'blue' ? 'green' : 'blue';
    const secret = JSON.parse(await lab.kubectl(['get', 'secret', 'root-ca', `--namespace=clusters-${cluster}`, '--output=json'])) as {
      data: Record<string, string>;
    };
    const ca = Buffer.from(secret.data['ca.crt'] ?? '', 'base64').toString();
    const shown = await handshakes(lab, await netnsOfWorker(cluster), [
      { name: `api.${cluster}.example.com`, address: VIP, port: 6443, ca },
      { name: `oauth.${cluster}.example.com`, address: VIP, port: 443, ca },
      { name: `oauth.${other}.example.com`, address: VIP, port: 443, ca },
    ]);
    expect(shown.map(({ name, trusted }) => [name, trusted])).toEqual([
      [`api.${cluster}.example.com`, true],
      [`oauth.${cluster}.example.com`, true],
      [`oauth.${other}.example.com`, undefined],
    ]);
  });
});

describe('seen from a worker', () => {
  test('of all ports of the edges and the VIP only the declared ones answer', async () => {
    const every: Task['tcp'] = [1, 65_535];
    const found = await scan('blue', { addresses: [...EDGES, VIP], tcp: every, udp: every });
    console.log(`scanned 65,535 TCP and UDP ports of ${Object.keys(found).join(', ')}: ${JSON.stringify(found)}`);
    const edge = { open: [53], refused: [], udp: [53] };
    expect(found).toEqual({ [EDGES[0]]: edge, [EDGES[1]]: edge, [VIP]: { open: [80, 443, 6443], refused: [], udp: [] } });
  });

  test('nothing of the hub answers, not even to a worker that sends its packets through an edge', async () => {
    const netns = await netnsOfWorker('blue');
    const edge = await addressOf(lab, 'clusters-blue-edge', 'edge-a-0');
    const etcd = await addressOf(lab, 'clusters-blue', 'etcd-0');
    const service = await lab.kubectl([
      'get',
      'service',
      'kube-apiserver',
      '--namespace=clusters-blue',
      '--output=jsonpath={.spec.clusterIP}',
    ]);
    const hub = [lab.hub.address, ...lab.nodes.map(({ address }) => address), edge, etcd, service, lab.hub.dns];
    for (const [gateway, ports] of [
      [EDGES[0], [1, 11_000]],
      [VIP, [6_400, 6_500]],
    ] as const) {
      for (const cidr of [lab.hub.nodeCidr, lab.hub.podCidr, lab.hub.serviceCidr])
        await lab.run(['ip', 'route', 'replace', cidr, 'via', gateway], { netns });
      const found = await scan('blue', { addresses: hub, tcp: ports, udp: ports });
      expect(found).toEqual(Object.fromEntries(hub.map((address) => [address, { open: [], refused: [], udp: [] }])));
    }
  });
});
