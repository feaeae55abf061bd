import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/object.ts';
import { EDGE_IMAGE } from '../../src/lab/images/edge.ts';
import { openLab } from '../../src/lab/open.ts';
import { issue } from '../../src/lab/pki/issue.ts';
import { IGNITION_CA } from '../../src/lab/player/pki/catalogue.ts';
import type { RunningLab } from '../../src/lab/running-lab.ts';
import { workers } from '../../src/lab/worker/control.ts';
import { toolPath } from '../../tools/paths.ts';
import { hcpioLab, hcpioLabWell } from './testing/cli.ts';
import { deedsSince, type Edge, EdgePair, otherEdge } from './testing/edge-pair.ts';
import { dial, netnsOf, resolve } from './testing/from-worker.ts';
import { askApps, ROUTER, routerOn } from './testing/guest-router.ts';
import { remainsOf } from './testing/machine.ts';
import { change, says, setEdgeImage, tenantNetwork } from './testing/operator.ts';
import { eventually } from './testing/pods.ts';
import { type Losses, Traffic, taskOf } from './testing/traffic.ts';

/** One tenant from its first edge to its last, under the traffic of a worker: what is lost is counted and printed. */
const NAME = 'tlife';
const TENANT = 'blue';
const NAMESPACE = 'clusters-blue-edge';
const VIP = '192.168.100.3';
const RESOLVERS = ['192.168.100.2', '192.168.100.4'] as const;
const IGNITION_CERT = 'ignition-server-serving-cert';
const NEXT_IMAGE = 'localhost/hcpio/edge:next';
const { signal } = new AbortController();
let lab: RunningLab;
let worker = '';
let traffic: Traffic;
let pair: EdgePair;

const READY = /^True EdgesReady/;

beforeAll(async () => {
  await hcpioLab('down', '--name', NAME);
  await hcpioLabWell('up', '--name', NAME, '--operator');
  lab = await openLab(NAME);
  pair = new EdgePair(lab, NAMESPACE, VIP);
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
  const [first] = await workers.start(lab, { kind: 'netns', count: 1, segment: 'vlan100' }, signal);
  worker = first?.name ?? '';
  expect(await says(lab, TENANT, 'EdgeReady', READY)).toMatch(READY);
  await eventually(
    () => workers.list(lab),
    (all) => all.every(({ steps }) => steps.some(({ step }) => step === 'ready')),
    120_000,
  );
  traffic = await Traffic.start(lab, worker, await taskOf(lab, TENANT, worker, { vip: VIP, resolvers: RESOLVERS }));
});

afterAll(async () => {
  await hcpioLab('down', '--name', NAME, '--purge');
  expect(remainsOf(NAME)).toEqual([]);
});

/** Both pods were made anew, and all is well since. */
const renewed = async (before: readonly string[], meanwhile: () => Promise<void>): Promise<void> => {
  await eventually(
    async () => {
      await meanwhile();
      return Promise.all([pair.uid('edge-a'), pair.uid('edge-b')]);
    },
    (now) => now.every((uid, i) => uid !== '' && uid !== before[i]),
    180_000,
  );
  expect(await says(lab, TENANT, 'EdgeReady', READY)).toMatch(READY);
};
/**
 * Something that no connection may notice. On a machine that is too busy to run keepalived for half a second the VIP moves by itself,
 * and takes its connections along: that is told, and the same is done again. Of three times one has to be without it.
 */
async function unnoticed(title: string, work: (attempt: number) => Promise<void>): Promise<Losses> {
  for (let attempt = 1; ; attempt++) {
    await traffic.calm();
    const before = await pair.takeovers();
    const losses = await traffic.during(title, () => work(attempt));
    const moves = (await pair.takeovers()) - before;
    if (moves === 0 || attempt === 3) {
      expect({ moves, breaks: losses.breaks }).toEqual({ moves: 0, breaks: 0 });
      return losses;
    }
    console.log(`${title}: the VIP moved ${moves} times by itself, because the machine was busy; once more`);
  }
}

test('a second machine comes: both edges know it, and neither waits for the other', async () => {
  const edges = ['edge-a', 'edge-b'] as const;
  const since = Date.now();
  const [second] = await workers.start(lab, { kind: 'netns', count: 1, segment: 'vlan100' }, signal);
  const knows = async (edge: Edge) =>
    (
      await pair.exec(edge, 'dhcp', 'grep', '-c', `"hostname": "${second?.name}"`, '/var/lib/kea/active/kea-dhcp4.json').catch(() => '')
    ).trim();
  const known = await Promise.all(
    edges.map(async (edge) => {
      await eventually(
        () => knows(edge),
        (count) => count === '1',
      );
      return `${edge} after ${((Date.now() - since) / 1000).toFixed(1)} s`;
    }),
  );
  const steps = await eventually(
    async () => (await workers.list(lab)).find(({ name }) => name === second?.name)?.steps ?? [],
    (seen) => seen.some(({ step }) => step === 'ready'),
    120_000,
  );
  const lease = steps.find(({ step }) => step === 'lease');
  console.log(`a machine that comes is known to ${known.join(', ')}; it has its lease ${lease?.seconds} s after power-on`);
  expect(steps.map(({ step }) => step)).toContain('ready');
});

test('a change reaches every daemon while it runs, the standby first, and no connection notices', async () => {
  const netns = await netnsOf(lab, worker);
  const resolverOf = { 'edge-a': RESOLVERS[0], 'edge-b': RESOLVERS[1] } as const;
  await unnoticed('a record, a port and the time of leases', async (attempt) => {
    const last = await pair.holder();
    const first = otherEdge(last);
    const value = `192.168.100.${98 + attempt}`;
    const target = `${VIP}:${8442 + attempt}`;
    const lifetime = 600 - attempt;
    const leaseTime = (edge: Edge) =>
      pair.exec(edge, 'dhcp', 'grep', '-c', `"valid-lifetime": ${lifetime}`, '/var/lib/kea/active/kea-dhcp4.json').then(
        (count) => count.trim(),
        () => '0',
      );
    const served = (edge: Edge) => resolve(lab, netns, resolverOf[edge], 'extra.blue.example.com');
    expect(await dial(lab, netns, [target])).toEqual({ [target]: 'no answer' });
    const since = Date.now();
    const seconds = () => ((Date.now() - since) / 1000).toFixed(1);
    await change(lab, TENANT, {
      gateway: {
        dns: { records: [{ name: 'extra.blue.example.com', type: 'A', value }] },
        ports: [{ port: 8442 + attempt, service: 'kube-apiserver', servicePort: 6443 }],
        dhcp: { leaseSeconds: lifetime },
      },
    });
    await eventually(
      () => served(first),
      (found) => found === value,
    );
    const atFirst = seconds();
    // The one with the VIP has nothing of it yet.
    expect([(await served(last)) === value, await leaseTime(last), await dial(lab, netns, [target])]).toEqual([
      false,
      '0',
      { [target]: 'no answer' },
    ]);
    expect(await says(lab, TENANT, 'Applied', /^True/)).toMatch(/^True Applied/);
    await eventually(
      () => dial(lab, netns, [target]),
      (seen) => seen[target] === 'connected',
    );
    for (const edge of [first, last]) {
      expect(
        await eventually(
          () => served(edge),
          (found) => found === value,
        ),
      ).toBe(value);
      expect(
        await eventually(
          () => leaseTime(edge),
          (count) => count === '1',
        ),
      ).toBe('1');
    }
    expect(await dial(lab, netns, [target])).toEqual({ [target]: 'connected' });
    console.log(`a change of the spec was in force on ${first} after ${atFirst} s, on ${last} as well after ${seconds()} s`);
  });
  expect(await says(lab, TENANT, 'EdgeReady', READY)).toMatch(READY);
});

test('what Kea refuses stops at the standby and is told with the file and the command that says why; nothing else changes', async () => {
  const options = (data: string) => ({ gateway: { dhcp: { options: [{ code: 2, data }] } } });
  const active = (edge: Edge) => pair.exec(edge, 'dhcp', 'md5sum', '/var/lib/kea/active/kea-dhcp4.json', '/etc/hcpio/dhcp/kea-dhcp4.json');
  await unnoticed('a configuration is refused', async (attempt) => {
    const last = await pair.holder();
    const before = await active(last);
    await change(lab, TENANT, options('noon'));
    expect(await says(lab, TENANT, 'EdgeReady', /UpdateHeld/)).toMatch(
      new RegExp(
        `^False UpdateHeld: the update stopped at ${otherEdge(last)}, ${last} serves as before: pod ${otherEdge(last)}-0 serves its last good configuration: ` +
          `container dhcp refused kea-dhcp4\\.json: .*; see: kubectl logs --namespace clusters-blue-edge ${otherEdge(last)}-0 --container dhcp`,
      ),
    );
    expect(await active(last)).toBe(before);
    await change(lab, TENANT, options(`${3600 + attempt}`));
    expect(await says(lab, TENANT, 'Applied', /^True/)).toMatch(/^True/);
    expect(await says(lab, TENANT, 'EdgeReady', READY)).toMatch(READY);
  });
});

describe('an update of the edge image', () => {
  test('that does not come up stops at the first edge, and goes back', async () => {
    const before = { 'edge-a': await pair.uid('edge-a'), 'edge-b': await pair.uid('edge-b') };
    let serving: Edge | undefined;
    await traffic.during('an image that does not exist', async () => {
      await setEdgeImage(lab, 'localhost/hcpio/edge:absent');
      const said = await says(lab, TENANT, 'EdgeReady', /UpdateHeld/);
      const held =
        /^False UpdateHeld: the update stopped at edge-[ab], (edge-[ab]) serves as before: .*its image cannot be pulled\. To go back: /;
      expect(said).toMatch(held);
      serving = held.exec(said)?.[1] as Edge;
      expect(await pair.holdsVip(serving)).toBe(true);
      await setEdgeImage(lab, EDGE_IMAGE);
      expect(await says(lab, TENANT, 'EdgeReady', READY)).toMatch(READY);
    });
    expect(serving && (await pair.uid(serving))).toBe(serving && before[serving]);
  });

  test('makes both anew, one after the other, with all leases', async () => {
    const before = [await pair.uid('edge-a'), await pair.uid('edge-b')];
    const leases = await pair.leases('edge-a');
    const since = Date.now();
    const last = await pair.holder();
    const ready: (readonly string[])[] = [];
    const losses = await traffic.during('another image', async () => {
      await setEdgeImage(lab, NEXT_IMAGE);
      await renewed(before, async () => void ready.push(await pair.ready()));
    });
    expect(await deedsSince(lab, since)).toEqual([`EdgeRolled ${otherEdge(last)}`, `VipMoved ${last}`, `EdgeRolled ${last}`]);
    expect(ready.filter((edges) => edges.length === 0)).toEqual([]);
    expect(ready.some((edges) => edges.length === 1)).toBe(true);
    expect(await Promise.all((['edge-a', 'edge-b'] as const).map((edge) => pair.field(edge, '{.spec.containers[0].image}')))).toEqual([
      NEXT_IMAGE,
      NEXT_IMAGE,
    ]);
    // The one that held the VIP took its connections along; nobody was without a gateway for long.
    expect(losses.breaks).toBeGreaterThan(0);
    expect(await pair.leases('edge-a')).toEqual(leases);
    expect(await pair.leases('edge-b')).toEqual(leases);
  });
});

test('the pod that holds the VIP is deleted: the other one takes over at once and keeps it', async () => {
  const from = await pair.holder();
  const to = otherEdge(from);
  const before = await pair.uid(from);
  const losses = await traffic.during('the pod with the VIP is deleted', async () => {
    await lab.kubectl(['delete', 'pod', `${from}-0`, `--namespace=${NAMESPACE}`, '--wait=false']);
    expect(
      await eventually(
        () => pair.holdsVip(to),
        (held) => held,
      ),
    ).toBe(true);
    const isAnew = ![before, ''].includes(await pair.uid(from));
    expect(isAnew && (await pair.ready()).includes(from)).toBe(false);
    await eventually(
      () => pair.uid(from),
      (uid) => uid !== '' && uid !== before,
    );
    expect(await says(lab, TENANT, 'EdgeReady', READY)).toMatch(READY);
  });
  expect(losses.breaks).toBeGreaterThan(0);
  expect([await pair.holdsVip(from), await pair.holdsVip(to)]).toEqual([false, true]);
});

test('Kea does not answer any more: the other one gives the addresses on, and hands back', async () => {
  const pid = '"$(cat /run/kea/kea-dhcp4.pid)"';
  const together = (seen: readonly string[]) => seen.join() === 'HOT-STANDBY,HOT-STANDBY';
  expect(await eventually(() => pair.haStates(), together)).toEqual(['HOT-STANDBY', 'HOT-STANDBY']);
  const answeredBy = async (address: string, since: number) =>
    (await traffic.attempts()).filter(({ what, at, by }) => what === 'dhcp' && at > since && by === address).map(({ at }) => at);
  const losses = await unnoticed('the Kea that serves is stopped, then killed', async () => {
    const since = Date.now();
    await pair.exec('edge-a', 'dhcp', 'sh', '-c', `kill -STOP ${pid}`);
    const [first] = await eventually(
      () => answeredBy(RESOLVERS[1], since),
      (found) => found.length >= 5,
    );
    expect(await answeredBy(RESOLVERS[0], first ?? 0)).toEqual([]);
    console.log(`the other Kea answered ${(((first ?? 0) - since) / 1000).toFixed(1)} s after this one stopped`);
    expect((await pair.haStates())[1]).toBe('PARTNER-DOWN');
    await pair.exec('edge-a', 'dhcp', 'sh', '-c', `kill -9 ${pid}`);
    const back = Date.now();
    await eventually(
      () => answeredBy(RESOLVERS[0], back),
      (found) => found.length > 0,
      120_000,
    );
    expect(await says(lab, TENANT, 'EdgeReady', READY)).toMatch(READY);
  });
  expect(await eventually(() => pair.haStates(), together)).toEqual(['HOT-STANDBY', 'HOT-STANDBY']);
  expect(await pair.leases('edge-a')).toEqual(await pair.leases('edge-b'));
  // Who wants to stay finds somebody, whoever that is.
  expect(losses.attempts.some(({ what, by }) => what === 'renew' && by === RESOLVERS[1])).toBe(true);
});

test('ignition gets another authority: the segment is measured by it, and nothing of the edge is touched', async () => {
  const namespace = 'clusters-blue';
  const secretOf = async (name: string) =>
    JSON.parse(await lab.kubectl(['get', 'secret', name, `--namespace=${namespace}`, '--output=jsonpath={.data}'])) as Record<
      string,
      string
    >;
  const now = new X509Certificate(Buffer.from((await secretOf(IGNITION_CERT))['tls.crt'] ?? '', 'base64'));
  const names = (now.subjectAltName ?? '').split(', ').flatMap((name) => (name.startsWith('DNS:') ? [name.slice(4)] : []));
  const edges = await Promise.all([pair.uid('edge-a'), pair.uid('edge-b')]);
  const lookNow = async () =>
    JSON.parse(
      await lab
        .kubectl(['exec', `--namespace=${NAMESPACE}`, 'prober-0', '--', '/usr/bin/node', '/opt/hcpio/prober.cjs', 'report'])
        .catch(() => '{}'),
    ) as { readonly results?: readonly { readonly subject: string; readonly verdict: string }[] };
  await unnoticed('ignition gets another authority', async () => {
    const pairs = issue(
      [{ secret: IGNITION_CA, subject: { commonName: 'ignition-root-ca-2' } }],
      [
        {
          secret: IGNITION_CERT,
          subject: { commonName: 'ignition-server' },
          issuer: IGNITION_CA,
          usages: ['server'],
          names,
          addresses: [],
        },
      ],
      new Date(),
    );
    for (const [name, { cert, key }] of pairs) {
      const body = JSON.stringify({ stringData: { 'tls.crt': cert, 'tls.key': key } });
      await lab.kubectl(['patch', 'secret', name, `--namespace=${namespace}`, '--type=merge', `--patch=${body}`]);
    }
    const list = () => lab.kubectl(['get', 'configmap', 'prober-probes', `--namespace=${NAMESPACE}`, '--output=jsonpath={.data}']);
    const [line = ''] = pairs.get(IGNITION_CA)?.cert.split('\n').slice(3) ?? [];
    expect(await eventually(list, (text) => text.includes(line))).toContain(line);
    await lab.kubectl(['rollout', 'restart', 'deployment/ignition-server-proxy', `--namespace=${namespace}`]);
    await lab.kubectl(['rollout', 'status', 'deployment/ignition-server-proxy', `--namespace=${namespace}`, '--timeout=120s']);
    const seen = await eventually(lookNow, ({ results }) => results?.every(({ verdict }) => verdict === 'passed') ?? false, 120_000, 2000);
    expect(seen.results?.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
    expect(await says(lab, TENANT, 'SegmentProven', /^True/)).toMatch(/^True Proven/);
  });
  expect(await Promise.all([pair.uid('edge-a'), pair.uid('edge-b')])).toEqual(edges);
});

test('the operator and the API of the hub are away: the VIP still leaves a dead gateway, and everything is answered', async () => {
  const netns = await netnsOf(lab, worker);
  const from = await pair.holder();
  const container = (await pair.field(from, '{.status.containerStatuses[?(@.name=="gateway")].containerID}')).replace('containerd://', '');
  const place = await pair.field(from, '{.spec.nodeName}');
  const socket = lab.nodes.find(({ name }) => name === place)?.containerd.socket;
  const operator = ['deployment/hcpio-operator', '--namespace=hcpio-system'];
  const replicas = await lab.kubectl(['get', ...operator, '--output=jsonpath={.spec.replicas}']);
  const macOfVip = async () =>
    (JSON.parse(await lab.run(['ip', '-json', 'neighbour', 'show', 'to', VIP], { netns })) as [{ readonly lladdr?: string }])[0].lladdr;
  const answered = async (since: number) =>
    [...new Set((await traffic.attempts()).filter(({ at, ok }) => ok && at > since).map(({ what }) => what))].sort();
  const everything = ['connection', 'dhcp', ...RESOLVERS.map((resolver) => `dns ${resolver}`), 'renew', 'watch opened'];
  const dies = async () => {
    await lab.kubectl(['scale', ...operator, '--replicas=0']);
    await lab.stop('kube-apiserver');
    const before = await macOfVip();
    const since = Date.now();
    await lab.run([toolPath('ctr'), `--address=${socket}`, '--namespace=k8s.io', 'tasks', 'kill', '--signal=SIGKILL', container]);
    expect(await eventually(macOfVip, (mac) => mac !== undefined && mac !== before)).not.toBe(before);
    expect(
      await eventually(
        () => answered(since),
        (seen) => everything.every((what) => seen.includes(what)),
      ),
    ).toEqual(everything);
  };
  try {
    await traffic.during('the gateway with the VIP dies, without operator and API', dies);
  } finally {
    await lab.restart('kube-apiserver');
    await eventually(
      () => lab.kubectl(['get', 'nodes', '--output=name']).catch(() => ''),
      (names) => names !== '',
    );
    await lab.kubectl(['scale', ...operator, `--replicas=${replicas}`]);
    await lab.kubectl(['rollout', 'status', ...operator, '--timeout=120s']);
  }
  expect(await says(lab, TENANT, 'EdgeReady', READY)).toMatch(READY);
  expect(await pair.holdsVip(otherEdge(from))).toBe(true);
});

test('an address that workers were told does not change while they run', async () => {
  await expect(change(lab, TENANT, { gateway: { addresses: { vip: '192.168.100.7' } } })).rejects.toThrow(
    /HCPIO-NET-020 spec\.gateway\.addresses\.vip: the VIP would change from 192\.168\.100\.3 to 192\.168\.100\.7, and 2 workers that run would go on using/,
  );
});

test('one edge instead of two, and two again: the first serves on, with the VIP and all leases', async () => {
  const leases = await pair.leases('edge-a');
  const first = await pair.uid('edge-a');
  const from = await pair.holder();
  const names = () => lab.kubectl(['get', 'statefulset,pod,network-attachment-definitions', `--namespace=${NAMESPACE}`, '--output=name']);
  const away = await traffic.during('the second edge goes', async () => {
    await change(lab, TENANT, { gateway: { availability: 'Single' } });
    await eventually(names, (all) => !all.includes('edge-b'));
    expect(await says(lab, TENANT, 'EdgeReady', /^True EdgesReady: edge-a on hub-\w with 192\.168\.100\.2$/)).toMatch(READY);
    expect(await says(lab, TENANT, 'SegmentProven', /^True/)).toMatch(/^True/);
    expect(await pair.holdsVip('edge-a')).toBe(true);
  });
  expect([await pair.uid('edge-a'), await pair.leases('edge-a')]).toEqual([first, leases]);
  expect(away.breaks).toBe(from === 'edge-a' ? 0 : 1);
  await unnoticed('the second edge comes back', async () => {
    await change(lab, TENANT, { gateway: { availability: 'HighlyAvailable' } });
    expect(await says(lab, TENANT, 'EdgeReady', /edge-b on hub-\w with 192\.168\.100\.4$/)).toMatch(READY);
    await eventually(
      () => pair.haStates(),
      (states) => states.join() === 'HOT-STANDBY,HOT-STANDBY',
    );
  });
  expect([await pair.uid('edge-a'), await pair.holder()]).toEqual([first, 'edge-a']);
  expect(
    await eventually(
      () => pair.leases('edge-b'),
      (seen) => seen.join() === leases.join(),
    ),
  ).toEqual(leases);
});

describe('*.apps', () => {
  const asked = () => askApps(lab, worker, VIP);
  const leadsTo = async (name: string) => {
    const address = (await tenantNetwork(lab, TENANT)).status?.machines?.find(({ machine }) => machine === name)?.addresses[0] ?? '';
    await routerOn(lab, name, address);
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
    await leadsTo(other);
    await leadsTo(worker);
    await lab.stop(`router-${other}`);
    await lab.stop(`router-${worker}`);
  });
});

test('a worker that is deleted gives its address back at once', async () => {
  const gone = (await workers.list(lab)).map(({ name }) => name).find((name) => name !== worker) ?? '';
  const machine = (await tenantNetwork(lab, TENANT)).status?.machines?.find((one) => one.machine === gone);
  const has = async (edge: Edge) => (await pair.leases(edge)).some((lease) => lease.endsWith(machine?.mac ?? 'none'));
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
  const seen: string[] = [];
  await traffic.calm();
  const { lost, breaks } = await traffic.toTheEnd('the cluster is deleted', async () => {
    await lab.kubectl(['delete', 'hostedcluster', 'blue', '--namespace=clusters', '--wait=false']);
    await eventually(
      async () => {
        const left = (await workers.list(lab)).length;
        const edges = [await pair.uid('edge-a'), await pair.uid('edge-b')].filter((uid) => uid !== '').length;
        seen.push(`${left} workers, ${edges} edges`);
        return left;
      },
      (left) => left === 0,
      400_000,
    );
  });
  expect(new Set(seen.filter((text) => text.startsWith('1 workers')))).toEqual(new Set(['1 workers, 2 edges']));
  const [failed, all] = lost['connection'] ?? [0, 0];
  expect({ failed, breaks, some: all > 0 }).toEqual({ failed: 0, breaks: 0, some: true });
  await lab.kubectl(['wait', '--for=delete', `namespace/${NAMESPACE}`, '--timeout=400s']);
});
