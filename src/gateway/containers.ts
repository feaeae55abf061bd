import type {
  EnvVar,
  Container as PodContainer,
  Probe,
  ResourceRequirements,
  SecurityContext,
  VolumeMount,
} from 'kubernetes-types/core/v1.d.ts';
import { addressesOf } from './attachments.ts';
import { DNS_STATUS } from './coredns.ts';
import { GATEWAY_ADMIN_SOCKET, GATEWAY_STATUS, GUARD_REPORT_PORT, PEER_PORT } from './edge-ports.ts';
import { GATEWAY_MEMORY_MIB } from './envoy-bootstrap.ts';
import { VIP_RUN_DIR } from './keepalived.ts';
import { peerServiceOf } from './labels.ts';
import { type Container, configDir } from './rendered.ts';
import { segmentMac } from './segment-mac.ts';
import type { EdgePlan, Station, TenantPlan } from './tenant-plan.ts';

/** Everybody in an edge, in the image and in the constraints of OpenShift. */
export const EDGE_USER = 65_532;

/** Where the image keeps its entry points; see deploy/edge. */
const LIBEXEC = '/usr/libexec/hcpio';

const GATEWAY_STATUS_ADDRESS = `${GATEWAY_STATUS.address}:${GATEWAY_STATUS.port}`;

/** Writable places. Each belongs to one container, and to the guard where something has to be made in it first. */
export const RUN_DIRS = { dhcp: '/run/kea', gateway: '/run/envoy', vip: VIP_RUN_DIR } as const;
export const LEASES_DIR = '/var/lib/kea';
/** What the hub says of the pod itself. */
export const POD_DIR = '/etc/hcpio/pod';

export interface ContainerContext {
  readonly plan: TenantPlan;
  readonly edge: EdgePlan;
  readonly image: string;
  /** A node resource that stands for the segment; one container has to ask for it. */
  readonly resource?: string | undefined;
}

/**
 * Runs to its end before anything listens: the allow-list on net1, a look whether somebody else has the edge's addresses, the link to the
 * peer. The peer's ClusterIP comes as an environment variable that kubelet itself makes from the Service, so a pod starts without
 * the operator, the API and DNS. A variable that kubelet does not know yet stays as it is written, `$(...)` and all: the guard then gives
 * up, and finds it at the next try.
 */
export const guard = ({ plan, edge, image }: Omit<ContainerContext, 'edge'> & { readonly edge: Station | EdgePlan }): PodContainer => ({
  ...common('guard', image),
  command: [...withCapabilities('net-admin', ['net_admin', 'net_raw']), `${LIBEXEC}/guard`],
  env: [...segmentEnv(plan, edge), ...('peer' in edge ? peerEnv(plan, edge) : [])],
  securityContext: confined('NET_ADMIN', 'NET_RAW'),
  resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
  volumeMounts: [
    config('guard'),
    ...(plan.dhcp.serve === 'Nobody' || edge.name === 'prober' ? [] : [{ name: 'run-dhcp', mountPath: RUN_DIRS.dhcp }]),
  ],
});

/** The containers that stay, in the order in which they start. */
export const edgeContainers = (context: ContainerContext): PodContainer[] => [
  ...(context.plan.dhcp.serve === 'Nobody' ? [] : [dhcp(context)]),
  dns(context),
  gateway(context),
  vip(context),
];

const dhcp = ({ image }: ContainerContext): PodContainer => ({
  ...common('dhcp', image),
  command: [...withCapabilities('net-raw', ['net_raw']), `${LIBEXEC}/dhcp`],
  env: [
    { name: 'KEA_DHCP_DATA_DIR', value: LEASES_DIR },
    { name: 'KEA_PIDFILE_DIR', value: RUN_DIRS.dhcp },
    { name: 'KEA_LOCKFILE_DIR', value: RUN_DIRS.dhcp },
    { name: 'KEA_CONTROL_SOCKET_DIR', value: `${RUN_DIRS.dhcp}/ctl` },
  ],
  // Raw sockets are how clients without an address are served; port 67 needs nothing, see the pod's sysctls.
  securityContext: confined('NET_RAW'),
  resources: { requests: { cpu: '20m', memory: '64Mi' }, limits: { memory: '256Mi' } },
  volumeMounts: [config('dhcp'), { name: 'run-dhcp', mountPath: RUN_DIRS.dhcp }, { name: 'leases', mountPath: LEASES_DIR }],
  // Kea stays up and serves nothing when a socket does not open, so it is asked, not looked for.
  ...probes([`${LIBEXEC}/dhcp-ready`], [`${LIBEXEC}/dhcp-alive`]),
  ...patient([`${LIBEXEC}/dhcp-alive`]),
});

const dns = ({ image }: ContainerContext): PodContainer => ({
  ...common('dns', image),
  command: ['/usr/bin/coredns', '-conf', `${configDir('dns')}/Corefile`],
  securityContext: confined(),
  resources: { requests: { cpu: '20m', memory: '48Mi' }, limits: { memory: '192Mi' } },
  volumeMounts: [config('dns')],
  ...probes([`${LIBEXEC}/dns-ready`, configDir('dns'), DNS_STATUS.ready], ask(DNS_STATUS.health, '/health')),
  ...patient(ask(DNS_STATUS.health, '/health')),
});

const gateway = ({ image, resource }: ContainerContext): PodContainer => ({
  ...common('gateway', image),
  // Two threads carry more than a segment can send; by default there would be one per core of the node, each with its own memory.
  command: [
    '/usr/bin/envoy',
    '--config-path',
    `${configDir('gateway')}/bootstrap.json`,
    '--concurrency',
    '2',
    '--disable-hot-restart',
    '--log-level',
    'warning',
  ],
  securityContext: confined(),
  resources: withResource({ requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: `${GATEWAY_MEMORY_MIB}Mi` } }, resource),
  volumeMounts: [config('gateway'), { name: 'run-gateway', mountPath: RUN_DIRS.gateway }],
  // Ready when listeners and clusters were read, not when the process runs.
  ...probes([`${LIBEXEC}/gateway-ready`, configDir('gateway'), GATEWAY_ADMIN_SOCKET], ask(GATEWAY_STATUS_ADDRESS, '/ready')),
  ...patient(ask(GATEWAY_STATUS_ADDRESS, '/ready')),
  // The VIP leaves first: a stopping pod stops all containers at once.
  lifecycle: { preStop: { exec: { command: ['sleep', '1'] } } },
});

const vip = ({ plan, edge, image }: ContainerContext): PodContainer => ({
  ...common('vip', image),
  command: [...withCapabilities('net-admin', ['net_admin', 'net_raw']), `${LIBEXEC}/vip`],
  env: [
    ...segmentEnv(plan, edge),
    ...peerEnv(plan, edge),
    { name: 'GATEWAY_STATUS', value: GATEWAY_STATUS_ADDRESS },
    { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: 'GUARD_REPORT', value: `[$(POD_IP)]:${GUARD_REPORT_PORT}` },
  ],
  securityContext: confined('NET_ADMIN', 'NET_RAW'),
  resources: { requests: { cpu: '20m', memory: '24Mi' }, limits: { memory: '96Mi' } },
  // The guard's rules as well: a port that is published later is opened here, without a restart.
  volumeMounts: [
    config('vip'),
    config('guard'),
    { name: 'pod', mountPath: POD_DIR, readOnly: true },
    { name: 'run-vip', mountPath: RUN_DIRS.vip },
  ],
  // Its first process ends when keepalived does, so nobody has to ask whether it is alive.
  ...probes([`${LIBEXEC}/vip-ready`], ['test', '-e', `${VIP_RUN_DIR}/keepalived.pid`]),
});

export const common = (
  name: Container | 'prober',
  image: string,
): Pick<PodContainer, 'name' | 'image' | 'imagePullPolicy' | 'terminationMessagePolicy'> & { name: string } => ({
  name,
  image,
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePolicy: 'FallbackToLogsOnError',
});

export const confined = (...add: string[]): SecurityContext => ({
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'], ...(add.length === 0 ? {} : { add }) },
});

/**
 * Capabilities for a script. A user other than root keeps them only over the first exec, and only into a file that has them written on it;
 * a shell has none, so what it starts would have none either. The image therefore carries copies of setpriv with exactly these file
 * capabilities, which pass them on as ambient ones.
 */
const withCapabilities = (launcher: string, capabilities: readonly string[]): string[] => {
  const list = capabilities.map((capability) => `+${capability}`).join(',');
  return [`${LIBEXEC}/with-${launcher}`, `--inh-caps=${list}`, `--ambient-caps=${list}`, '--'];
};

const segmentEnv = (plan: TenantPlan, edge: Station): EnvVar[] => [
  { name: 'SEGMENT_ADDRESSES', value: words(addressesOf(plan, edge).map(({ address }) => address)) },
  { name: 'SEGMENT_VIPS', value: words([plan.addresses.ipv4?.vip, plan.addresses.ipv6?.vip].filter((address) => address !== undefined)) },
];

const peerEnv = (plan: TenantPlan, { peer }: EdgePlan): EnvVar[] => [
  { name: 'PEER_REMOTE', value: `$(${peerServiceOf(peer).toUpperCase().replaceAll('-', '_')}_SERVICE_HOST)` },
  { name: 'PEER_PORT', value: String(PEER_PORT) },
  { name: 'PEER_ADDRESS', value: peer.address },
  { name: 'PEER_MAC', value: peer.mac },
  { name: 'PEER_OTHER_ADDRESS', value: peer.peerAddress },
  { name: 'PEER_OTHER_MAC', value: peer.peerMac },
  { name: 'PEER_SEGMENT_MAC', value: segmentMac(plan, peer) },
];

const words = (list: readonly string[]): string => list.join(' ');

export const config = (container: Container): VolumeMount => ({
  name: `config-${container}`,
  mountPath: configDir(container),
  readOnly: true,
});

/**
 * Ready: the daemon works and has taken what is mounted; otherwise the output says which file it refused. Alive: it answers at all.
 *
 * Each look starts a process in the container, which costs a node more than what is looked at. So often only while a container starts;
 * then it is enough to notice what nothing else does. The VIP does not wait for it: the gateway is watched from inside the pod.
 * Eight seconds, because on a node that is short of CPU starting the process alone can take three: a pod that serves must not look ill for
 * that. Two failures in a row, because a daemon that is reading its news may still show the old for a moment.
 */
const probes = (ready: readonly string[], alive: readonly string[]): Pick<PodContainer, 'startupProbe' | 'readinessProbe'> => ({
  startupProbe: { ...probe(alive), periodSeconds: 2, failureThreshold: 60 },
  readinessProbe: { ...probe(ready), periodSeconds: 10, failureThreshold: 2 },
});

/** A daemon that is merely busy, or waits for its peer, is better than one that starts again. */
const patient = (alive: readonly string[]): Pick<PodContainer, 'livenessProbe'> => ({
  livenessProbe: { ...probe(alive), periodSeconds: 30, failureThreshold: 3 },
});

const ask = (address: string, path: string): readonly string[] => [`${LIBEXEC}/ask`, 'http', address, path];

const probe = (command: readonly string[]): Probe => ({ exec: { command: [...command] }, timeoutSeconds: 8 });

export const withResource = (resources: ResourceRequirements, resource: string | undefined): ResourceRequirements =>
  resource === undefined
    ? resources
    : { requests: { ...resources.requests, [resource]: '1' }, limits: { ...resources.limits, [resource]: '1' } };
