import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { KubeObject } from '../../src/kube/object.ts';
import { EDGE_IMAGE } from '../../src/lab/images/edge.ts';
import { openLab } from '../../src/lab/open.ts';
import type { RunningLab } from '../../src/lab/running-lab.ts';
import { workers } from '../../src/lab/worker/control.ts';
import { toolPath } from '../../tools/paths.ts';
import { hcpioLab, hcpioLabWell } from './testing/cli.ts';
import { dial, netnsOf, resolve } from './testing/from-worker.ts';
import { remainsOf } from './testing/machine.ts';
import { change, says, setEdgeImage, tenantNetwork } from './testing/operator.ts';
import { eventually } from './testing/pods.ts';
import { Traffic } from './testing/traffic.ts';

/** One tenant from its first edge to its last, under the traffic of a worker: what is lost is counted and printed. */
const NAME = 'tlife';
const TENANT = 'blue';
const NAMESPACE = 'clusters-blue-edge';
const VIP = '192.168.100.3';
const RESOLVERS = ['192.168.100.2', '192.168.100.4'] as const;
const ROUTER = { https: 31_443, http: 31_080 } as const;
const ROOT = join(import.meta.dirname, '../..');
const NODE = join(ROOT, 'node_modules/node/bin/node');
const TLS = join(ROOT, 'test/real/programs/tls.ts');
const NEXT_IMAGE = 'localhost/hcpio/edge:next';
const { signal } = new AbortController();
let lab: RunningLab;
let worker = '';
let traffic: Traffic;

const READY = /^True EdgesReady/;
type Edge = 'edge-a' | 'edge-b';

beforeAll(async () => {
  await hcpioLab('down', '--name', NAME);
  await hcpioLabWell('up', '--name', NAME, '--operator');
  lab = await openLab(NAME);
  for (const { containerd } of lab.nodes)
    await lab.run([toolPath('ctr'), `--address=${containerd.socket}`, '--namespace=k8s.io', 'images', 'tag', EDGE_IMAGE, NEXT_IMAGE]);
  await lab.apply([
    {
      apiVersion: 'hcpio.io/v1alpha1',
      kind: 'TenantNetwork',
      metadata: { name: TENANT, namespace: 'clusters' },
      spec: { segment: { attachment: 'default/vlan100', cidrs: ['192.168.100.0/24'] }, nodePools: 'Ignore', deletionPolicy: 'Delete' },
    } as KubeObject,
  ]);
  const [first] = await workers.start(lab, { kind: 'netns', count: 2, segment: 'vlan100' }, signal);
  worker = first?.name ?? '';
  expect(await says(lab, TENANT, 'EdgeReady', READY)).toMatch(READY);
  await eventually(
    () => workers.list(lab),
    (all) => all.every(({ steps }) => steps.some(({ step }) => step === 'ready')),
    120_000,
  );
  traffic = await Traffic.start(lab, worker, await taskOf());
});

afterAll(async () => {
  await hcpioLab('down', '--name', NAME, '--purge');
  expect(remainsOf(NAME)).toEqual([]);
});

async function taskOf() {
  const config = parse(await readFile(lab.hostedKubeconfig, 'utf8')) as {
    clusters: [{ cluster: Record<string, string> }];
    users: [{ user: Record<string, string> }];
  };
  const pem = (text: string | undefined) => Buffer.from(text ?? '', 'base64').toString();
  const { cluster } = config.clusters[0];
  const { user } = config.users[0];
  const machine = (await tenantNetwork(lab, TENANT)).status?.machines?.find((one) => one.machine === worker);
  return {
    vip: VIP,
    port: 6443,
    name: 'api.blue.example.com',
    ca: pem(cluster['certificate-authority-data']),
    cert: pem(user['client-certificate-data']),
    key: pem(user['client-key-data']),
    resolvers: RESOLVERS,
    mac: machine?.mac ?? '',
  };
}

const inEdge = (edge: Edge, container: string, ...command: readonly string[]) =>
  lab.kubectl(['exec', `--namespace=${NAMESPACE}`, `${edge}-0`, `--container=${container}`, '--', ...command]);
const holdsVip = async (edge: Edge): Promise<boolean> =>
  (await inEdge(edge, 'vip', 'ip', '-brief', 'address', 'show', 'dev', 'net1').catch(() => '')).includes(` ${VIP}/`);
const holder = async (): Promise<Edge> => ((await holdsVip('edge-a')) ? 'edge-a' : 'edge-b');
const podField = (edge: Edge, path: string): Promise<string> =>
  lab.kubectl(['get', 'pod', `${edge}-0`, `--namespace=${NAMESPACE}`, `--output=jsonpath=${path}`]).catch(() => '');
const uidOf = (edge: Edge) => podField(edge, '{.metadata.uid}');
/** Both pods were made anew, and all is well since. */
const renewed = async (before: readonly string[]): Promise<void> => {
  await eventually(
    async () => Promise.all([uidOf('edge-a'), uidOf('edge-b')]),
    (now) => now.every((uid, i) => uid !== '' && uid !== before[i]),
    180_000,
  );
  expect(await says(lab, TENANT, 'EdgeReady', READY)).toMatch(READY);
};
/** Every lease that an edge has: which MAC has which address. */
const leasesOf = async (edge: Edge): Promise<readonly string[]> => {
  const text = await inEdge(edge, 'dhcp', 'cat', '/var/lib/kea/kea-dhcp4.leases.csv');
  const rows = text.split('\n').filter((row) => /^\d/.test(row));
  // The file is a journal: the last line about an address counts, and a lease without a lifetime is one that was deleted.
  const last = new Map(rows.map((row) => row.split(',')).map((fields) => [fields[0] ?? '', fields] as const));
  return [...last.values()]
    .filter((fields) => fields[3] !== '0')
    .map((fields) => `${fields[0]} ${fields[1]}`)
    .sort();
};

/** How often an edge has taken the VIP since its pod was made. */
const takeovers = async (edge: Edge): Promise<number> =>
  (await lab.kubectl(['logs', `--namespace=${NAMESPACE}`, `${edge}-0`, '--container=vip'])).split('Entering MASTER STATE').length - 1;

/**
 * Something that no connection may notice. On a machine that is too busy to run keepalived for half a second the VIP moves by itself,
 * and takes its connections along: that is told, and is not what is looked for here.
 */
async function unnoticed(title: string, work: () => Promise<void>): Promise<void> {
  const count = async () => (await takeovers('edge-a')) + (await takeovers('edge-b'));
  await traffic.calm();
  const before = await count();
  const { breaks } = await traffic.during(title, work);
  const moves = (await count()) - before;
  if (moves > 0) console.log(`${title}: the VIP moved ${moves} times by itself, because the machine was busy`);
  expect(moves > 0 ? 0 : breaks).toBe(0);
}

describe('a change reaches the daemons while they run, and no connection notices', () => {
  test('CoreDNS: a record', async () => {
    const netns = await netnsOf(lab, worker);
    await unnoticed('a record is added', async () => {
      await change(lab, TENANT, {
        gateway: { dns: { records: [{ name: 'extra.blue.example.com', type: 'A', value: '192.168.100.99' }] } },
      });
      for (const resolver of RESOLVERS)
        await eventually(
          () => resolve(lab, netns, resolver, 'extra.blue.example.com'),
          (found) => found === '192.168.100.99',
        );
    });
    expect(await resolve(lab, netns, RESOLVERS[1], 'extra.blue.example.com')).toBe('192.168.100.99');
  });

  test('Envoy and the guard: a port', async () => {
    const netns = await netnsOf(lab, worker);
    const target = `${VIP}:8443`;
    expect(await dial(lab, netns, [target])).toEqual({ [target]: 'no answer' });
    await unnoticed('a port is published', async () => {
      await change(lab, TENANT, { gateway: { ports: [{ port: 8443, service: 'kube-apiserver', servicePort: 6443 }] } });
      await eventually(
        () => dial(lab, netns, [target]),
        (seen) => seen[target] === 'connected',
      );
    });
    expect(await dial(lab, netns, [target])).toEqual({ [target]: 'connected' });
  });

  test('Kea: the time of leases', async () => {
    await unnoticed('leases become shorter', async () => {
      await change(lab, TENANT, { gateway: { dhcp: { leaseSeconds: 600 } } });
      for (const edge of ['edge-a', 'edge-b'] as const)
        await eventually(
          () => inEdge(edge, 'dhcp', 'grep', '-c', '"valid-lifetime": 600', '/var/lib/kea/active/kea-dhcp4.json').catch(() => ''),
          (count) => count.trim() === '1',
        );
    });
    expect(await says(lab, TENANT, 'EdgeReady', READY)).toMatch(READY);
  });
});

test('what Kea refuses is told with the file and the command that says why, and changes nothing', async () => {
  const options = (data: string) => ({ gateway: { dhcp: { options: [{ code: 2, data }] } } });
  await unnoticed('a configuration is refused', async () => {
    await change(lab, TENANT, options('noon'));
    expect(await says(lab, TENANT, 'EdgeReady', /UpdateHeld/)).toMatch(
      /^False UpdateHeld: the update stopped at edge-[ab], edge-[ab] serves as before: pod (edge-[ab]-0) serves its last good configuration: container dhcp refused kea-dhcp4\.json: .*; see: kubectl logs --namespace clusters-blue-edge \1 --container dhcp/,
    );
    await change(lab, TENANT, options('3600'));
    expect(await says(lab, TENANT, 'EdgeReady', READY)).toMatch(READY);
  });
});

describe('an update of the edge image', () => {
  test('that does not come up stops at the first edge, and goes back', async () => {
    const before = { 'edge-a': await uidOf('edge-a'), 'edge-b': await uidOf('edge-b') };
    let serving: Edge | undefined;
    await traffic.during('an image that does not exist', async () => {
      await setEdgeImage(lab, 'localhost/hcpio/edge:absent');
      const said = await says(lab, TENANT, 'EdgeReady', /UpdateHeld/);
      const held =
        /^False UpdateHeld: the update stopped at edge-[ab], (edge-[ab]) serves as before: .*its image cannot be pulled\. To go back: /;
      expect(said).toMatch(held);
      serving = held.exec(said)?.[1] as Edge;
      expect(await holdsVip(serving)).toBe(true);
      await setEdgeImage(lab, EDGE_IMAGE);
      expect(await says(lab, TENANT, 'EdgeReady', READY)).toMatch(READY);
    });
    expect(serving && (await uidOf(serving))).toBe(serving && before[serving]);
  });

  test('makes both anew, one after the other, with all leases', async () => {
    const before = [await uidOf('edge-a'), await uidOf('edge-b')];
    const leases = await leasesOf('edge-a');
    const losses = await traffic.during('another image', async () => {
      await setEdgeImage(lab, NEXT_IMAGE);
      await renewed(before);
    });
    expect(await Promise.all((['edge-a', 'edge-b'] as const).map((edge) => podField(edge, '{.spec.containers[0].image}')))).toEqual([
      NEXT_IMAGE,
      NEXT_IMAGE,
    ]);
    // The one that held the VIP took its connections along; nobody was without a gateway for long.
    expect(losses.breaks).toBeGreaterThan(0);
    expect(await leasesOf('edge-a')).toEqual(leases);
    expect(await leasesOf('edge-b')).toEqual(leases);
  });
});

test('the pod that holds the VIP is deleted: the other one takes over', async () => {
  const from = await holder();
  const before = await uidOf(from);
  const losses = await traffic.during('the pod with the VIP is deleted', async () => {
    await lab.kubectl(['delete', 'pod', `${from}-0`, `--namespace=${NAMESPACE}`]);
    await eventually(
      () => uidOf(from),
      (uid) => uid !== '' && uid !== before,
    );
    expect(await says(lab, TENANT, 'EdgeReady', READY)).toMatch(READY);
  });
  expect(losses.breaks).toBeGreaterThan(0);
  expect(await holdsVip('edge-a')).not.toBe(await holdsVip('edge-b'));
});

test('Kea is killed: addresses are given on', async () => {
  await unnoticed('kill -9 of the Kea that serves', async () => {
    const restarts = () => podField('edge-a', '{.status.containerStatuses[?(@.name=="dhcp")].restartCount}');
    const before = await restarts();
    await inEdge('edge-a', 'dhcp', 'sh', '-c', 'kill -9 "$(cat /run/kea/kea-dhcp4.pid)"');
    await eventually(restarts, (now) => now !== before);
    expect(await says(lab, TENANT, 'EdgeReady', READY)).toMatch(READY);
  });
});

test('an address that workers were told does not change while they run', async () => {
  await expect(change(lab, TENANT, { gateway: { addresses: { vip: '192.168.100.7' } } })).rejects.toThrow(
    /HCPIO-NET-020 spec\.gateway\.addresses\.vip: the VIP would change from 192\.168\.100\.3 to 192\.168\.100\.7, and 2 workers that run would go on using/,
  );
});

test('one edge instead of two, and two again: the VIP and the leases stay', async () => {
  const leases = await leasesOf('edge-a');
  const away = await traffic.during('the second edge goes', async () => {
    await change(lab, TENANT, { gateway: { availability: 'Single' } });
    await eventually(
      () => lab.kubectl(['get', 'statefulset,pod,service,network-attachment-definitions', `--namespace=${NAMESPACE}`, '--output=name']),
      (names) => !names.includes('edge-b'),
    );
    await eventually(
      () => podField('edge-a', '{.spec.initContainers[0].env[*].name}'),
      (names) => names !== '' && !names.includes('PEER_REMOTE'),
      120_000,
    );
    expect(await says(lab, TENANT, 'EdgeReady', READY)).toMatch(/^True EdgesReady: edge-a on hub-\w with 192\.168\.100\.2$/);
    await eventually(
      () => holdsVip('edge-a'),
      (held) => held,
    );
  });
  expect(await leasesOf('edge-a')).toEqual(leases);
  const back = await traffic.during('the second edge comes back', async () => {
    const before = await uidOf('edge-a');
    await change(lab, TENANT, { gateway: { availability: 'HighlyAvailable' } });
    await eventually(
      () => uidOf('edge-a'),
      (uid) => uid !== '' && uid !== before,
      180_000,
    );
    expect(await says(lab, TENANT, 'EdgeReady', READY)).toMatch(/edge-b on hub-\w with 192\.168\.100\.4$/);
  });
  expect(
    await eventually(
      () => leasesOf('edge-b'),
      (seen) => seen.join() === leases.join(),
    ),
  ).toEqual(leases);
  expect(away.breaks + back.breaks).toBeGreaterThan(0);
});

describe('*.apps', () => {
  /** A stand-in for the router of the hosted cluster on one worker: the process, and what the real API says of it. */
  async function routerOn(name: string): Promise<string> {
    const address = (await tenantNetwork(lab, TENANT)).status?.machines?.find(({ machine }) => machine === name)?.addresses[0] ?? '';
    await lab.declareStandIn({
      name: 'guest router',
      says: 'a process on a worker that answers with its address; OpenShift would run HAProxy there',
    });
    await lab.spawn(`router-${name}`, {
      netns: await netnsOf(lab, name),
      argv: [NODE, TLS, 'listen', `${address}:${ROUTER.https}`, `${address}:${ROUTER.http}`],
    });
    const metadata = { name: 'router-nodeport-default', namespace: 'openshift-ingress' };
    const ports = [
      { name: 'http', port: 80, nodePort: ROUTER.http },
      { name: 'https', port: 443, nodePort: ROUTER.https },
    ];
    await lab.apply(
      [
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'openshift-ingress' } },
        { apiVersion: 'v1', kind: 'Service', metadata, spec: { type: 'NodePort', externalTrafficPolicy: 'Local', ports } },
        {
          apiVersion: 'discovery.k8s.io/v1',
          kind: 'EndpointSlice',
          metadata: { ...metadata, labels: { 'kubernetes.io/service-name': metadata.name } },
          addressType: 'IPv4',
          ports: [{ name: 'https', port: 443 }],
          endpoints: [{ addresses: ['10.132.0.9'], nodeName: name, conditions: { ready: true } }],
        },
      ] as KubeObject[],
      { kubeconfig: lab.hostedKubeconfig },
    );
    return address;
  }
  const asked = async (): Promise<string> => {
    const argv = [NODE, TLS, 'dial', `${VIP}:443`, 'console.apps.blue.example.com'];
    return Object.values(JSON.parse(await lab.run(argv, { netns: await netnsOf(lab, worker) })) as Record<string, string>)[0] ?? '';
  };
  const leadsTo = async (address: string) => {
    const expected = new RegExp(`^${address}:${ROUTER.https} from 192\\.168\\.100\\.[24]$`);
    expect(await eventually(asked, (answer) => expected.test(answer), 90_000)).toMatch(expected);
  };

  test('leads nowhere as long as no router runs, which is no error', async () => {
    expect(await asked()).toBe('closed');
    const { status } = await tenantNetwork(lab, TENANT);
    expect(status?.findings?.filter(({ code }) => code === 'HCPIO-EP-014').map(({ severity }) => severity)).toEqual(['info']);
  });

  test('leads to the worker that runs it, and follows it to another', async () => {
    const other = (await workers.list(lab)).map(({ name }) => name).find((name) => name !== worker) ?? '';
    await leadsTo(await routerOn(other));
    await leadsTo(await routerOn(worker));
    await lab.stop(`router-${other}`);
    await lab.stop(`router-${worker}`);
  });
});

test('a worker that is deleted gives its address back at once', async () => {
  const gone = (await workers.list(lab)).map(({ name }) => name).find((name) => name !== worker) ?? '';
  const machine = (await tenantNetwork(lab, TENANT)).status?.machines?.find((one) => one.machine === gone);
  const has = async (edge: Edge) => (await leasesOf(edge)).some((lease) => lease.endsWith(machine?.mac ?? 'none'));
  expect(await has('edge-a')).toBe(true);
  await workers.stop(lab, [gone], signal);
  for (const edge of ['edge-a', 'edge-b'] as const)
    expect(
      await eventually(
        () => has(edge),
        (found) => !found,
      ),
    ).toBe(false);
});

test('the cluster is deleted: its edge stays until its last worker is gone', async () => {
  await lab.kubectl(['delete', 'hostedcluster', 'blue', '--namespace=clusters', '--wait=false']);
  const seen: string[] = [];
  await eventually(
    async () => {
      const left = (await workers.list(lab)).length;
      const edges = [await uidOf('edge-a'), await uidOf('edge-b')].filter((uid) => uid !== '').length;
      seen.push(`${left} workers, ${edges} edges`);
      return left;
    },
    (left) => left === 0,
    400_000,
  );
  expect(seen.filter((text) => text.startsWith('1 workers')).every((text) => text.endsWith('2 edges'))).toBe(true);
  await lab.kubectl(['wait', '--for=delete', `namespace/${NAMESPACE}`, '--timeout=400s']);
});
