import { type AccessLog, type Extension, extension, type FilterChain, type Listener, type TcpKeepalive } from './envoy-types.ts';
import type { PlannedListener, PlannedRoute } from './tenant-plan.ts';

/** Envoy's edge guide; the default of 1 MiB times two directions times 20,000 connections would be 40 GB. */
export const BUFFER_BYTES = 32_768;

/**
 * A dead peer is noticed after a minute and a half. Without it a half-open connection would stay for the whole idle timeout, which is a
 * day because watches and tunnels are silent for hours and HyperShift's own router waits as long.
 */
export const KEEPALIVE: TcpKeepalive = { keepalive_time: 60, keepalive_interval: 10, keepalive_probes: 3 };
const IDLE_TIMEOUT = '86400s';

/** Long enough for a TLS ClientHello over a bad line, short enough that a thousand silent connections are gone at once. */
const CLIENT_HELLO_TIMEOUT = '5s';

/** The first attempt may meet a pod that has just gone. */
const CONNECT_ATTEMPTS = 3;

/**
 * What one chain may hold, so that a flood on one service leaves the others alone. Every node keeps dozens of watches at the API and a
 * tunnel per konnectivity server, for days; the rest is dialled now and then.
 */
const LIMITS: Readonly<Record<string, number>> = { 'kube-apiserver': 20_000, 'konnectivity-server': 20_000 };
const OTHER_LIMIT = 5_000;

/**
 * One listener of the gateway on the VIP, and only there: on 0.0.0.0 it would answer on the hub's pod network as well. Every field of
 * the listener itself is the same for every plan, because a change to one of them drains all connections of the port; what differs is
 * in the chains, which come and go one by one.
 */
export function listener(planned: PlannedListener): Listener {
  const fallback = planned.routes.find((route) => route.sni === null);
  return {
    name: `${planned.address.includes(':') ? `[${planned.address}]` : planned.address}:${planned.port}`,
    address: { socket_address: { address: planned.address, port_value: planned.port } },
    freebind: true, // the standby listens before it holds the VIP, so a takeover starts no listener
    traffic_direction: 'INBOUND',
    per_connection_buffer_limit_bytes: BUFFER_BYTES,
    max_connections_to_accept_per_socket_event: 1, // spreads a storm of workers over the threads, as the edge guide says
    tcp_keepalive: KEEPALIVE,
    ...(planned.kind === 'sni' ? bySni : {}),
    access_log: [refused],
    filter_chains:
      planned.kind === 'sni'
        ? planned.routes.flatMap((route) => (route.sni === null ? [] : [sniChain(route, route.sni)]))
        : planned.routes.slice(0, 1).map(anyChain),
    // No default chain unless the plan says so: an unknown name and plain text are closed, and counted.
    ...(planned.kind === 'sni' && fallback !== undefined ? { default_filter_chain: anyChain(fallback) } : {}),
  };
}

const bySni: Pick<Listener, 'listener_filters' | 'listener_filters_timeout' | 'continue_on_listener_filters_timeout'> = {
  listener_filters: [extension('envoy.filters.listener.tls_inspector', 'envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector')],
  listener_filters_timeout: CLIENT_HELLO_TIMEOUT,
  continue_on_listener_filters_timeout: false,
};

const sniChain = (route: PlannedRoute, sni: string): FilterChain => ({
  name: `sni ${sni}`,
  filter_chain_match: { server_names: [sni], transport_protocol: 'tls' },
  filters: filters(route, sni),
});

const anyChain = (route: PlannedRoute): FilterChain => ({ name: 'any', filters: filters(route, 'any') });

const filters = ({ upstream }: PlannedRoute, stats: string): Extension[] => [
  extension('envoy.filters.network.connection_limit', 'envoy.extensions.filters.network.connection_limit.v3.ConnectionLimit', {
    stat_prefix: stats,
    max_connections: LIMITS[serviceOf(upstream)] ?? OTHER_LIMIT,
  }),
  extension('envoy.filters.network.tcp_proxy', 'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy', {
    stat_prefix: stats,
    cluster: upstream,
    idle_timeout: IDLE_TIMEOUT,
    max_connect_attempts: CONNECT_ATTEMPTS,
    access_log: [accessLog],
    access_log_options: { flush_access_log_on_connected: true },
  }),
];

/** `namespace/service:port` -> service; the guest's own upstreams have none. */
const serviceOf = (upstream: string): string => /\/([^:]+):/.exec(upstream)?.[1] ?? '';

/**
 * The audit trail: the API server sees the gateway's pod address only (it takes no PROXY protocol), so who dialled is written down here,
 * with the address and port under which the upstream saw the connection. One line when it is connected, one when it ends.
 */
const accessLog: AccessLog = stdout({
  event: '%ACCESS_LOG_TYPE%',
  connection: '%CONNECTION_ID%',
  start: '%START_TIME%',
  client: '%DOWNSTREAM_REMOTE_ADDRESS%',
  listener: '%DOWNSTREAM_LOCAL_ADDRESS%',
  sni: '%REQUESTED_SERVER_NAME%',
  upstream: '%UPSTREAM_CLUSTER_RAW%',
  upstreamAddress: '%UPSTREAM_HOST%',
  seenAs: '%UPSTREAM_LOCAL_ADDRESS%',
  bytesFromClient: '%BYTES_RECEIVED%',
  bytesToClient: '%BYTES_SENT%',
  durationMs: '%DURATION%',
  flags: '%RESPONSE_FLAGS%',
  details: '%CONNECTION_TERMINATION_DETAILS%',
});

/** NR: no chain wanted the connection. Somebody on the segment asks for a name that is not published, or speaks no TLS. */
const refused: AccessLog = {
  ...stdout({
    event: 'Refused',
    start: '%START_TIME%',
    client: '%DOWNSTREAM_REMOTE_ADDRESS%',
    listener: '%DOWNSTREAM_LOCAL_ADDRESS%',
    sni: '%REQUESTED_SERVER_NAME%',
    flags: '%RESPONSE_FLAGS%',
  }),
  filter: { response_flag_filter: { flags: ['NR'] } },
};

function stdout(fields: Readonly<Record<string, string>>): AccessLog {
  return extension('envoy.access_loggers.stdout', 'envoy.extensions.access_loggers.stream.v3.StdoutAccessLog', {
    log_format: { json_format: fields },
  });
}
