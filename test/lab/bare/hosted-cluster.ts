import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Condition, Manifest } from '../../../src/lab/player/hosted-cluster.ts';
import { nodePool } from '../../../src/lab/player/scenario.ts';
import { asWritten, fixture } from '../../../src/lab/player/testing/fixtures.ts';
import { execInVm } from '../../../src/lab/worker/agent.ts';
import { workers } from '../../../src/lab/worker/control.ts';
import { hcpioLabWell, startHcpioLab } from '../testing/cli.ts';
import { dial, netnsOf } from '../testing/from-worker.ts';
import { BUSYBOX, eventually } from '../testing/pods.ts';
import { lab, NAME } from './lab.ts';

const NAMESPACE = 'clusters-blue';
const { signal } = new AbortController();

const get = async <T = Manifest>(...args: readonly string[]) => JSON.parse(await lab.kubectl(['get', ...args, '--output=json'])) as T;
const list = async (kind: string, namespace = NAMESPACE) =>
  (await get<{ readonly items: readonly Manifest[] }>(kind, `--namespace=${namespace}`)).items;

describe('what stands on the hub is what HyperShift would have put there', () => {
  /** Ours has another infrastructure id and another uid of its owner. */
  const comparable = (objects: readonly Manifest[], infraId: string) => {
    const text = JSON.stringify(objects.map(asWritten).toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name)));
    return JSON.parse(text.replaceAll(infraId, 'INFRA-ID').replaceAll(/"uid":"[^"]*"/g, '"uid":"UID"')) as unknown;
  };

  test.each([
    ['services', 'services'],
    ['routes.route.openshift.io', 'routes'],
    ['networkpolicies', 'networkpolicies'],
    ['namespace', 'namespace'],
  ])('%s', async (kind, file) => {
    const { spec } = await get<{ spec: { infraID: string } }>('hostedcluster', 'blue', '--namespace=clusters');
    const ours = kind === 'namespace' ? [await get(kind, NAMESPACE)] : await list(kind);
    expect(comparable(ours, spec.infraID)).toEqual(comparable(fixture('blue', 'final', file), 'blue-x7k20'));
  });

  test('every condition of the HostedCluster, in the same words', async () => {
    const spoken = (object: unknown) =>
      (object as { status: { conditions: readonly Condition[] } }).status.conditions
        .map(({ type, status, reason, message }) => ({ type, status, reason, message: type === 'ExternalDNSReachable' ? '' : message }))
        .toSorted((a, b) => a.type.localeCompare(b.type));
    expect(spoken(await get('hostedcluster', 'blue', '--namespace=clusters'))).toEqual(
      spoken(fixture('blue', 'final', 'hostedcluster')[0]),
    );
  });

  test('the ignition proxy came after the ignition server was available', async () => {
    const server = await get<Manifest & { status: { conditions: readonly Condition[] } }>(
      'deployment',
      'ignition-server',
      `--namespace=${NAMESPACE}`,
    );
    const available = server.status.conditions.find(({ type }) => type === 'Available')?.lastTransitionTime ?? '';
    const proxy = await get('service', 'ignition-server-proxy', `--namespace=${NAMESPACE}`);
    expect((proxy.metadata.creationTimestamp ?? '') >= available && available !== '').toBe(true);
  });

  test('the pods run under PSA restricted, which refuses others', async () => {
    const pods = await list('pods');
    expect(pods.map(({ metadata }) => metadata.labels?.['app'] ?? '').toSorted()).toEqual(
      [
        'etcd',
        'ignition-server',
        'ignition-server-proxy',
        'kube-apiserver',
        'kube-controller-manager',
        'machine-approver',
        'oauth-openshift',
      ].toSorted(),
    );
    const container = { name: 'c', image: 'i', securityContext: { capabilities: { add: ['NET_RAW'] } } };
    const refused = lab.apply([
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: NAMESPACE }, spec: { containers: [container] } } as Manifest,
    ]);
    await expect(refused).rejects.toThrow(/violates PodSecurity "restricted/);
  });

  test('the hosted API answers the administrator', async () => {
    const kubeconfig = lab.hostedKubeconfig;
    expect(await lab.kubectl(['get', '--raw', '/readyz'], { kubeconfig })).toBe('ok');
    const slice = await lab.kubectl(['get', 'endpointslice', 'kubernetes', '-o', 'jsonpath={.endpoints[*].addresses}{.ports[*].port}'], {
      kubeconfig,
    });
    expect(slice).toBe('["172.20.0.1"]6443');
    expect(await hcpioLabWell('kubeconfig', 'hosted', '--name', NAME)).toBe(await readFile(kubeconfig, 'utf8'));
  });
});

describe('a NodePool', () => {
  const pool = (extra: object) => {
    const made = nodePool({ name: 'held', cluster: 'blue', segment: 'vlan100', replicas: 1, kind: 'netns' });
    return { ...made, spec: { ...(made['spec'] as object), ...extra } } as Manifest;
  };
  const active = async () => {
    const { status } = await get<{ status?: { conditions?: readonly Condition[] } }>('nodepool', 'held', '--namespace=clusters');
    return status?.conditions?.find(({ type }) => type === 'ReconciliationActive')?.reason;
  };

  test('that is paused makes no machine, no token and no worker; released, it does; deleted, all of it goes', async () => {
    await lab.apply([pool({ pausedUntil: 'true' })]);
    await eventually(active, (reason) => reason === 'ReconciliationPaused');
    const names = async (kind: string) => (await list(kind)).map(({ metadata }) => metadata.name).filter((name) => name.includes('held-'));
    expect([await names('machines'), await names('secrets'), await workers.list(lab)]).toEqual([[], [], []]);

    await lab.kubectl(['patch', 'nodepool', 'held', '--namespace=clusters', '--type=merge', '--patch={"spec":{"pausedUntil":null}}']);
    const [worker] = await eventually(
      () => workers.list(lab),
      (found) => found.length === 1,
    );
    type Instance = Manifest & { readonly status?: { interfaces?: readonly { name: string; mac: string; ipAddress?: string }[] } };
    const legs = async () =>
      ((await list('virtualmachineinstances')) as readonly Instance[]).find(({ metadata }) => metadata.name === worker?.name)?.status
        ?.interfaces ?? [];
    // The machine is powered on before its status is written.
    const interfaces = await eventually(legs, (found) => found.length > 0);
    expect(interfaces).toEqual([
      expect.objectContaining({ name: 'iface1_default-vlan100', mac: expect.stringMatching(/^02(:[0-9a-f]{2}){5}$/) }),
    ]);
    expect(interfaces[0]?.ipAddress).toBeUndefined();

    await lab.kubectl(['delete', 'nodepool', 'held', '--namespace=clusters', '--timeout=60s']);
    expect([await names('machines'), await names('secrets'), await names('virtualmachineinstances'), await workers.list(lab)]).toEqual([
      [],
      [],
      [],
      [],
    ]);
  });
});

test('a player that is killed and started again finds everything as it left it', async () => {
  const versions = async () => {
    const found = [
      ...(await list('secrets')),
      ...(await list('services')),
      ...(await list('deployments')),
      await get('hostedcluster', 'blue', '--namespace=clusters'),
    ];
    return found.map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`);
  };
  const before = await versions();
  await lab.stop('player');
  await lab.restart('player');
  const log = async () => (await hcpioLabWell('logs', 'player', '--name', NAME)).split('caches are warm').length;
  await eventually(log, (starts) => starts >= 3);
  // It is at work again once it does something new; by then it would have touched the rest.
  await lab.apply([nodePool({ name: 'again', cluster: 'blue', segment: 'vlan100', replicas: 1, kind: 'netns' })]);
  await eventually(
    () => workers.list(lab),
    (found) => found.length === 1,
  );
  await lab.kubectl(['delete', 'nodepool', 'again', '--namespace=clusters', '--timeout=60s']);
  expect(await versions()).toEqual(before);
});

describe('without anything of hcpio', () => {
  let [vm, light]: string[] = [];
  beforeAll(async () => {
    const started = [
      ...(await workers.start(lab, { kind: 'vm', count: 1, segment: 'vlan100' }, signal)),
      ...(await workers.start(lab, { kind: 'netns', count: 1, segment: 'vlan100' }, signal)),
    ];
    [vm, light] = started.map(({ name }) => name);
  });
  afterAll(async () => {
    await workers.stop(lab, [vm ?? '', light ?? ''], signal);
    expect(await workers.list(lab)).toEqual([]);
  });

  test('a worker asks for an address and gets none', async () => {
    const discovers = async () =>
      (await execInVm(lab, vm ?? '', ['grep', '-c', 'broadcasting discover', '/var/log/lab/dhcp.log'], { signal })).stdout.trim();
    await eventually(discovers, (count) => Number(count) >= 5);
    await eventually(
      () => hcpioLabWell('logs', `worker-${light}`, '--name', NAME),
      (log) => log.split('broadcasting discover').length > 5,
    );
    const reports = await workers.list(lab);
    expect(reports.map(({ name, steps, problem }) => [name, steps.map(({ step }) => step), problem])).toEqual([
      [vm, ['boot'], undefined],
      [light, [], undefined],
    ]);
  });

  test('a worker that takes an address itself reaches nothing of the hub', async () => {
    const netns = await netnsOf(lab, light ?? '');
    const links = ['sh', '-c', 'echo "ip -brief link show dev eth0" | "$0" "$@"'];
    expect((await startHcpioLab(['shell', light ?? '', '--name', NAME], {}, links).ended).stdout).toMatch(/^eth0@/);
    await lab.run(['ip', 'address', 'add', '192.168.100.99/24', 'dev', 'eth0'], { netns });
    await lab.run(['ip', 'route', 'add', 'default', 'via', '192.168.100.1'], { netns });
    const [apiserver] = (await list('pods')).filter(({ metadata }) => metadata.labels?.['app'] === 'kube-apiserver');
    const pod = (apiserver as unknown as { status: { podIP: string } }).status.podIP;
    const hub = [`${lab.hub.address}:6443`, ...lab.nodes.map(({ address }) => `${address}:10250`), `${pod}:6443`];
    // The targets do answer where they may be reached.
    expect(Object.values(await dial(lab, lab.hub.netns, hub))).toEqual(hub.map(() => 'connected'));
    const services = ['172.30.0.1:443', '172.30.0.10:53'];
    expect(Object.values(await dial(lab, lab.nodes[0]?.netns ?? '', services))).toEqual(['connected', 'connected']);
    const all = [...hub, ...services, '192.168.101.11:6443'];
    expect(Object.values(await dial(lab, netns, all))).toEqual(all.map(() => 'no answer'));
  });

  test('a DHCP server that gives a worker the wrong name is told as an error of that worker', async () => {
    const config = join(lab.dir, 'impostor.conf');
    const lines = [
      'start 192.168.100.150',
      'end 192.168.100.160',
      'interface vlan0',
      `lease_file ${lab.dir}/impostor.leases`,
      `pidfile ${lab.dir}/impostor.pid`,
    ];
    await writeFile(config, [...lines, 'opt subnet 255.255.255.0', 'opt hostname impostor', ''].join('\n'));
    await writeFile(join(lab.dir, 'impostor.leases'), '');
    const router = lab.segments.find(({ name }) => name === 'vlan100')?.router.netns ?? '';
    await lab.spawn('impostor', { netns: router, argv: [BUSYBOX, 'udhcpd', '-f', config] });
    const problems = async () => (await workers.list(lab)).map(({ problem }) => problem);
    const seen = await eventually(problems, (all) => all.every((problem) => problem !== undefined));
    expect(seen).toEqual(
      [vm, light].map(
        (name) => `DHCP calls it impostor, but its VM is ${name}: its Node would be nobody's Machine, and its certificate stays pending`,
      ),
    );
    await lab.stop('impostor');
    expect(await hcpioLabWell('worker', 'list', '--name', NAME)).toContain('DHCP calls it impostor');
  });
});
