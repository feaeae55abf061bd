import { GATEWAY_ADMIN_SOCKET, GATEWAY_STATUS } from './edge-ports.ts';
import { fromFile } from './envoy-cluster.ts';
import { type Bootstrap, type Cluster, extension, type Listener } from './envoy-types.ts';

/** The memory limit of the gateway's container; Envoy stops accepting before the kernel kills it. */
export const GATEWAY_MEMORY_MIB = 1024;
const HEAP_BYTES = 900 * 1024 * 1024;

/** All chains of a tenant at their limits. Two file descriptors each. */
const GLOBAL_CONNECTIONS = 60_000;

/**
 * What Envoy reads once, at its start. Nothing in it depends on the plan, so no change of a tenant ever restarts a gateway: listeners and
 * clusters come by files.
 */
export const bootstrap = (edge: string): Bootstrap => ({
  ...base(edge),
  dynamic_resources: { lds_config: fromFile('lds.json'), cds_config: fromFile('cds.json') },
  static_resources: { listeners: [statusListener], clusters: [adminCluster] },
});

/** The same process without files behind it. */
export const staticBootstrap = (edge: string, listeners: readonly Listener[], clusters: readonly Cluster[]): Bootstrap => ({
  ...base(edge),
  static_resources: { listeners: [statusListener, ...listeners], clusters: [adminCluster, ...clusters] },
});

const base = (edge: string): Pick<Bootstrap, 'node' | 'admin' | 'overload_manager'> => ({
  node: { id: edge, cluster: 'hcpio-edge' },
  // The admin interface can stop the process and change its log level. It has no port, and of its pages only those that read are left.
  admin: {
    address: { pipe: { path: GATEWAY_ADMIN_SOCKET, mode: 0o600 } },
    allow_paths: ['/ready', '/stats', '/config_dump', '/clusters', '/listeners', '/server_info'].map((prefix) => ({ prefix })),
  },
  overload_manager: {
    refresh_interval: '0.25s',
    resource_monitors: [
      extension('envoy.resource_monitors.fixed_heap', 'envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig', {
        max_heap_size_bytes: HEAP_BYTES,
      }),
      extension(
        'envoy.resource_monitors.global_downstream_max_connections',
        'envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig',
        {
          max_active_downstream_connections: GLOBAL_CONNECTIONS,
        },
      ),
    ],
    actions: [{ name: 'envoy.overload_actions.shrink_heap', triggers: [heapAbove(0.9)] }],
    loadshed_points: [{ name: 'envoy.load_shed_points.tcp_listener_accept', triggers: [heapAbove(0.95)] }],
  },
});

const heapAbove = (value: number) => ({ name: 'envoy.resource_monitors.fixed_heap', threshold: { value } });

const ADMIN = 'admin';

/**
 * /ready and the metrics, on loopback. The pod's address is not known when this is written, and bound to every address the port would be
 * on the segment with the guard as its only lock; so the probes are commands inside the container, and whoever collects metrics does it
 * from inside the pod. An overloaded gateway still answers here, or it would be restarted for being busy.
 */
const statusListener: Listener = {
  name: 'status',
  address: { socket_address: { address: GATEWAY_STATUS.address, port_value: GATEWAY_STATUS.port } },
  ignore_global_conn_limit: true,
  bypass_overload_manager: true,
  filter_chains: [
    {
      name: 'status',
      filters: [
        extension(
          'envoy.filters.network.http_connection_manager',
          'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
          {
            stat_prefix: 'status',
            codec_type: 'HTTP1',
            request_timeout: '5s',
            route_config: {
              name: 'status',
              virtual_hosts: [
                {
                  name: 'status',
                  domains: ['*'],
                  routes: ['/ready', '/stats/prometheus'].map((path) => ({ match: { path }, route: { cluster: ADMIN } })),
                },
              ],
            },
            http_filters: [extension('envoy.filters.http.router', 'envoy.extensions.filters.http.router.v3.Router')],
          },
        ),
      ],
    },
  ],
};

const adminCluster: Cluster = {
  name: ADMIN,
  type: 'STATIC',
  load_assignment: {
    cluster_name: ADMIN,
    endpoints: [{ lb_endpoints: [{ endpoint: { address: { pipe: { path: GATEWAY_ADMIN_SOCKET } } } }] }],
  },
};
