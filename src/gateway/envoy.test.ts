import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectGolden } from '../../test/golden.ts';
import { gatewayFiles, staticConfig } from './envoy.ts';
import type { Bootstrap, Cluster, FilterChain, Listener } from './envoy-types.ts';
import type { EdgePlan, PlannedUpstream, TenantPlan } from './tenant-plan.ts';
import { allRoutes, blue, dualStack, samplePlans } from './testing/sample-plans.ts';

const edgeOf = (plan: TenantPlan, name: EdgePlan['name'] = 'edge-a'): EdgePlan => {
  const edge = plan.edges.find((candidate) => candidate.name === name);
  if (edge === undefined) throw new Error(`the plan has no ${name}`);
  return edge;
};
const files = (plan: TenantPlan, edge = edgeOf(plan)): Record<string, unknown> =>
  Object.fromEntries(gatewayFiles(plan, edge).map((file) => [file.name, JSON.parse(file.content) as unknown]));
const merged = (plan: TenantPlan, edge = edgeOf(plan)): Bootstrap => staticConfig(plan, edge);
/** Those of the tenant, without the gateway's own status page. */
const listeners = (plan: TenantPlan): readonly Listener[] => merged(plan).static_resources.listeners.filter((l) => l.name !== 'status');
const clusters = (plan: TenantPlan): readonly Cluster[] => merged(plan).static_resources.clusters.filter((c) => c.name !== 'admin');
const dynamicClusters = (plan: TenantPlan): readonly Cluster[] => (files(plan)['cds.json'] as { resources: Cluster[] }).resources;
const chains = (listener: Listener): readonly FilterChain[] => [
  ...listener.filter_chains,
  ...(listener.default_filter_chain === undefined ? [] : [listener.default_filter_chain]),
];
const upstreamOf = (chain: FilterChain): unknown => chain.filters.find((f) => f.name.endsWith('tcp_proxy'))?.typed_config['cluster'];
const withUpstream = (plan: TenantPlan, upstream: PlannedUpstream): TenantPlan => ({
  ...plan,
  upstreams: plan.upstreams.map((u) => (u.upstream === upstream.upstream ? upstream : u)),
});

test.each(Object.entries(samplePlans))('the files of %s', (name, plan) => {
  expectGolden(join(import.meta.dirname, 'testdata', 'envoy', `${name}.yaml`), files(plan));
});

describe('what may not change, or connections are lost', () => {
  test('the bootstrap is the same for every plan, so no change of a tenant restarts a gateway', () => {
    expect(new Set(Object.values(samplePlans).map((plan) => JSON.stringify(files(plan)['bootstrap.json']))).size).toBe(1);
  });

  test('a new service on a port changes its chains and no field of the listener', () => {
    const [first, second, third] = blue.listeners;
    if (first === undefined || second === undefined || third === undefined) throw new Error('the sample has three listeners');
    const more: TenantPlan = {
      ...blue,
      listeners: [
        first,
        { ...second, routes: [...second.routes, { sni: 'metrics.blue.example.com', upstream: 'clusters-blue/metrics-proxy:443' }] },
        third,
      ],
    };
    const withoutChains = (plan: TenantPlan) => listeners(plan).map((listener) => ({ ...listener, filter_chains: [] }));
    expect(withoutChains(more)).toEqual(withoutChains(blue));
    expect(listeners(more)[1]?.filter_chains.slice(0, 4)).toEqual(listeners(blue)[1]?.filter_chains);
  });

  test('a pod that comes or goes changes its file of endpoints and no cluster', () => {
    const upstream = 'clusters-blue/konnectivity-server:8091';
    const scaled = withUpstream(blue, { upstream, discovery: 'pods', endpoints: [{ address: '10.128.2.9', port: 8091 }] });
    const changed = Object.keys(files(blue)).filter((name) => JSON.stringify(files(blue)[name]) !== JSON.stringify(files(scaled)[name]));
    expect(changed).toEqual(['eds.clusters-blue.konnectivity-server.8091.json']);
  });

  test('the version that Envoy reports is a hash of what it was given', () => {
    const version = (plan: TenantPlan) => (files(plan)['lds.json'] as { version_info: string }).version_info;
    expect(version({ ...blue })).toBe(version(blue));
    expect(version(blue)).not.toBe(version(allRoutes));
  });
});

test('the edges of a pair differ in their names and in the address from which they dial the workers', () => {
  const pair = (plan: TenantPlan) => plan.edges.map((edge) => dynamic(plan, edge).map((c) => c.upstream_bind_config));
  const dynamic = (plan: TenantPlan, edge: EdgePlan) =>
    (files(plan, edge)['cds.json'] as { resources: Cluster[] }).resources.filter((c) => c.name === 'guest:https');
  expect(pair(dualStack)).toEqual([
    [
      {
        source_address: { address: '192.168.100.2', port_value: 0 },
        extra_source_addresses: [{ address: { address: 'fd00:100::2', port_value: 0 } }],
      },
    ],
    [
      {
        source_address: { address: '192.168.100.4', port_value: 0 },
        extra_source_addresses: [{ address: { address: 'fd00:100::4', port_value: 0 } }],
      },
    ],
  ]);
  expect(files(blue, edgeOf(blue, 'edge-b'))['lds.json']).toEqual(files(blue)['lds.json']);
});

test('only the workers are dialled from the segment', () => {
  expect(clusters(blue).flatMap((c) => (c.upstream_bind_config === undefined ? [] : [c.name]))).toEqual(['guest:https', 'guest:http']);
});

test('an upstream that is not there yet has no endpoints, and its listener stays', () => {
  const waiting: TenantPlan = { ...blue, upstreams: blue.upstreams.map((u) => ({ ...u, endpoints: [] })) };
  expect(clusters(waiting).map((c) => c.load_assignment)).toEqual(blue.upstreams.map((u) => ({ cluster_name: u.upstream, endpoints: [] })));
  expect(files(waiting)['lds.json']).toEqual(files(blue)['lds.json']);
});

test('a plan without listeners is a gateway that waits', () => {
  const { 'lds.json': lds, 'cds.json': cds } = files({ ...blue, listeners: [], upstreams: [] });
  expect([lds, cds]).toEqual([
    { version_info: expect.any(String), resources: [] },
    { version_info: expect.any(String), resources: [] },
  ]);
});

describe('mistakes of the source documents', () => {
  test.each(Object.entries(samplePlans))('mistake 19: the listener never binds 0.0.0.0 (%s)', (_, plan) => {
    const bound = merged(plan).static_resources.listeners.map((l) =>
      'socket_address' in l.address ? l.address.socket_address.address : l.address.pipe.path,
    );
    const vips = [plan.addresses.ipv4?.vip, plan.addresses.ipv6?.vip, '127.0.0.1'];
    expect(bound.filter((address) => !vips.includes(address))).toEqual([]);
    expect(listeners(plan).every((l) => l.freebind)).toBe(true);
  });

  test('mistake 15: health and statistics are on loopback, the admin interface has no port, and only reading is allowed', () => {
    const { admin, static_resources } = merged(blue);
    expect(admin).toEqual({
      address: { pipe: { path: '/run/envoy/admin.sock', mode: 0o600 } },
      allow_paths: [
        { prefix: '/ready' },
        { prefix: '/stats' },
        { prefix: '/config_dump' },
        { prefix: '/clusters' },
        { prefix: '/listeners' },
        { prefix: '/server_info' },
      ],
    });
    expect(static_resources.listeners.find((l) => l.name === 'status')?.address).toEqual({
      socket_address: { address: '127.0.0.1', port_value: 9902 },
    });
  });

  test.each(Object.entries(samplePlans))('mistake 18: 22623 and 8132 are neither listened on nor dialled (%s)', (_, plan) => {
    expect(JSON.stringify(files(plan))).not.toMatch(/\b(22623|8132)\b/);
  });

  test('mistake 18: OAuth is dialled on 6443, konnectivity on 8091', () => {
    const ports = Object.fromEntries(
      clusters(blue).map((c) => [
        c.name,
        c.load_assignment?.endpoints.flatMap((e) =>
          e.lb_endpoints.map(({ endpoint: { address } }) => ('socket_address' in address ? address.socket_address.port_value : null)),
        ),
      ]),
    );
    expect(ports).toMatchObject({ 'clusters-blue/oauth-openshift:6443': [6443], 'clusters-blue/konnectivity-server:8091': [8091, 8091] });
  });

  test('mistake 20: no address comes by DNS, and konnectivity is balanced over its pods one by one', () => {
    expect(dynamicClusters(blue).map((c) => [c.name, c.type, c.lb_policy])).toEqual([
      ['clusters-blue/kube-apiserver:6443', 'STATIC', 'ROUND_ROBIN'],
      ['clusters-blue/oauth-openshift:6443', 'STATIC', 'ROUND_ROBIN'],
      ['clusters-blue/konnectivity-server:8091', 'EDS', 'ROUND_ROBIN'],
      ['clusters-blue/ignition-server-proxy:443', 'STATIC', 'ROUND_ROBIN'],
      ['guest:https', 'EDS', 'ROUND_ROBIN'],
      ['guest:http', 'EDS', 'ROUND_ROBIN'],
    ]);
  });

  test.each(Object.entries(samplePlans))('mistake 22: every timeout, breaker, keepalive and limit is set (%s)', (_, plan) => {
    const keepalive = { keepalive_time: 60, keepalive_interval: 10, keepalive_probes: 3 };
    for (const listener of listeners(plan)) {
      expect(listener).toMatchObject({
        per_connection_buffer_limit_bytes: 32_768,
        max_connections_to_accept_per_socket_event: 1,
        tcp_keepalive: keepalive,
      });
      for (const chain of chains(listener)) {
        expect(chain.filters.map((f) => f.typed_config)).toMatchObject([
          { max_connections: expect.any(Number) },
          { idle_timeout: '86400s', max_connect_attempts: 3 },
        ]);
      }
    }
    for (const cluster of clusters(plan)) {
      expect(cluster).toMatchObject({
        connect_timeout: '5s',
        per_connection_buffer_limit_bytes: 32_768,
        circuit_breakers: {
          thresholds: [{ priority: 'DEFAULT', max_connections: 20_000, max_pending_requests: 20_000, track_remaining: true }],
        },
        upstream_connection_options: { tcp_keepalive: keepalive },
        health_checks: [{ interval: '5s', tcp_health_check: {} }],
      });
    }
    expect(merged(plan).overload_manager).toMatchObject({
      resource_monitors: [
        { name: 'envoy.resource_monitors.fixed_heap' },
        { name: 'envoy.resource_monitors.global_downstream_max_connections' },
      ],
      loadshed_points: [{ name: 'envoy.load_shed_points.tcp_listener_accept', triggers: [{ threshold: { value: 0.95 } }] }],
    });
  });

  test('mistake 22: a silent client of a TLS port is dropped after five seconds, and one that sent no ClientHello reaches nobody', () => {
    expect(listeners(blue)[1]).toMatchObject({ listener_filters_timeout: '5s', continue_on_listener_filters_timeout: false });
  });

  test('mistake 22: among several hosts the bad ones are left out, but never the last', () => {
    expect(
      clusters(blue).flatMap((c) => (c.outlier_detection === undefined ? [] : [[c.name, c.outlier_detection.max_ejection_percent]])),
    ).toEqual([
      ['clusters-blue/konnectivity-server:8091', 50],
      ['guest:https', 50],
      ['guest:http', 50],
    ]);
  });

  test('mistake 23: services share port 443 by their names, and an unknown name is refused', () => {
    const tls = listeners(blue)[1];
    expect(tls?.filter_chains.map((chain) => [chain.filter_chain_match, upstreamOf(chain)])).toEqual(
      [
        ['oauth.blue.example.com', 'clusters-blue/oauth-openshift:6443'],
        ['konnectivity.blue.example.com', 'clusters-blue/konnectivity-server:8091'],
        ['ignition.blue.example.com', 'clusters-blue/ignition-server-proxy:443'],
        ['*.apps.blue.example.com', 'guest:https'],
      ].map(([sni, upstream]) => [{ server_names: [sni], transport_protocol: 'tls' }, upstream]),
    );
    expect(tls?.default_filter_chain).toBeUndefined();
  });

  test('mistake 23: the API on a port of its own looks at no name, and on a shared port takes what no name claims', () => {
    const own = listeners(blue)[2];
    expect([own?.listener_filters, own?.filter_chains.map((chain) => [chain.filter_chain_match, upstreamOf(chain)])]).toEqual([
      undefined,
      [[undefined, 'clusters-blue/kube-apiserver:6443']],
    ]);
    const shared = listeners(allRoutes)[0]?.default_filter_chain;
    expect(shared === undefined ? undefined : upstreamOf(shared)).toBe('clusters-blue/kube-apiserver:6443');
  });

  test.each(Object.entries(samplePlans))('mistake 24: everything that is listened for has an upstream, *.apps too (%s)', (_, plan) => {
    const known = new Set(clusters(plan).map((c) => c.name));
    const wanted = listeners(plan).flatMap(chains).map(upstreamOf);
    expect(wanted.filter((upstream) => !known.has(String(upstream)))).toEqual([]);
    expect(wanted).toContain('guest:https');
  });

  test('mistake 25: ignition goes to its own proxy and never to the API server', () => {
    const chain = listeners(blue)
      .flatMap(chains)
      .find((c) => c.filter_chain_match?.server_names.includes('ignition.blue.example.com'));
    expect(chain === undefined ? undefined : upstreamOf(chain)).toBe('clusters-blue/ignition-server-proxy:443');
  });

  test('mistake 32: who dialled is written down when a connection begins and when it ends, with the address that the API server sees', () => {
    const proxies = listeners(blue)
      .flatMap(chains)
      .flatMap((chain) => chain.filters.filter((f) => f.name.endsWith('tcp_proxy')));
    for (const { typed_config } of proxies) {
      expect(typed_config).toMatchObject({
        access_log: [
          {
            typed_config: {
              log_format: {
                json_format: {
                  event: '%ACCESS_LOG_TYPE%',
                  client: '%DOWNSTREAM_REMOTE_ADDRESS%',
                  sni: '%REQUESTED_SERVER_NAME%',
                  upstreamAddress: '%UPSTREAM_HOST%',
                  seenAs: '%UPSTREAM_LOCAL_ADDRESS%',
                  bytesFromClient: '%BYTES_RECEIVED%',
                  bytesToClient: '%BYTES_SENT%',
                  durationMs: '%DURATION%',
                },
              },
            },
          },
        ],
        access_log_options: { flush_access_log_on_connected: true },
      });
    }
    expect(proxies).toHaveLength(6);
  });
});
