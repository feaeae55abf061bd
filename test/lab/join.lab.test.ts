import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SHORTHAND_ANNOTATION } from '../../src/api/shorthand.ts';
import type { WorkerReport } from '../../src/lab/contract.ts';
import { ensureDerived } from '../../src/lab/images/derived.ts';
import { openLab } from '../../src/lab/open.ts';
import type { Condition } from '../../src/lab/player/hosted-cluster.ts';
import { DHCP_CLIENT } from '../../src/lab/player/machines/node-pool.ts';
import { hostedClusterObjects, nodePool } from '../../src/lab/player/scenario.ts';
import type { RunningLab } from '../../src/lab/running-lab.ts';
import { execInVm } from '../../src/lab/worker/agent.ts';
import { workers } from '../../src/lab/worker/control.ts';
import { workerDisk } from '../../src/lab/worker/disk.ts';
import { leasedAddress, parseSteps, readSteps, readWorkers, workerFiles } from '../../src/lab/worker/worker.ts';
import type { Leased } from './programs/dhcp6-client.ts';
import { hcpioLab, hcpioLabWell } from './testing/cli.ts';
import { get, handshakes, netnsOf, resolve } from './testing/from-worker.ts';
import { remainsOf } from './testing/machine.ts';
import { tenantNetwork } from './testing/operator.ts';
import { BUSYBOX, eventually } from './testing/pods.ts';

/**
 * From an annotation to workers that joined, once per way of publishing, each tenant on a VLAN of its own, with nobody's hands: the
 * operator makes the edge, proves the segment and lets the NodePools go. Node ports are published on an address and not on a name, so
 * that nothing but the address leads to the gateway: an ignition URL with an IP, IP SANs, no SNI anywhere.
 */
const TENANTS = [
  { cluster: 'blue', strategy: 'nodeport', segment: 'vlan100', cidr: '192.168.100.0/24', vip: '192.168.100.3', light: 2 },
  { cluster: 'green', strategy: 'loadbalancer', segment: 'vlan200', cidr: '192.168.200.0/24', vip: '192.168.200.3', light: 2 },
  // Both families. Nine IPv4 addresses for machines, .5 to .13: with seven of them a fifth is left.
  {
    cluster: 'red',
    strategy: 'route',
    segment: 'vlan300',
    cidr: '192.168.30.0/28',
    cidr6: '2001:db8:30::/64',
    vip: '192.168.30.3',
    vips: '192.168.30.3,2001:db8:30::3',
    light: 7,
  },
] as const;
const NAME = 'tjoin';
const ROOT = join(import.meta.dirname, '..', '..');
const NODE = join(ROOT, 'node_modules/node/bin/node');
const DHCP6_CLIENT = join(ROOT, 'test/lab/programs/dhcp6-client.ts');
const MINUTES = 60_000;
const { signal } = new AbortController();
let lab: RunningLab;

beforeAll(async () => {
  await hcpioLab('down', '--name', NAME);
  // Its cluster is blue; the others come like any other that people make later.
  await hcpioLabWell('up', '--name', NAME, '--operator', '--strategy', 'nodeport');
  lab = await openLab(NAME);
});

afterAll(async () => {
  await hcpioLab('down', '--name', NAME, '--purge');
  expect(remainsOf(NAME)).toEqual([]);
});

const reached = ({ steps }: WorkerReport) => steps.map(({ step }) => step);
const lightOf = async (cluster: string) => (await workers.list(lab)).filter(({ name }) => name.startsWith(`${cluster}-light-`));
const secret = async (namespace: string, name: string, key: string) => {
  const { data } = JSON.parse(await lab.kubectl(['get', 'secret', name, `--namespace=${namespace}`, '--output=json'])) as {
    data: Record<string, string>;
  };
  return Buffer.from(data[key] ?? '', 'base64').toString();
};
const statusOf = async <T>(kind: string, name: string) =>
  (JSON.parse(await lab.kubectl(['get', kind, name, '--namespace=clusters', '--output=json'])) as { status: T }).status;

const conditionOf = async (cluster: string, type: string) =>
  (await tenantNetwork(lab, cluster)).status?.conditions?.find((condition) => condition.type === type);

/** What a user does: an annotated HostedCluster and its NodePool. */
async function order({ cluster, strategy, segment, cidr, light, ...more }: (typeof TENANTS)[number]): Promise<void> {
  const annotations = { [SHORTHAND_ANNOTATION]: `default/${segment}` };
  const second = 'cidr6' in more ? { machineCidr6: more.cidr6 } : {};
  await lab.apply([
    ...hostedClusterObjects({ name: cluster, strategy, machineCidr: cidr, ...second, annotations }),
    nodePool({ name: `${cluster}-light`, cluster, segment, replicas: light, kind: 'netns' }),
  ]);
}

// One after the other: three control planes and six edges that start at once are too much for two cores.
test.each(TENANTS)('$cluster, published by $strategy: from an annotation to workers that joined through the gateway', async (tenant) => {
  const { cluster, vip, light } = tenant;
  const since = performance.now();
  await order(tenant);
  const seen = await eventually(
    () => lightOf(cluster),
    (found) => found.length === light && found.every((worker) => reached(worker).includes('ready')),
    8 * MINUTES,
  );
  expect(seen.map((worker) => [reached(worker), worker.problem])).toEqual(
    Array.from({ length: light }, () => [['lease', 'dns', 'ignition', 'certificate', 'registered', 'ready'], undefined]),
  );
  console.log(`${cluster} (${tenant.strategy}): ${light} workers joined after ${((performance.now() - since) / 1000).toFixed(0)} s`);
  expect((await tenantNetwork(lab, cluster)).status?.vip).toBe('vips' in tenant ? tenant.vips : vip);
  // Nothing but the proof of the segment releases what the operator held.
  const events = ['events.events.k8s.io', '--namespace=clusters', '--field-selector=reason=Released'];
  const released = await lab.kubectl(['get', ...events, '-o', 'jsonpath={.items[*].regarding.name}']);
  expect(released.split(' ')).toContain(`${cluster}-light`);
});

describe('a VM with a kernel, Ignition and a kubelet of its own', () => {
  let vm = '';
  const nodeOf = async (path: string) => lab.kubectl(['get', '--raw', `/api/v1/nodes/${vm}/${path}`], { kubeconfig: lab.hostedKubeconfig });
  const ready = async (pool: string): Promise<WorkerReport | undefined> => {
    const [worker] = await eventually(
      async () => (await workers.list(lab)).filter(({ name, kind }) => kind === 'vm' && name.startsWith(`${pool}-`)),
      ([found]) => found !== undefined && reached(found).includes('ready'),
      5 * MINUTES,
    );
    return worker;
  };
  const JOINED = ['boot', 'lease', 'dns', 'ignition', 'kubelet', 'certificate', 'registered', 'ready'];

  test('joins a control plane that has no name at all', async () => {
    await lab.apply([nodePool({ name: 'blue', cluster: 'blue', segment: 'vlan100', replicas: 1, kind: 'vm' })]);
    const worker = await ready('blue');
    vm = worker?.name ?? '';
    expect([worker && reached(worker), worker?.problem]).toEqual([JOINED, undefined]);
    expect(worker?.steps.find(({ step }) => step === 'ignition')?.detail).toMatch(/^192\.168\.100\.3:3\d{4}$/);
    const node = ['get', 'node', vm, '-o', 'jsonpath={.metadata.name} {.status.nodeInfo.kubeletVersion}'];
    expect(await lab.kubectl(node, { kubeconfig: lab.hostedKubeconfig })).toBe(`${vm} v1.36.3`);
  });

  test('is reached by its API server through konnectivity, which has no other way to it', async () => {
    expect(
      await eventually(
        () => nodeOf('proxy/healthz').catch(String),
        (answer) => answer === 'ok',
      ),
    ).toBe('ok');
  });

  test('offers the API to its pods on the address of HyperShift', async () => {
    const { stdout } = await execInVm(
      lab,
      vm,
      ['busybox', 'wget', '-q', '-O-', '--no-check-certificate', 'https://172.20.0.1:6443/version'],
      { signal },
    );
    expect(JSON.parse(stdout)).toMatchObject({ gitVersion: 'v1.36.3' });
  });

  test('is told of on the hub: by its address, its Node, and that ignition was reached', async () => {
    const machine = JSON.parse(await lab.kubectl(['get', 'vmi,machine', vm, '--namespace=clusters-blue', '--output=json'])) as {
      readonly items: readonly {
        readonly status: { interfaces?: readonly { ipAddress: string }[]; nodeRef?: { name: string }; addresses?: unknown };
      }[];
    };
    const [instance, owner] = machine.items.map(({ status }) => status);
    const address = instance?.interfaces?.[0]?.ipAddress;
    expect(address).toMatch(/^192\.168\.100\./);
    expect(owner).toMatchObject({
      nodeRef: { name: vm },
      addresses: [
        { type: 'InternalDNS', address: vm },
        { type: 'InternalIP', address },
      ],
    });
    const { conditions } = await statusOf<{ conditions: readonly Condition[] }>('nodepool', 'blue');
    const said = Object.fromEntries(conditions.map(({ type, status }) => [type, status]));
    expect(said).toMatchObject({
      ReachedIgnitionEndpoint: 'True',
      AllMachinesReady: 'True',
      AllNodesHealthy: 'True',
      UpdatingConfig: 'False',
    });
  });

  test('joins as well when NetworkManager asks for the address, as on RHCOS, and finds its control plane by name', async () => {
    // One at a time: two machines without hardware virtualisation are too much for two cores.
    await workers.stop(lab, [vm], signal);
    const pool = nodePool({ name: 'rhcos', cluster: 'green', segment: 'vlan200', replicas: 1, kind: 'vm' });
    await lab.apply([{ ...pool, metadata: { ...pool.metadata, annotations: { [DHCP_CLIENT]: 'networkmanager' } } }]);
    const worker = await ready('rhcos');
    expect([worker && reached(worker), worker?.problem]).toEqual([JOINED, undefined]);
    const processes = await execInVm(lab, worker?.name ?? '', ['sh', '-c', 'cat /proc/[0-9]*/comm'], { signal });
    expect([processes.stdout.includes('NetworkManager'), processes.stdout.includes('udhcpc')]).toEqual([true, false]);
    await workers.stop(lab, [worker?.name ?? ''], signal);
  });
});

describe('seen from a worker, behind the gateway', () => {
  test.each(TENANTS)('every endpoint of $cluster shows its own certificate and no other', async ({ cluster, strategy, vip }) => {
    const namespace = `clusters-${cluster}`;
    const [worker] = await lightOf(cluster);
    const host = (name: string) => (strategy === 'nodeport' ? vip : `${name}.${cluster}.example.com`);
    const nodePort = async (service: string) =>
      Number(await lab.kubectl(['get', 'service', service, `--namespace=${namespace}`, '-o', 'jsonpath={.spec.ports[0].nodePort}']));
    const port = async (service: string, otherwise: number) => (strategy === 'nodeport' ? nodePort(service) : otherwise);
    const root = await secret(namespace, 'root-ca', 'ca.crt');
    const asked = [
      { name: host('api'), address: vip, port: await port('kube-apiserver', strategy === 'route' ? 443 : 6443), ca: root },
      { name: host('oauth'), address: vip, port: await port('oauth-openshift', 443), ca: root },
      {
        name: host('konnectivity'),
        address: vip,
        port: await port('konnectivity-server', 443),
        ca: await secret(namespace, 'konnectivity-signer', 'ca.crt'),
      },
      {
        name: host('ignition'),
        address: vip,
        port: await port('ignition-server-proxy', 443),
        ca: await secret(namespace, 'ignition-server-ca-cert', 'tls.crt'),
      },
    ];
    const shown = await handshakes(lab, await netnsOf(lab, worker?.name ?? ''), asked);
    expect(shown.map(({ name, subject, issuer, trusted, error }) => ({ name, subject, issuer, trusted, error }))).toEqual([
      { name: host('api'), subject: 'kubernetes', issuer: 'root-ca', trusted: true },
      { name: host('oauth'), subject: 'openshift-oauth', issuer: 'root-ca', trusted: true },
      { name: host('konnectivity'), subject: 'konnectivity-server', issuer: 'konnectivity-signer', trusted: true },
      { name: host('ignition'), subject: 'ignition-server', issuer: 'ignition-root-ca', trusted: true },
    ]);
    expect(shown[3]?.names).toBe(`${isIP(host('ignition')) ? 'IP Address' : 'DNS'}:${host('ignition')}`);
  });

  test('the ignition server gives its config to the right token and pool only', async () => {
    const [worker] = await lightOf('green');
    const [name] = (await lab.kubectl(['get', 'secrets', '--namespace=clusters-green', '-o', 'name'])).match(/token-green-light-\w+/) ?? [];
    const hash = name?.split('-').at(-1) ?? '';
    const bearer = Buffer.from(await secret('clusters-green', name ?? '', 'token')).toString('base64');
    const right = { Authorization: `Bearer ${bearer}`, NodePool: 'clusters/green-light', TargetConfigVersionHash: hash };
    const endpoint = {
      name: 'ignition.green.example.com',
      address: '192.168.200.3',
      port: 443,
      ca: await secret('clusters-green', 'ignition-server-ca-cert', 'tls.crt'),
    };
    const question = (headers: Readonly<Record<string, string>>, path = '/ignition') => ({ ...endpoint, path, headers });
    const codes = await get(lab, await netnsOf(lab, worker?.name ?? ''), [
      question(right),
      question({ ...right, Authorization: '' }),
      question({ ...right, Authorization: `Bearer ${Buffer.from('another').toString('base64')}` }),
      question({ ...right, NodePool: 'clusters/green' }),
      question({ ...right, TargetConfigVersionHash: '00000000' }),
      question({ Authorization: right.Authorization }),
      question(right, '/'),
    ]);
    expect(codes).toEqual([200, 401, 511, 511, 511, 400, 404]);
  });
});

test('a worker that is stopped takes its Node, its machine and its place with it', async () => {
  const [first, second] = (await lightOf('green')).map(({ name }) => name);
  await workers.stop(lab, [first ?? ''], signal);
  const kubeconfig = lab.hostedKubeconfigOf('green');
  const nodes = () => lab.kubectl(['get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}'], { kubeconfig });
  const left = await eventually(nodes, (names) => !names.includes(first ?? ''));
  expect([left.includes(first ?? ''), left.includes(second ?? '')]).toEqual([false, true]);
  expect(await lab.kubectl(['get', 'vmi,machine,vm', '--namespace=clusters-green', '-o', 'name'])).not.toContain(first);
});

/** Who a worker is, where it is plugged in, and what address it was given. */
const leasesOfRed = async () => {
  const all = (await readWorkers(lab)).filter(({ name }) => name.startsWith('red-light-'));
  return Promise.all(all.map(async (worker) => ({ ...worker, address: leasedAddress(await readSteps(lab, worker)) ?? 'none' })));
};

describe('a worker on a segment with both families', () => {
  const VIP6 = '2001:db8:30::3';
  let worker: Awaited<ReturnType<typeof leasesOfRed>>[number];
  let netns = '';
  let leased: Leased;

  test('is given its own address by DHCPv6 as well, and the resolvers', async () => {
    [worker] = (await leasesOfRed()) as [typeof worker];
    netns = await netnsOf(lab, worker.name);
    leased = JSON.parse(await lab.run([NODE, DHCP6_CLIENT, 'eth0', worker.mac], { netns })) as Leased;
    const { machines = [] } = (await tenantNetwork(lab, 'red')).status ?? {};
    const planned = machines.find(({ machine }) => machine === worker.name)?.addresses.filter((address) => address.includes(':'));
    expect(leased).toEqual({ addresses: planned, resolvers: ['2001:db8:30::2', '2001:db8:30::4'] });
    // A lease says nothing about the network it is of; that is for a router to announce, and the lab's does not.
    await lab.run(['ip', 'address', 'replace', `${leased.addresses[0]}/128`, 'dev', 'eth0', 'nodad'], { netns });
    await lab.run(['ip', 'route', 'replace', '2001:db8:30::/64', 'dev', 'eth0'], { netns });
  });

  test('finds its control plane over IPv6, by name and by certificate', async () => {
    const found = await Promise.all(leased.resolvers.map((server) => resolve(lab, netns, server, 'api.red.example.com', 6)));
    expect(found).toEqual([VIP6, VIP6]);
    const root = await secret('clusters-red', 'root-ca', 'ca.crt');
    const ignition = await secret('clusters-red', 'ignition-server-ca-cert', 'tls.crt');
    const asked = [
      { name: 'api.red.example.com', address: VIP6, port: 443, ca: root },
      { name: 'oauth.red.example.com', address: VIP6, port: 443, ca: root },
      { name: 'ignition.red.example.com', address: VIP6, port: 443, ca: ignition },
    ];
    const shown = await handshakes(lab, netns, asked);
    expect(shown.map(({ name, trusted, error }) => [name, trusted, error])).toEqual(asked.map(({ name }) => [name, true, undefined]));
  });

  test('joins over IPv6 alone', async () => {
    const dir = join(lab.dir, 'ipv6-worker');
    const steps = join(dir, 'steps');
    await mkdir(dir, { recursive: true });
    await copyFile(workerFiles(lab, worker.name).userData, join(dir, 'user-data'));
    await writeFile(join(dir, 'hostname'), worker.name);
    await writeFile(join(dir, 'lease'), `${leased.addresses[0]}/128`);
    await writeFile(join(dir, 'resolv.conf'), leased.resolvers.map((server) => `nameserver ${server}\n`).join(''));
    await writeFile(steps, '');
    await lab.run(['ip', '-4', 'address', 'flush', 'dev', 'eth0'], { netns });
    await lab.kubectl(['delete', 'node', worker.name], { kubeconfig: lab.hostedKubeconfigOf('red') });
    const { guest } = await ensureDerived(workerDisk, signal);
    const argv = [guest, 'light', `--steps=${steps}`, `--dir=${dir}`, `--user-data=${join(dir, 'user-data')}`] as const;
    await lab.spawn('ipv6-worker', { netns, argv });
    const reachedSteps = async () => parseSteps(await readFile(steps, 'utf8'), 0).map(({ step, detail }) => `${step} ${detail}`);
    const seen = await eventually(reachedSteps, (all) => all.some((step) => step.startsWith('ready')), 2 * MINUTES);
    await lab.stop('ipv6-worker');
    expect(seen).toEqual([
      `dns ignition.red.example.com ${VIP6},192.168.30.3`,
      'ignition ignition.red.example.com',
      `certificate system:node:${worker.name}`,
      `registered ${worker.name}`,
      `ready ${worker.name}`,
    ]);
  });
});

test('all workers of a pool are replaced, two at a time, where a fifth of its addresses is to spare', async () => {
  const before = (await lightOf('red')).map(({ name }) => name);
  const since = performance.now();
  for (let next = 0; next < before.length; next += 2) {
    const leaving = before.slice(next, next + 2);
    const fresh = (await workers.start(lab, { kind: 'netns', count: leaving.length, segment: 'vlan300' }, signal)).map(({ name }) => name);
    const joined = await eventually(
      async () => (await lightOf('red')).filter(({ name }) => fresh.includes(name)),
      (found) => found.every((worker) => reached(worker).includes('ready')),
      3 * MINUTES,
    );
    expect(joined.map((worker) => [reached(worker).at(-1), worker.problem])).toEqual(leaving.map(() => ['ready', undefined]));
    await workers.stop(lab, leaving, signal);
  }
  console.log(`seven workers replaced in ${((performance.now() - since) / 1000).toFixed(0)} s`);
  const after = await leasesOfRed();
  expect(after.map(({ name }) => before.includes(name))).toEqual(Array.from({ length: 7 }, () => false));
  const pool = Array.from({ length: 9 }, (_, index) => `192.168.30.${5 + index}`);
  expect(new Set(after.map(({ address }) => address)).size).toBe(7);
  expect(after.filter(({ address }) => !pool.includes(address))).toEqual([]);
  expect((await lightOf('red')).map(({ problem }) => problem)).toEqual(Array.from({ length: 7 }, () => undefined));
  expect((await conditionOf('red', 'Planned'))?.status).toBe('True');
});

/** Last, because nobody brings the node back. */
test('a node is lost with the edge that served: the other one gives every worker the address that it had', async () => {
  const node = await lab.kubectl(['get', 'pod', 'edge-a-0', '--namespace=clusters-red-edge', '-o', 'jsonpath={.spec.nodeName}']);
  const asking = (await leasesOfRed()).filter((worker) => worker.node !== node);
  expect(asking.length).toBeGreaterThan(0);
  const script = join(lab.dir, 'told.sh');
  await writeFile(script, '#!/bin/sh\n[ "$1" != bound ] || echo "$ip $serverid"\n', { mode: 0o755 });
  const told = async (name: string) => {
    const ask = [BUSYBOX, 'udhcpc', '-f', '-q', '-n', '-t', '60', '-T', '1', '-i', 'eth0', '-s', script];
    return (await lab.run(ask, { netns: await netnsOf(lab, name) })).trim();
  };
  // edge-a is the one that answers as long as it can.
  expect(await told(asking[0]?.name ?? '')).toBe(`${asking[0]?.address} 192.168.30.2`);

  await lab.stop(`${node}.kubelet`);
  const ports = [node, ...Object.values(lab.nodes.find(({ name }) => name === node)?.bridges ?? {}).map((bridge) => `${node}-${bridge}`)];
  await lab.run(['ip', '-batch', '-'], { netns: lab.fabric.netns, stdin: ports.map((port) => `link set ${port} down\n`).join('') });
  const since = performance.now();
  const answers: string[] = [];
  for (const { name } of asking) {
    answers.push(await told(name));
    if (answers.length === 1) console.log(`node lost: the next lease after ${((performance.now() - since) / 1000).toFixed(1)} s`);
  }
  expect(answers).toEqual(asking.map(({ address }) => `${address} 192.168.30.4`));
});
