/**
 * Ports inside an edge pod that nobody on the segment may see. They are bound to loopback or to the link between the edges, and the
 * guard drops them on net1 as well: two locks, because a port bound to the pod's own address still answers on the segment (Linux' weak
 * host model).
 */

/** VXLAN between the two edges. Not 4789, which the hub's own overlay may use on the node. */
export const PEER_PORT = 4790;

/** Envoy's /ready and /stats/prometheus, for the probes and for what watches the gateway from a neighbouring container. */
export const GATEWAY_STATUS = { address: '127.0.0.1', port: 9902 } as const;

/** Only what reads; see `envoy-bootstrap.ts`. */
export const GATEWAY_ADMIN_SOCKET = '/run/envoy/admin.sock';

/** Where the prober hands out its report, on the pod network. */
export const PROBER_PORT = 8068;

/** Where an edge says what its guard has noticed, on the pod network. */
export const GUARD_REPORT_PORT = 8069;

/** The routing table of the edge's own address, so that its answers leave by the way they came. The VIP has one of its own (`segment-routes.ts`). */
export const SEGMENT_TABLE = 100;
