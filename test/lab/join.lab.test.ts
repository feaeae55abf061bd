import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WorkerReport } from '../../src/lab/contract.ts';
import { openLab } from '../../src/lab/open.ts';
import { type Condition, controlPlaneNamespace } from '../../src/lab/player/hosted-cluster.ts';
import { DHCP_CLIENT } from '../../src/lab/player/machines/node-pool.ts';
import { hostedClusterObjects, nodePool } from '../../src/lab/player/scenario.ts';
import { applyEdge, type Tenant } from '../../src/lab/rendered-edge.ts';
import type { RunningLab } from '../../src/lab/running-lab.ts';
import { execInVm } from '../../src/lab/worker/agent.ts';
import { workers } from '../../src/lab/worker/control.ts';
import { hcpioLab, hcpioLabWell } from './testing/cli.ts';
import { get, handshakes, netnsOf } from './testing/from-worker.ts';
import { remainsOf } from './testing/machine.ts';
import { eventually } from './testing/pods.ts';

/** One tenant per way of publishing, each on a VLAN of its own; hcpio's objects are rendered and applied by hand. */
const TENANTS = [
  { cluster: 'blue', strategy: 'loadbalancer', segment: 'vlan100', cidr: '192.168.100.0/24' },
  { cluster: 'green', strategy: 'nodeport', segment: 'vlan200', cidr: '192.168.200.0/24', availability: 'Single' },
  { cluster: 'red', strategy: 'route', segment: 'vlan300', cidr: '192.168.30.0/24', availability: 'Single' },
] as const satisfies readonly (Tenant & { readonly strategy: string })[];
const NAME = 'tjoin';
const MINUTES = 60_000;
const { signal } = new AbortController();
let lab: RunningLab;

beforeAll(async () => {
  await hcpioLab('down', '--name', NAME);
  await hcpioLabWell('up', '--name', NAME);
  lab = await openLab(NAME);
  for (const { cluster, strategy, segment, cidr } of TENANTS.slice(1)) {
    await lab.apply(hostedClusterObjects({ name: cluster, strategy, machineCidr: cidr }));
    await lab.apply([nodePool({ name: cluster, cluster, segment, replicas: 0, kind: 'vm' })]);
  }
  await lab.kubectl(['wait', 'hostedclusters', '--all', '--namespace=clusters', '--for=condition=Available', '--timeout=300s']);
  await workers.start(lab, { kind: 'vm', count: 1, segment: 'vlan100' }, signal);
  for (const { segment } of TENANTS) await workers.start(lab, { kind: 'netns', count: 2, segment }, signal);
  await applyEdge(lab, TENANTS);
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

test.each(TENANTS)('workers of $cluster join through the gateway (published by $strategy)', async ({ cluster }) => {
  const seen = await eventually(
    () => lightOf(cluster),
    (found) => found.every((worker) => reached(worker).includes('ready')),
    5 * MINUTES,
  );
  expect(seen.map((worker) => [reached(worker), worker.problem])).toEqual([
    [['lease', 'dns', 'ignition', 'certificate', 'registered', 'ready'], undefined],
    [['lease', 'dns', 'ignition', 'certificate', 'registered', 'ready'], undefined],
  ]);
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

  test('joins', async () => {
    const worker = await ready('blue');
    vm = worker?.name ?? '';
    expect([worker && reached(worker), worker?.problem]).toEqual([JOINED, undefined]);
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

  test('joins as well when NetworkManager asks for the address, as on RHCOS', async () => {
    // One at a time: two machines without hardware virtualisation are too much for two cores.
    await workers.stop(lab, [vm], signal);
    const pool = nodePool({ name: 'rhcos', cluster: 'blue', segment: 'vlan100', replicas: 1, kind: 'vm' });
    await lab.apply([{ ...pool, metadata: { ...pool.metadata, annotations: { [DHCP_CLIENT]: 'networkmanager' } } }]);
    await eventually(
      () => workers.list(lab),
      (found) => found.some(({ name }) => name.startsWith('rhcos-')),
    );
    await applyEdge(lab, TENANTS.slice(0, 1));
    const worker = await ready('rhcos');
    expect([worker && reached(worker), worker?.problem]).toEqual([JOINED, undefined]);
    const processes = await execInVm(lab, worker?.name ?? '', ['sh', '-c', 'cat /proc/[0-9]*/comm'], { signal });
    expect([processes.stdout.includes('NetworkManager'), processes.stdout.includes('udhcpc')]).toEqual([true, false]);
  });
});

describe('seen from a worker, behind the gateway', () => {
  test.each(TENANTS)('every endpoint of $cluster shows its own certificate and no other', async ({ cluster, strategy, cidr }) => {
    const namespace = controlPlaneNamespace({ apiVersion: '', kind: '', metadata: { name: cluster, namespace: 'clusters' } });
    const [worker] = await lightOf(cluster);
    const vip = cidr.replace('0/24', '3');
    const host = (name: string) => (strategy === 'nodeport' ? `cp.${cluster}.example.com` : `${name}.${cluster}.example.com`);
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
    expect(shown[3]?.names).toBe(`DNS:${host('ignition')}`);
  });

  test('the ignition server gives its config to the right token and pool only', async () => {
    const [worker] = await lightOf('blue');
    const [name] = (await lab.kubectl(['get', 'secrets', '--namespace=clusters-blue', '-o', 'name'])).match(/token-blue-light-\w+/) ?? [];
    const hash = name?.split('-').at(-1) ?? '';
    const bearer = Buffer.from(await secret('clusters-blue', name ?? '', 'token')).toString('base64');
    const right = { Authorization: `Bearer ${bearer}`, NodePool: 'clusters/blue-light', TargetConfigVersionHash: hash };
    const endpoint = {
      name: 'ignition.blue.example.com',
      address: '192.168.100.3',
      port: 443,
      ca: await secret('clusters-blue', 'ignition-server-ca-cert', 'tls.crt'),
    };
    const question = (headers: Readonly<Record<string, string>>, path = '/ignition') => ({ ...endpoint, path, headers });
    const codes = await get(lab, await netnsOf(lab, worker?.name ?? ''), [
      question(right),
      question({ ...right, Authorization: '' }),
      question({ ...right, Authorization: `Bearer ${Buffer.from('another').toString('base64')}` }),
      question({ ...right, NodePool: 'clusters/blue' }),
      question({ ...right, TargetConfigVersionHash: '00000000' }),
      question({ Authorization: right.Authorization }),
      question(right, '/'),
    ]);
    expect(codes).toEqual([200, 401, 511, 511, 511, 400, 404]);
  });
});

test('a worker that is stopped takes its Node, its machine and its place with it', async () => {
  const [first, second] = (await lightOf('blue')).map(({ name }) => name);
  await workers.stop(lab, [first ?? ''], signal);
  const nodes = () => lab.kubectl(['get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}'], { kubeconfig: lab.hostedKubeconfig });
  const left = await eventually(nodes, (names) => !names.includes(first ?? ''));
  expect([left.includes(first ?? ''), left.includes(second ?? '')]).toEqual([false, true]);
  expect(await lab.kubectl(['get', 'vmi,machine,vm', '--namespace=clusters-blue', '-o', 'name'])).not.toContain(first);
});
