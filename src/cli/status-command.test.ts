import { describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { PAUSE_MARKER, RELEASE_MARKER } from '../api/markers.ts';
import { fail } from '../kube/testing/protocol-server.ts';
import type { TenantView } from './tenant-view.ts';
import { Scratch } from './testing/directory.ts';
import { hcpio } from './testing/hcpio.ts';
import { kubeconfig, LiveHub, NODE_POOLS, nodePool, PODS, PROVEN, pod, tenant } from './testing/live-hub.ts';

const waiting = {
  ...PROVEN,
  conditions: PROVEN.conditions.map((condition) => ({
    ...condition,
    ...{
      SegmentProven: { status: 'Unknown' as const, reason: 'NotProbed', message: 'nobody has looked from the segment yet' },
      NodePoolsReleased: { status: 'False' as const, reason: 'Gated', message: 'blue held back until the segment is proven' },
      Ready: { status: 'False' as const, reason: 'Gated', message: 'NodePoolsReleased: blue held back' },
    }[condition.type],
  })),
};

const instance = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name: 'blue-1', namespace: 'clusters-blue' },
  status: { phase: 'Running', nodeName: 'hub-b' },
};
const machine = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Machine',
  metadata: { name: 'blue-x', namespace: 'clusters-blue' },
  spec: { infrastructureRef: { kind: 'KubevirtMachine', name: 'blue-1' } },
  status: { nodeRef: { name: 'blue-1' }, conditions: [{ type: 'NodeReady', status: 'False' }] },
};
const DIALLED =
  '{"client":"192.168.100.10:50504","connection":1,"event":"TcpUpstreamConnected","flags":"-","listener":"192.168.100.3:6443","seenAs":"10.128.0.5:63460","sni":null,"start":"2026-01-02T03:05:22.835Z","upstream":"clusters-blue/kube-apiserver:6443","upstreamAddress":"172.30.198.163:6443"}';

const status = (hub: LiveHub, ...args: readonly string[]) => hcpio(['status', '--kubeconfig', hub.kubeconfig, ...args]);

describe('one tenant', () => {
  test('is drawn with its addresses, and every table is there', async () => {
    await using hub = await LiveHub.start(tenant('blue'));
    hub.server.put(PODS, pod('edge-a', '192.168.100.2', 'hub-a'));
    hub.server.put(PODS, pod('edge-b', '192.168.100.4', 'hub-b'));
    hub.server.put(NODE_POOLS, nodePool('blue', { [RELEASE_MARKER]: 'true' }));
    hub.server.put('virtualmachineinstances', instance);
    hub.server.put('machines', machine);
    hub.server.failNext(
      ({ path }) => path.endsWith('/edge-a-0/log'),
      (response) => void response.end(`2026-01-02T03:06:00.000000000Z ${DIALLED}\n`),
    );
    vi.useFakeTimers({ now: Date.parse('2026-01-02T03:07:10Z'), toFake: ['Date'] });
    const { status: code, out, err } = await status(hub, 'blue').finally(() => vi.useRealTimers());
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(`\n${out}`).toBe(`
Tenant network clusters/blue, mode Gateway
ready for 3m5s

  ┌─ hub ────────────────────────────────────────────────────────────────────────────────────────┐
  │  control plane  clusters-blue                                                                │
  │    kube-apiserver:6443 · ignition-server-proxy:443                                           │
  │                                                                                              │
  │  edge  clusters-blue-edge                                                                    │
  │          ┌───────────────┐                                        ┌───────────────┐          │
  │          │    edge-a     ├────────────── peer link ───────────────┤    edge-b     │          │
  │          │ 192.168.100.2 │                                        │ 192.168.100.4 │          │
  │          └───────┬───────┘                                        └───────┬───────┘          │
  └──────────────────┼────────────────────────────────────────────────────────┼──────────────────┘
                     │◄─ VIP 192.168.100.3                                    │
  ════════╤══════════╧════════════════════════════════════════════════════════╧══════════╤════════
          │                default/vlan100 · 192.168.100.0/24 · MTU 1500                 │
  ┌───────┴───────┐                                                     ┌────────────────┴───────┐
  │    router     │                                                     │        1 worker        │
  │ 192.168.100.1 │                                                     │ blue-1  192.168.100.10 │
  └───────────────┘                                                     └────────────────────────┘

CONDITIONS
  ✓  Accepted           3m5s   no check objects
  ✓  Planned            3m5s   2 edges, 3 listeners, 11 records, 1 machine
  ✓  Applied            3m5s   25 objects are as planned
  ✓  EdgeReady          3m5s   edge-a on hub-a with 192.168.100.2; edge-b on hub-b with
                               192.168.100.4
  ✓  EndpointsReady     3m5s   4 services published, each with ready pods
  ✓  SegmentProven      3m5s   DHCP answered from edge-a
  ✓  NodePoolsReleased  3m5s   no NodePool is held back
  ✓  Ready              3m5s   everything answers from the segment

EDGES
  edge    pod       node   net1           VIP        state
  edge-a  edge-a-0  hub-a  192.168.100.2  holds it   ready
  edge-b  edge-b-0  hub-b  192.168.100.4  stands by  ready

ENDPOINTS that the workers dial
  service    at                         served by                  from the segment
  APIServer  api.blue.example.com:6443  kube-apiserver:6443        answers
  Ignition   (not published yet)        ignition-server-proxy:443  not proven

NODEPOOLS
  NodePool  nodes   gate
  blue      1 of 2  released

MACHINES
  machine  MAC                address         VM                lease  reached    Node
  blue-1   02:00:00:00:01:01  192.168.100.10  Running on hub-b  -      APIServer  registered, not Ready

NOT SEEN
  probes: there is no pod clusters-blue-edge/prober-0
  leases: edge-a could not be asked: it has no pod
  leases: edge-b could not be asked: it has no pod
`);
  });

  test('that is not ready says what it waits for and what that means, and ends with 1', async () => {
    await using hub = await LiveHub.start(tenant('blue', waiting));
    hub.server.put(NODE_POOLS, nodePool('blue', { [PAUSE_MARKER]: 'true' }, 'true'));
    const { status: code, out } = await status(hub, 'blue');
    expect({ code, verdict: out.split('\n')[1]?.replace(/for \S+,/, 'for long,') }).toEqual({
      code: 1,
      verdict: 'not ready for long, waits for SegmentProven: nobody has looked from the segment yet',
    });
    expect(out).toContain('  blue      1 of 2  held by hcpio until the segment is proven\n');
    expect(out).toMatch(/✗ {2}NodePoolsReleased {2}\S+ +blue held back until the segment is proven\n +hcpio holds NodePools back until/);
  });

  test('is the same as JSON and YAML, for programs', async () => {
    await using hub = await LiveHub.start(tenant('blue'));
    hub.server.put(PODS, pod('edge-a', '192.168.100.2', 'hub-a'));
    hub.server.put(PODS, pod('edge-b', '192.168.100.4', 'hub-b'));
    hub.server.put(NODE_POOLS, nodePool('blue', {}, '2027-01-01T00:00:00Z'));
    const view = JSON.parse((await status(hub, 'clusters/blue', '-o', 'json')).out) as TenantView;
    expect(parse((await status(hub, 'clusters/blue', '-o', 'yaml')).out)).toEqual(view);
    expect([view.ready, view.nodePools, view.edges.map(({ name, holdsVip }) => [name, holdsVip])]).toEqual([
      true,
      [{ name: 'blue', replicas: 2, nodes: 1, gate: 'paused' }],
      [
        ['edge-a', true],
        ['edge-b', false],
      ],
    ]);
  });

  test('of which an edge is being replaced says so in the drawing, and nobody holds the VIP for sure', async () => {
    await using hub = await LiveHub.start(tenant('blue'));
    const old = pod('edge-a', '192.168.100.2', 'hub-a');
    hub.server.put(PODS, { ...old, metadata: { ...old.metadata, deletionTimestamp: '2026-01-02T03:07:00Z' } });
    hub.server.put(PODS, pod('edge-b', '192.168.100.4', 'hub-b'));
    const { out } = await status(hub, 'blue');
    expect(out).toContain('│ edge-a ✗ down ├────────────── peer link ───────────────┤    edge-b     │');
    expect(out).toMatch(/\n {21}│ {20}VIP 192\.168\.100\.3 {19}│\n/);
    expect(out).toContain('  edge-a  edge-a-0  hub-a  192.168.100.2  -          not ready: its pod is being replaced\n');
  });

  test('whose newest spec nobody has looked at is not ready, whatever was said of the older one', async () => {
    const { spec, metadata, ...rest } = tenant('blue');
    await using hub = await LiveHub.start({ ...rest, spec, metadata: { ...metadata, generation: 2 } });
    const { status: code, out } = await status(hub, 'blue');
    expect({ code, told: out.includes('the operator has not looked at the newest spec yet (generation 2, seen 1)') }).toEqual({
      code: 1,
      told: true,
    });
  });

  test('that nobody reports on is told so', async () => {
    await using hub = await LiveHub.start(tenant('blue', {}));
    const { status: code, out } = await status(hub, 'blue');
    expect({ code, out }).toEqual({
      code: 1,
      out: 'Tenant network clusters/blue, mode Gateway\nnot ready\nno operator has reported on it yet: kubectl get pods -n hcpio-system\n',
    });
  });

  test('is shown also to those who may not see pods', async () => {
    await using hub = await LiveHub.start(tenant('blue'));
    hub.server.failNext(
      ({ path }) => path.endsWith('/pods'),
      (response) => fail(response, 403, 'Forbidden', 'pods is forbidden'),
    );
    const { status: code, out } = await status(hub, 'blue');
    expect({ code, told: out.includes('you may not list pods in namespace clusters-blue-edge') }).toEqual({ code: 0, told: true });
    expect(out).toContain('  edge-a  -    hub-a  192.168.100.2  holds it   ready\n');
  });
});

describe('all tenants', () => {
  test('are a table, and one that is not ready makes it 1', async () => {
    await using hub = await LiveHub.start(tenant('blue'), tenant('red', waiting), tenant('new', {}, 'other'));
    vi.useFakeTimers({ now: Date.parse('2026-01-02T05:04:05Z'), toFake: ['Date'] });
    const { status: code, out } = await status(hub, '-A').finally(() => vi.useRealTimers());
    expect({ code, out: `\n${out}` }).toEqual({
      code: 1,
      out: `
TENANT         READY  SINCE  VIP            EDGES  WORKERS  FREE  WAITS FOR
clusters/blue  yes    120m   192.168.100.3  2/2    1        244
clusters/red   no     120m   192.168.100.3  2/2    1        244   SegmentProven: nobody has looked from the segment yet
other/new      no     -      -              -      0        -     no operator has reported on it yet: kubectl get pods -n hcpio-system
`,
    });
  });

  test('that are not there are no error', async () => {
    await using hub = await LiveHub.start();
    expect([await status(hub), await status(hub, '-A', '-o', 'json')]).toEqual([
      { status: 0, out: 'there is no tenant network in namespace clusters (-A looks everywhere)\n', err: '' },
      { status: 0, out: '[]\n', err: '' },
    ]);
  });
});

describe('what cannot be asked is status 2 and one line that says what to do', () => {
  const told = async (args: readonly string[]) => {
    const { status: code, out, err } = await hcpio(['status', ...args]);
    return { code, out, err };
  };
  const failure = (err: string) => ({ code: 2, out: '', err: `hcpio: ${err}\n` });

  test('no kubeconfig, and no such context', async () => {
    using files = new Scratch({ config: JSON.stringify(kubeconfig('http://127.0.0.1:1')) });
    expect(await told(['--kubeconfig', files.at('nothing')])).toEqual(
      failure(`no kubeconfig found: ${files.at('nothing')} does not exist; name a file with --kubeconfig or $KUBECONFIG`),
    );
    expect(await told(['--kubeconfig', files.at('config'), '--context', 'moon'])).toEqual(
      failure('the kubeconfig has no context named "moon"; name a file with --kubeconfig or $KUBECONFIG'),
    );
  });

  test('nobody answers', async () => {
    using files = new Scratch({ config: JSON.stringify(kubeconfig('http://127.0.0.1:1')) });
    expect(await told(['--kubeconfig', files.at('config')])).toEqual(
      failure('the API server http://127.0.0.1:1 of context hub does not answer (ECONNREFUSED): is it up, and is it the right one?'),
    );
  });

  test('credentials that are not accepted, and rights that are missing', async () => {
    await using hub = await LiveHub.start();
    const where = `the API server ${hub.server.url.origin} of context hub`;
    hub.server.failNext(
      () => true,
      (response) => fail(response, 401, 'Unauthorized', 'Unauthorized'),
    );
    expect(await told(['--kubeconfig', hub.kubeconfig])).toEqual(
      failure(`${where} does not accept the credentials of the kubeconfig: log in again`),
    );
    hub.server.failNext(
      () => true,
      (response) => fail(response, 403, 'Forbidden', 'tenantnetworks is forbidden: User "jane" cannot list it'),
    );
    expect(await told(['--kubeconfig', hub.kubeconfig])).toEqual(
      failure(`${where} answers 403: tenantnetworks is forbidden: User "jane" cannot list it`),
    );
  });

  test('hcpio is not installed there', async () => {
    await using hub = await LiveHub.start();
    for (const args of [[], ['blue']]) {
      for (let asked = 0; asked <= args.length; asked++)
        hub.server.failNext(
          ({ path }) => path.includes('tenantnetworks'),
          (response) => fail(response, 404, 'NotFound', 'the server could not find the requested resource'),
        );
      expect((await told(['--kubeconfig', hub.kubeconfig, ...args])).err).toMatch(
        /^hcpio: this cluster has no TenantNetworks: hcpio is not installed there/,
      );
    }
  });

  test.each([
    ['bleu', 'there is no tenant network clusters/bleu; did you mean clusters/blue?'],
    ['other/blue', 'there is no tenant network other/blue; did you mean clusters/blue?'],
    ['nothing-like-it', 'there is no tenant network clusters/nothing-like-it; there are clusters/blue'],
  ])('no such tenant: %s', async (name, message) => {
    await using hub = await LiveHub.start(tenant('blue'));
    expect(await told([name, '--kubeconfig', hub.kubeconfig])).toEqual(failure(message));
  });

  test('a wrong argument', async () => {
    expect(await told(['-o', 'xml'])).toEqual(
      failure("option '-o, --output <format>' argument 'xml' is invalid. Allowed choices are table, json, yaml."),
    );
    expect((await hcpio(['status', '--help'])).status).toBe(0);
  });
});

test('a tenant that is put there under a name with colours in it moves no cursor', async () => {
  const message = '\u001b[31mred\u001b[2J';
  const conditions = [{ type: 'Ready', status: 'False' as const, reason: 'Deleting', message, lastTransitionTime: '2026-01-02T03:04:05Z' }];
  await using hub = await LiveHub.start(tenant('blue', { observedGeneration: 1, conditions }));
  expect((await status(hub, 'blue')).out).not.toContain('\u001b');
});

test('the tenants are asked for where the context says', async () => {
  await using hub = await LiveHub.start(tenant('blue'));
  await status(hub);
  await status(hub, '-n', 'elsewhere');
  await status(hub, '-A');
  expect(hub.server.requests.map(({ path }) => path.replace('/apis/hcpio.io/v1alpha1', ''))).toEqual([
    '/namespaces/clusters/tenantnetworks',
    '/namespaces/elsewhere/tenantnetworks',
    '/tenantnetworks',
  ]);
});
