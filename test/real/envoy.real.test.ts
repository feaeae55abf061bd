import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { gatewayFiles, staticConfig } from '../../src/gateway/envoy.ts';
import type { EdgePlan, TenantPlan } from '../../src/gateway/tenant-plan.ts';
import { allRoutes, blue, samplePlans } from '../../src/gateway/testing/sample-plans.ts';
import { toolPath } from '../../tools/paths.ts';
import { GatewayProcess, startBackends } from './gateway-process.ts';
import { eventually, type Host, Network } from './network.ts';

const dir = mkdtempSync(join(tmpdir(), 'hcpio-envoy-'));
afterAll(() => rmSync(dir, { recursive: true }));

async function validate(config: unknown): Promise<string> {
  const file = join(dir, 'bootstrap.json');
  writeFileSync(file, JSON.stringify(config));
  const ended = await promisify(execFile)(toolPath('envoy'), ['--mode', 'validate', '--config-path', file, '--log-level', 'error']).catch(
    (error: { stderr: string }) => error,
  );
  return ended.stderr.trim() || ('stdout' in ended ? ended.stdout : '');
}

const cases = Object.entries(samplePlans).flatMap(([name, plan]) =>
  plan.edges.map((edge): [string, string, TenantPlan, EdgePlan] => [name, edge.name, plan, edge]),
);
const waiting: TenantPlan = { ...blue, upstreams: blue.upstreams.map((upstream) => ({ ...upstream, endpoints: [] })) };
const edgeA = (plan: TenantPlan): EdgePlan => plan.edges[0] as EdgePlan;

test.each(cases)('Envoy finds %s on %s good', async (_name, _edge, plan, edge) => {
  expect(await validate(staticConfig(plan, edge))).toMatch(/configuration '.*' OK/);
});

test('Envoy finds a plan good whose upstreams are not there yet', async () => {
  expect(await validate(staticConfig(waiting, edgeA(waiting)))).toMatch(/configuration '.*' OK/);
});

test('and it would say so if a field, a type or a cluster were wrong', async () => {
  const config = staticConfig(blue, edgeA(blue));
  const [first, ...others] = config.static_resources.listeners;
  const wrong = (changes: object) =>
    validate({ ...config, static_resources: { ...config.static_resources, listeners: [{ ...first, ...changes }, ...others] } });
  expect(await wrong({ free_bind: true })).toMatch(/no\s+such\s+field:\s+'free_bind'/);
  expect(await wrong({ listener_filters_timeout: 5 })).toMatch(/listener_filters_timeout|Duration/);
  expect(await validate({ ...config, static_resources: { ...config.static_resources, clusters: [] } })).toMatch(
    /unknown cluster|Unknown cluster/i,
  );
});

/** One pod, with the addresses of the plan's upstreams on loopback, so that what the gateway dials answers. */
async function pod(network: Network, plan: TenantPlan): Promise<Host> {
  const host = await network.host('pod');
  for (const { endpoints } of plan.upstreams)
    for (const { address } of endpoints)
      await host.run('ip', 'address', 'replace', `${address}/${address.includes(':') ? 128 : 32}`, 'dev', 'lo');
  for (const { ipv4, ipv6 } of plan.edges.map((edge) => edge.addresses)) {
    if (ipv4 !== undefined) await host.run('ip', 'address', 'replace', `${ipv4}/32`, 'dev', 'lo');
    if (ipv6 !== undefined) await host.run('ip', 'address', 'replace', `${ipv6}/128`, 'dev', 'lo');
  }
  return host;
}

interface Listeners {
  readonly listener_statuses: readonly { readonly name: string }[];
}

test.each(Object.entries(samplePlans))(
  'a started Envoy takes the files of %s, listeners and clusters, and listens on a VIP that it does not hold',
  async (_, plan) => {
    await using network = new Network();
    const gateway = new GatewayProcess(await pod(network, plan), gatewayFiles(plan, edgeA(plan)));
    await gateway.ready();
    expect(
      await gateway.stats(
        'listener_manager.lds.update_success',
        'listener_manager.lds.update_rejected',
        'cluster_manager.cds.update_success',
        'cluster_manager.cds.update_rejected',
      ),
    ).toEqual({
      'listener_manager.lds.update_success': 1,
      'listener_manager.lds.update_rejected': 0,
      'cluster_manager.cds.update_success': 1,
      'cluster_manager.cds.update_rejected': 0,
    });
    const { listener_statuses } = JSON.parse((await gateway.admin('/listeners?format=json')).body) as Listeners;
    expect(listener_statuses.map((l) => l.name).sort()).toEqual(
      ['status', ...plan.listeners.map((l) => (l.address.includes(':') ? `[${l.address}]:${l.port}` : `${l.address}:${l.port}`))].sort(),
    );
    const clusters = (await gateway.admin('/clusters')).body;
    for (const { upstream, endpoints } of plan.upstreams)
      for (const { address, port } of endpoints)
        expect(clusters).toContain(`${upstream}::${address.includes(':') ? `[${address}]` : address}:${port}::`);
    expect((await gateway.admin('/quitquitquit')).status).toBe(403);
  },
);

test('a swapped ConfigMap is taken without a restart, and one that is wrong leaves the old one in force', async () => {
  await using network = new Network();
  const gateway = new GatewayProcess(await pod(network, blue), gatewayFiles(blue, edgeA(blue)));
  await gateway.ready();
  const version = async () => {
    const { configs } = JSON.parse((await gateway.admin('/config_dump?resource=dynamic_listeners')).body) as {
      configs?: { name: string; active_state?: { version_info: string } }[];
    };
    // What was taken away stays in the list while its connections drain.
    return (configs ?? []).flatMap((l) => (l.active_state === undefined ? [] : [[l.name, l.active_state.version_info]]));
  };
  const wanted = (plan: TenantPlan) =>
    (JSON.parse(gatewayFiles(plan, edgeA(plan)).find((f) => f.name === 'lds.json')?.content ?? '') as { version_info: string })
      .version_info;
  const names = blue.listeners.map((l) => `${l.address}:${l.port}`);
  expect(Object.fromEntries(await version())).toEqual(Object.fromEntries(names.map((name) => [name, wanted(blue)])));

  gateway.configure(gatewayFiles({ ...allRoutes, addresses: blue.addresses }, edgeA(blue)));
  await eventually(version, (seen) => seen.length === 1 && seen[0]?.[1] === wanted(allRoutes));

  const broken = (change: (content: string) => string) =>
    gatewayFiles(blue, edgeA(blue)).map((file) => (file.name === 'lds.json' ? { ...file, content: change(file.content) } : file));
  const failures = async () =>
    Object.values(await gateway.stats('listener_manager.lds.update_rejected', 'listener_manager.lds.update_failure'));
  gateway.configure(broken((content) => content.slice(0, -20)));
  await eventually(failures, (seen) => seen.some((count) => count > 0));
  expect(await version()).toEqual([['192.168.100.2:443', wanted(allRoutes)]]);
});

test('a name leads to its upstream, an unknown one and plain text to nobody, and the log says who came', async () => {
  await using network = new Network();
  const host = await pod(network, blue);
  await host.run('ip', 'address', 'add', '192.168.100.3/32', 'dev', 'lo');
  const gateway = new GatewayProcess(host, gatewayFiles(blue, edgeA(blue)));
  const backends = blue.upstreams.flatMap((u) => u.endpoints.map((e) => `${e.address}:${e.port}`));
  await startBackends(host, backends);
  await gateway.ready();

  const names = [
    'oauth.blue.example.com',
    'ignition.blue.example.com',
    'console.apps.blue.example.com',
    'kube-apiserver.mgmt.example.com',
    'none',
    '-',
  ];
  expect(await host.program('tls.ts', 'dial', '192.168.100.3:443', ...names)).toEqual({
    'oauth.blue.example.com': '172.30.10.2:6443 from 172.30.10.2',
    'ignition.blue.example.com': '172.30.10.4:443 from 172.30.10.4',
    'console.apps.blue.example.com': '192.168.100.10:31443 from 192.168.100.2', // from the edge's own address, or it would leave by the hub
    'kube-apiserver.mgmt.example.com': 'closed',
    none: 'closed',
    '-': 'closed',
  });
  expect(await host.program('tls.ts', 'dial', '192.168.100.3:6443', 'kubernetes.default.svc', 'none')).toEqual({
    'kubernetes.default.svc': '172.30.10.1:6443 from 172.30.10.1',
    none: '172.30.10.1:6443 from 172.30.10.1',
  });

  const log = () =>
    readFileSync(gateway.envoy.log, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const seen = await eventually(
    async () => log(),
    (lines) =>
      lines.filter((l) => l['event'] === 'TcpConnectionEnd').length === 5 && lines.filter((l) => l['event'] === 'Refused').length === 3,
  );
  expect(seen.filter((l) => l['sni'] === 'oauth.blue.example.com')).toMatchObject([
    {
      event: 'TcpUpstreamConnected',
      client: expect.stringMatching(/^192\.168\.100\.3:\d+$/),
      upstream: 'clusters-blue/oauth-openshift:6443',
      upstreamAddress: '172.30.10.2:6443',
    },
    {
      event: 'TcpConnectionEnd',
      upstreamAddress: '172.30.10.2:6443',
      seenAs: expect.stringMatching(/^172\.30\.10\.2:\d+$/),
      bytesToClient: '172.30.10.2:6443 from 172.30.10.2'.length,
      durationMs: expect.any(Number),
    },
  ]);
  expect(
    seen
      .filter((l) => l['event'] === 'Refused')
      .map((l) => String(l['sni']))
      .sort(),
  ).toEqual(['kube-apiserver.mgmt.example.com', 'null', 'null']);
});

test('connections outlive twenty changes of what is not theirs', async () => {
  await using network = new Network();
  const host = await pod(network, blue);
  await host.run('ip', 'address', 'add', '192.168.100.3/32', 'dev', 'lo');
  const echo = host.startProgram('tls.ts', 'echo', ...blue.upstreams.flatMap((u) => u.endpoints.map((e) => `${e.address}:${e.port}`)));
  await echo.until(async () => readFileSync(echo.log, 'utf8').includes('listening'), AbortSignal.timeout(30_000));
  // Connections that a change took along would be cut after a second, and not, as usual, after ten minutes.
  const gateway = new GatewayProcess(host, gatewayFiles(blue, edgeA(blue)), ['--drain-time-s', '1']);
  await gateway.ready();
  // The API's own port, a name on the port that all of them share, and a tunnel over pods that come and go.
  const held = [
    ['192.168.100.3:6443', 'api.blue.example.com'],
    ['192.168.100.3:443', 'oauth.blue.example.com'],
    ['192.168.100.3:443', 'konnectivity.blue.example.com'],
  ].map(([target = '', name = '']) => host.startProgram('tls.ts', 'hold', target, name));
  const answers = () => held.map(({ log }) => readFileSync(log, 'utf8').split('answered').length - 1);
  const answeredSince = (before: readonly number[]) =>
    eventually(
      async () => answers(),
      (now) => now.every((count, i) => count > (before[i] ?? 0)),
    );
  await answeredSince(held.map(() => 0));

  for (let change = 1; change <= 20; change++) {
    gateway.configure(gatewayFiles(changed(blue, change), edgeA(blue)));
    const taken = JSON.parse(gatewayFiles(changed(blue, change), edgeA(blue)).find((f) => f.name === 'lds.json')?.content ?? '') as {
      version_info: string;
    };
    await eventually(
      () => gateway.admin('/config_dump?resource=dynamic_listeners'),
      ({ body }) => body.includes(taken.version_info),
    );
    await answeredSince(answers());
  }
  const draining = ['listener_manager.total_listeners_draining', 'listener_manager.total_filter_chains_draining'];
  await eventually(
    () => gateway.stats(...draining),
    (seen) => draining.every((name) => seen[name] === 0),
  );
  await answeredSince(answers());
  expect(held.map(({ log }) => readFileSync(log, 'utf8').includes('broken'))).toEqual([false, false, false]);
  expect(await gateway.stats('listener_manager.lds.update_rejected', 'cluster_manager.cds.update_rejected')).toEqual({
    'listener_manager.lds.update_rejected': 0,
    'cluster_manager.cds.update_rejected': 0,
  });
});

/** What happens to a tenant in a day: a name and a port are published and withdrawn again, workers and a pod of konnectivity come and go. */
function changed(plan: TenantPlan, change: number): TenantPlan {
  const api = plan.upstreams[0]?.upstream ?? '';
  const listeners = plan.listeners.map((l) =>
    l.kind === 'sni' ? { ...l, routes: [{ sni: `extra-${change}.blue.example.com`, upstream: api }, ...l.routes] } : l,
  );
  const port = {
    address: plan.addresses.ipv4?.vip ?? '',
    port: 9000 + change,
    kind: 'tcp' as const,
    routes: [{ sni: null, upstream: api }],
  };
  const upstreams = plan.upstreams.map((u) =>
    u.discovery === 'clusterIP' ? u : { ...u, endpoints: [...u.endpoints, { address: `10.128.9.${change}`, port: 8091 }] },
  );
  return { ...plan, listeners: [...listeners, port], upstreams };
}

test('konnectivity goes round all its pods', async () => {
  await using network = new Network();
  const host = await pod(network, blue);
  await host.run('ip', 'address', 'add', '192.168.100.3/32', 'dev', 'lo');
  await startBackends(host, ['10.128.0.21:8091', '10.128.1.22:8091']);
  const gateway = new GatewayProcess(host, gatewayFiles(blue, edgeA(blue)));
  await gateway.ready();
  const healthy = 'cluster.clusters-blue/konnectivity-server_8091.membership_healthy';
  await eventually(
    () => gateway.stats(healthy),
    (seen) => seen[healthy] === 2,
  );
  const met = new Set<string>();
  for (let i = 0; i < 8; i++) {
    const answer = (await host.program('tls.ts', 'dial', '192.168.100.3:443', 'konnectivity.blue.example.com')) as Record<string, string>;
    met.add(Object.values(answer)[0]?.split(' ')[0] ?? '');
  }
  expect([...met].sort()).toEqual(['10.128.0.21:8091', '10.128.1.22:8091']);
});
