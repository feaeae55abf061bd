import { BUFFER_BYTES, KEEPALIVE } from './envoy-listener.ts';
import type { Cluster, ClusterLoadAssignment, ConfigSource } from './envoy-types.ts';
import { configDir } from './rendered.ts';
import type { EdgePlan, PlannedUpstream } from './tenant-plan.ts';

/** As many as HyperShift's own router allows. The default of 1,024 is reached by 25 to 50 nodes. */
const MAX_CONNECTIONS = 20_000;

/**
 * Where a connection goes. Never by DNS: LOGICAL_DNS dials one address for ever, and the data path must not need the hub's resolver.
 * A ClusterIP is written down; pods and workers come in a file of their own, so that one that comes or goes changes no cluster and
 * closes no connection.
 */
export const cluster = (planned: PlannedUpstream, edge: EdgePlan): Cluster =>
  planned.discovery === 'clusterIP'
    ? { ...common(planned, edge), type: 'STATIC', load_assignment: loadAssignment(planned) }
    : { ...common(planned, edge), type: 'EDS', eds_cluster_config: { eds_config: fromFile(endpointsFile(planned)) } };

/** The same cluster with its endpoints inside, for `envoy --mode validate`, which does not look behind files. */
export const staticCluster = (planned: PlannedUpstream, edge: EdgePlan): Cluster => ({
  ...common(planned, edge),
  type: 'STATIC',
  load_assignment: loadAssignment(planned),
});

/** An upstream whose endpoints are not known yet has none: the listener stays, and a connection to it is closed. */
export const loadAssignment = ({ upstream, endpoints }: PlannedUpstream): ClusterLoadAssignment => ({
  cluster_name: upstream,
  endpoints:
    endpoints.length === 0
      ? []
      : [
          {
            lb_endpoints: endpoints.map(({ address, port }) => ({
              endpoint: { address: { socket_address: { address, port_value: port } } },
            })),
          },
        ],
});

/** Neither a namespace nor a Service may have a dot in its name, so two upstreams never share a file. */
export const endpointsFile = ({ upstream }: PlannedUpstream): string => `eds.${upstream.replaceAll(/[/:]/g, '.')}.json`;

/**
 * Envoy reads a file again when something is moved in the directory above it, which is how a ConfigMap volume changes: kubelet swaps the link
 * `..data`. Only then does it make the links to files that are new, so a file is named through `..data`: a cluster must find its
 * endpoints at the moment of the swap, or Envoy refuses all clusters and does not try again.
 */
export const fromFile = (name: string): ConfigSource => ({
  resource_api_version: 'V3',
  path_config_source: { path: `${configDir('gateway')}/..data/${name}`, watched_directory: { path: configDir('gateway') } },
});

const common = (planned: PlannedUpstream, edge: EdgePlan): Omit<Cluster, 'type'> => ({
  name: planned.upstream,
  lb_policy: 'ROUND_ROBIN', // konnectivity agents redial until they have met every server: never a hash of the source
  connect_timeout: '5s',
  per_connection_buffer_limit_bytes: BUFFER_BYTES,
  circuit_breakers: {
    thresholds: [{ priority: 'DEFAULT', max_connections: MAX_CONNECTIONS, max_pending_requests: MAX_CONNECTIONS, track_remaining: true }],
  },
  upstream_connection_options: { tcp_keepalive: KEEPALIVE },
  health_checks: [
    {
      timeout: '2s',
      interval: '5s',
      // Pods are few and everything depends on them; workers are many, and most gateways carry nothing for their routers.
      no_traffic_interval: planned.discovery === 'workers' ? '30s' : '5s',
      unhealthy_threshold: 2,
      healthy_threshold: 1,
      tcp_health_check: {},
    },
  ],
  ...(planned.discovery === 'clusterIP' ? {} : manyHosts),
  ...(planned.discovery === 'workers' ? fromTheSegment(edge) : {}),
});

/** A ClusterIP is one host that must never be given up; among several the bad ones are left out, but never the last. */
const manyHosts: Pick<Cluster, 'outlier_detection' | 'common_lb_config' | 'ignore_health_on_host_removal'> = {
  outlier_detection: {
    split_external_local_origin_errors: true,
    consecutive_local_origin_failure: 5,
    max_ejection_percent: 50,
    base_ejection_time: '10s',
  },
  common_lb_config: { healthy_panic_threshold: { value: 1 } }, // with none healthy, all are tried
  ignore_health_on_host_removal: true, // the file is the truth: a pod that is not in it any more gets no new connection
};

/**
 * Workers are on the segment, and the edge's own address is what leads there whatever the main routing table says. The VIP would do too,
 * until it moves.
 */
function fromTheSegment({ addresses }: EdgePlan): Pick<Cluster, 'upstream_bind_config'> {
  const [first, ...others] = [addresses.ipv4, addresses.ipv6]
    .filter((address) => address !== undefined)
    .map((address) => ({ address, port_value: 0 }));
  if (first === undefined) return {};
  return {
    upstream_bind_config: {
      source_address: first,
      ...(others.length === 0 ? {} : { extra_source_addresses: others.map((address) => ({ address })) }),
    },
  };
}
