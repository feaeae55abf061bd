import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { linkLocal } from '../../src/gateway/probes.ts';
import { segmentMac } from '../../src/gateway/segment-mac.ts';
import type { Station } from '../../src/gateway/tenant-plan.ts';
import type { KubeObject } from '../../src/kube/object.ts';
import { openLab } from '../../src/lab/open.ts';
import { hostedClusterObjects, nodePool } from '../../src/lab/player/scenario.ts';
import type { RunningLab } from '../../src/lab/running-lab.ts';
import { workers } from '../../src/lab/worker/control.ts';
import { hcpioLab, hcpioLabWell } from './testing/cli.ts';
import { handshakes, netnsOf } from './testing/from-worker.ts';
import { dialFromPod, runInPod } from './testing/in-pod.ts';
import { remainsOf } from './testing/machine.ts';
import { conditionOf, says, tenantNetwork } from './testing/operator.ts';
import { addressOf, BUSYBOX, eventually } from './testing/pods.ts';
import { legOf, NODE_PORTS, scan, silence, TELLING } from './testing/scan.ts';

/** Two tenants with one and the same network, each on a VLAN of its own, and what a worker of theirs can reach: by scan, not by claim. */
const NAME = 'tisle';
const TENANTS = [
  { cluster: 'blue', segment: 'vlan100' },
  { cluster: 'green', segment: 'vlan200' },
] as const;
const CIDR = '192.168.100.0/24';
const VIP = '192.168.100.3';
const EDGES = ['192.168.100.2', '192.168.100.4'] as const;
const PROBER = '192.168.100.5';
const STATIONS = ['edge-a-0', 'edge-b-0', 'prober-0'] as const;
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
const clusterIp = (namespace: string, service: string) =>
  lab.kubectl(['get', 'service', service, `--namespace=${namespace}`, '--output=jsonpath={.spec.clusterIP}']);
const podOf = (namespace: string, selector = '') =>
  lab.kubectl(['get', 'pod', `--namespace=${namespace}`, `--selector=${selector}`, '--output=jsonpath={.items[0].metadata.name}']);
const guardReport = () =>
  lab.kubectl(['exec', '--namespace=clusters-blue-edge', 'edge-a-0', '--container=vip', '--', '/usr/libexec/hcpio/guard-report']);
/** What the guard of edge-a has dropped of the segment's packets so far. */
const dropped = async () => Number(/^dropped_segment (\d+)/m.exec(await guardReport())?.[1]);

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
    const found = await scan(lab, await netnsOfWorker('blue'), { addresses: [...EDGES, VIP], ports: [[1, 65_535]] });
    console.log(`scanned 65,535 TCP and UDP ports of ${Object.keys(found).join(', ')}: ${JSON.stringify(found)}`);
    const edge = { open: [53], refused: [], udp: [53] };
    expect(found).toEqual({ [EDGES[0]]: edge, [EDGES[1]]: edge, [VIP]: { open: [80, 443, 6443], refused: [], udp: [] } });
  });

  test('nothing of the hub answers, not even to a worker that sends its packets through an edge, the prober, or nobody', async () => {
    const netns = await netnsOfWorker('blue');
    const hub = [
      lab.hub.address,
      ...lab.nodes.map(({ address }) => address),
      ...(await Promise.all(STATIONS.map((pod) => addressOf(lab, 'clusters-blue-edge', pod)))),
      await addressOf(lab, 'clusters-blue', 'etcd-0'),
      await clusterIp('clusters-blue', 'kube-apiserver'),
      lab.hub.dns,
    ];
    const { device } = await legOf(lab, netns);
    // Pods inherit it from nodes that forward, as those of a hub do.
    for (const pod of STATIONS) await runInPod(lab, 'clusters-blue-edge', pod, ['sysctl', '-qw', 'net.ipv4.ip_forward=1']);
    for (const [way, ports] of [
      [
        ['via', EDGES[0]],
        [[1, 11_000], NODE_PORTS],
      ],
      [
        ['via', EDGES[1]],
        [...TELLING, NODE_PORTS],
      ],
      [
        ['via', PROBER],
        [...TELLING, NODE_PORTS],
      ],
      [['via', VIP], TELLING],
      [
        ['dev', device],
        [...TELLING, NODE_PORTS],
      ],
    ] as const) {
      for (const cidr of [lab.hub.nodeCidr, lab.hub.podCidr, lab.hub.serviceCidr])
        await lab.run(['ip', 'route', 'replace', cidr, ...way], { netns });
      expect([way, await scan(lab, netns, { addresses: hub, ports })]).toEqual([way, silence(hub)]);
    }
  });

  test('nor do the edges and the prober by the addresses that IPv6 gives every link', async () => {
    const netns = await netnsOfWorker('blue');
    const { device } = await legOf(lab, netns);
    const macs = STATIONS.map((pod) => segmentMac({ tenant: 'clusters/blue' }, { name: pod.slice(0, -2) as Station['name'] }));
    // Nobody there answers who asks for the MAC of such an address; but who knows it can send.
    for (const mac of macs)
      await lab.run(['ip', '-6', 'neighbour', 'replace', linkLocal(mac), 'lladdr', mac, 'dev', device, 'nud', 'permanent'], { netns });
    const addresses = macs.map((mac) => `${linkLocal(mac)}%${device}`);
    const before = await dropped();
    expect(await scan(lab, netns, { addresses, ports: [[1, 11_000]] })).toEqual(silence(addresses));
    expect((await dropped()) - before).toBeGreaterThan(11_000);
  });

  test('a worker that answers for the VIP is found out, and the segment is proven again when it stops', async () => {
    const netns = await netnsOfWorker('blue');
    const { device, mac } = await legOf(lab, netns);
    await lab.run(['ip', 'address', 'add', `${VIP}/32`, 'dev', device], { netns });
    const announced = async () => {
      await lab.run([BUSYBOX, 'arping', '-U', '-c', '1', '-I', device, VIP], { netns });
      return conditionOf(lab, 'blue', 'SegmentProven');
    };
    try {
      const taken = await eventually(announced, (said) => said.includes('VipTaken'), 120_000);
      expect(taken).toContain(`VIP ${VIP}: ${mac} answers for it, and that is neither of the edges`);
    } finally {
      await lab.run(['ip', 'address', 'delete', `${VIP}/32`, 'dev', device], { netns });
    }
    expect(await says(lab, 'blue', 'SegmentProven', /^True/)).toMatch(/^True Proven/);
  });

  test('one worker gets its share of connections and no more', async () => {
    const program = [join(ROOT, 'node_modules/node/bin/node'), join(ROOT, 'test/real/programs/tcp.ts')];
    const open = Number(await lab.run([...program, 'hold', '2200', `${VIP}:443`], { netns: await netnsOfWorker('blue') }));
    expect([open > 1500, open <= 2048, open]).toEqual([true, true, open]);
  });

  test('who tried is found out: the status names the worker', async () => {
    const worker = await workerOf('blue');
    const told = async () =>
      ((await tenantNetwork(lab, 'blue')).status?.findings ?? [])
        .filter(({ code }) => code.startsWith('HCPIO-GRD-'))
        .map(({ code, severity, message }) => `${code} ${severity}: ${message}`);
    const who = `[0-9a-f:]{17} \\(${worker?.name}\\)`;
    const expected = [
      `^HCPIO-GRD-001 warning: ${who} claims ${VIP}, the VIP`,
      `^HCPIO-GRD-002 warning: ${who} tries to get to the hub through edge-`,
      `^HCPIO-GRD-003 info: ${who} dials ports of edge-.* that are not published`,
      `^HCPIO-GRD-004 warning: ${who} has as many connections through edge-. as one machine may have`,
    ].map((pattern) => new RegExp(pattern));
    const findings = await eventually(told, (seen) => expected.every((pattern) => seen.some((one) => pattern.test(one))), 180_000);
    expect(findings).toEqual(expect.arrayContaining(expected.map((pattern) => expect.stringMatching(pattern))));
    const counts = await guardReport();
    console.log(`edge-a: ${counts.replaceAll('\n', ' ')}`);
    expect(counts).toMatch(/^dropped_segment [1-9]/m);
    expect(counts).toMatch(/^dropped_forward [1-9]/m);
  });
});

describe('seen from the pods', () => {
  test('an edge reaches the four upstreams of its tenant and nothing else of the hub', async () => {
    const upstreams = await Promise.all(
      (
        [
          ['kube-apiserver', 6443],
          ['oauth-openshift', 6443],
          ['konnectivity-server', 8091],
          ['ignition-server-proxy', 443],
        ] as const
      ).map(async ([service, port]) => `${await clusterIp('clusters-blue', service)}:${port}`),
    );
    const etcd = `${await addressOf(lab, 'clusters-blue', 'etcd-0')}:2379`;
    const rest = [
      `${lab.hub.address}:6443`,
      ...lab.nodes.map(({ address }) => `${address}:10250`),
      `${lab.hub.dns}:53`,
      `${await clusterIp('clusters-green', 'kube-apiserver')}:6443`,
    ];
    const open = (seen: Readonly<Record<string, string>>) => Object.keys(seen).filter((target) => seen[target] === 'open');
    for (const edge of ['edge-a-0', 'edge-b-0'])
      expect(open(await dialFromPod(lab, 'clusters-blue-edge', edge, [...upstreams, etcd, ...rest]))).toEqual(upstreams);
    expect(open(await dialFromPod(lab, 'clusters-blue-edge', 'prober-0', [...upstreams, etcd, ...rest]))).toEqual([]);
    // All of the rest is there for a pod whose policies let it: the lines above can fail.
    const others = rest.filter((target) => !target.startsWith(lab.hub.dns));
    expect(open(await dialFromPod(lab, 'openshift-dns', await podOf('openshift-dns'), others))).toEqual(others);
    const apiServer = await podOf('clusters-blue', 'app=kube-apiserver');
    expect(open(await dialFromPod(lab, 'clusters-blue', apiServer, [etcd]))).toEqual([etcd]);
  });

  test('an edge and the prober answer nobody from other namespaces', async () => {
    const [a, b, prober] = await Promise.all(STATIONS.map((pod) => addressOf(lab, 'clusters-blue-edge', pod)));
    const ports = [53, 443, 6443, 8004, 8069, 9902];
    const targets = [...[a, b].flatMap((edge) => ports.map((port) => `${edge}:${port}`)), `${prober}:8068`];
    const seen = await dialFromPod(lab, 'openshift-dns', await podOf('openshift-dns'), targets);
    expect(targets.filter((target) => seen[target] === 'open')).toEqual([]);
    // To whom they are meant for, they do.
    const reports = [`${a}:8069`, `${b}:8069`, `${prober}:8068`];
    const operator = await podOf('hcpio-system', 'app.kubernetes.io/name=hcpio-operator');
    expect(await dialFromPod(lab, 'hcpio-system', operator, reports)).toEqual(
      Object.fromEntries(reports.map((target) => [target, 'open'])),
    );
  });
});

test('an edge whose address a worker has taken does not start, and the status says who has it', async () => {
  const netns = await netnsOfWorker('blue');
  const { device, mac } = await legOf(lab, netns);
  await lab.run(['ip', 'address', 'add', `${EDGES[1]}/32`, 'dev', device], { netns });
  try {
    await lab.kubectl(['delete', 'pod', 'edge-b-0', '--namespace=clusters-blue-edge']);
    const taken = `False AddressTaken: edge-b does not start, because ${mac} on the segment has its address ${EDGES[1]}.`;
    expect(await says(lab, 'blue', 'EdgeReady', /AddressTaken/)).toContain(taken);
  } finally {
    await lab.run(['ip', 'address', 'delete', `${EDGES[1]}/32`, 'dev', device], { netns });
  }
  await lab.kubectl(['delete', 'pod', 'edge-b-0', '--namespace=clusters-blue-edge']); // kubelet would wait before the next try
  expect(await says(lab, 'blue', 'EdgeReady', /^True/)).toMatch(/^True EdgesReady/);
});
