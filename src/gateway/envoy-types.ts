/**
 * The part of Envoy's v3 API that we write, under its own names. No maintained package has these types, and Envoy refuses unknown fields,
 * so what is missing here cannot be written by accident and what is wrong here is found by `envoy --mode validate`.
 */
export interface Typed<Name extends string> {
  readonly '@type': `type.googleapis.com/${Name}`;
  readonly [field: string]: unknown;
}

export interface Extension<Name extends string = string> {
  readonly name: string;
  readonly typed_config: Typed<Name>;
}

export const extension = <Name extends string>(
  name: string,
  type: Name,
  config: Readonly<Record<string, unknown>> = {},
): Extension<Name> => ({
  name,
  typed_config: { '@type': `type.googleapis.com/${type}`, ...config },
});

export type EnvoyAddress =
  | { readonly socket_address: SocketAddress }
  | { readonly pipe: { readonly path: string; readonly mode?: number } };

export interface SocketAddress {
  readonly address: string;
  readonly port_value: number;
}

export interface TcpKeepalive {
  readonly keepalive_time: number;
  readonly keepalive_interval: number;
  readonly keepalive_probes: number;
}

export interface FilterChain {
  readonly name: string;
  readonly filter_chain_match?: { readonly server_names: readonly string[]; readonly transport_protocol: 'tls' };
  readonly filters: readonly Extension[];
}

export interface Listener {
  readonly name: string;
  readonly address: EnvoyAddress;
  readonly freebind?: boolean;
  readonly traffic_direction?: 'INBOUND';
  readonly ignore_global_conn_limit?: boolean;
  readonly bypass_overload_manager?: boolean;
  readonly per_connection_buffer_limit_bytes?: number;
  readonly max_connections_to_accept_per_socket_event?: number;
  readonly tcp_keepalive?: TcpKeepalive;
  readonly listener_filters?: readonly Extension[];
  readonly listener_filters_timeout?: string;
  readonly continue_on_listener_filters_timeout?: boolean;
  readonly access_log?: readonly AccessLog[];
  readonly filter_chains: readonly FilterChain[];
  readonly default_filter_chain?: FilterChain;
}

export interface AccessLog extends Extension {
  readonly filter?: { readonly response_flag_filter: { readonly flags: readonly string[] } };
}

export interface LbEndpoint {
  readonly endpoint: { readonly address: EnvoyAddress };
}

export interface ClusterLoadAssignment {
  readonly cluster_name: string;
  readonly endpoints: readonly { readonly lb_endpoints: readonly LbEndpoint[] }[];
}

export interface ConfigSource {
  readonly resource_api_version: 'V3';
  readonly path_config_source: { readonly path: string; readonly watched_directory: { readonly path: string } };
}

export interface Cluster {
  readonly name: string;
  readonly type: 'STATIC' | 'EDS';
  readonly eds_cluster_config?: { readonly eds_config: ConfigSource };
  readonly load_assignment?: ClusterLoadAssignment;
  readonly lb_policy?: 'ROUND_ROBIN';
  readonly connect_timeout?: string;
  readonly per_connection_buffer_limit_bytes?: number;
  readonly circuit_breakers?: {
    readonly thresholds: readonly {
      readonly priority: 'DEFAULT';
      readonly max_connections: number;
      readonly max_pending_requests: number;
      readonly track_remaining: boolean;
    }[];
  };
  readonly upstream_connection_options?: { readonly tcp_keepalive: TcpKeepalive };
  readonly upstream_bind_config?: {
    readonly source_address: SocketAddress;
    readonly extra_source_addresses?: readonly { readonly address: SocketAddress }[];
  };
  readonly health_checks?: readonly {
    readonly timeout: string;
    readonly interval: string;
    readonly no_traffic_interval: string;
    readonly unhealthy_threshold: number;
    readonly healthy_threshold: number;
    readonly tcp_health_check: Readonly<Record<string, never>>;
  }[];
  readonly outlier_detection?: {
    readonly split_external_local_origin_errors: boolean;
    readonly consecutive_local_origin_failure: number;
    readonly max_ejection_percent: number;
    readonly base_ejection_time: string;
  };
  readonly common_lb_config?: { readonly healthy_panic_threshold: { readonly value: number } };
  readonly ignore_health_on_host_removal?: boolean;
}

export interface Bootstrap {
  readonly node: { readonly id: string; readonly cluster: string };
  readonly admin: { readonly address: EnvoyAddress; readonly allow_paths: readonly { readonly prefix: string }[] };
  readonly overload_manager: Readonly<Record<string, unknown>>;
  readonly dynamic_resources?: { readonly lds_config: ConfigSource; readonly cds_config: ConfigSource };
  readonly static_resources: { readonly listeners: readonly Listener[]; readonly clusters: readonly Cluster[] };
}
