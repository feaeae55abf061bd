/**
 * The config that a worker's Ignition merges in: what the machine-config server of a release would render, cut down to what the lab's
 * worker starts. Paths are OpenShift's where OpenShift has such a file.
 */
import { hostPort, type ReadyEndpoints } from '../endpoints.ts';
import type { ClusterSpec } from '../hosted-cluster.ts';
import { ADVERTISE_ADDRESS } from '../pki/catalogue.ts';

export interface PayloadInput {
  readonly cluster: ClusterSpec;
  readonly endpoints: ReadyEndpoints;
  /** JSON, so that the lab's own program can read it without a YAML parser. */
  readonly bootstrapKubeconfig: string;
  /** Whom the kubelet believes when the API server calls. */
  readonly kubeletClientCa: string;
  readonly konnectivity: { readonly ca: string; readonly cert: string; readonly key: string };
}

const CERTS = '/etc/konnectivity';
const HAPROXY_CONFIG = '/etc/kubernetes/apiserver-proxy-config/haproxy.cfg';
const SETUP_ADDRESS = '/usr/local/bin/setup-apiserver-ip.sh';

export function ignitionPayload(input: PayloadInput): string {
  const { cluster, endpoints, konnectivity } = input;
  const file = (path: string, text: string, mode = 0o600) => ({
    path,
    mode,
    overwrite: true,
    contents: { source: `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString('base64')}` },
  });
  const unit = (name: string, ...lines: readonly string[]) => ({
    name: `${name}.service`,
    enabled: true,
    contents: `${['[Service]', ...lines, 'Restart=always', '[Install]', 'WantedBy=multi-user.target'].join('\n')}\n`,
  });
  return JSON.stringify({
    ignition: { version: '3.2.0' },
    storage: {
      files: [
        file('/etc/kubernetes/kubeconfig', input.bootstrapKubeconfig),
        file('/etc/kubernetes/kubelet.conf', JSON.stringify(kubeletConfiguration(cluster), null, 2), 0o644),
        file('/etc/kubernetes/ca.crt', input.kubeletClientCa, 0o644),
        file(`${CERTS}/ca.crt`, konnectivity.ca, 0o644),
        file(`${CERTS}/tls.crt`, konnectivity.cert, 0o644),
        file(`${CERTS}/tls.key`, konnectivity.key),
        file('/etc/cni/net.d/10-lab.conflist', JSON.stringify(podNetwork(cluster), null, 2), 0o644),
        file(HAPROXY_CONFIG, apiProxyConfig(cluster, endpoints), 0o644),
        file(SETUP_ADDRESS, `#!/bin/sh\nip address replace ${advertised(cluster)}/32 scope host dev lo\n`, 0o755),
      ],
    },
    systemd: {
      units: [
        unit('kubelet', `ExecStart=${kubelet().join(' ')}`),
        unit('konnectivity-agent', `ExecStart=${konnectivityAgent(endpoints).join(' ')}`),
        unit('kube-apiserver-proxy', `ExecStartPre=${SETUP_ADDRESS}`, `ExecStart=/usr/sbin/haproxy -db -f ${HAPROXY_CONFIG}`),
      ],
    },
  });
}

function kubelet(): readonly string[] {
  return [
    '/usr/bin/kubelet',
    '--config=/etc/kubernetes/kubelet.conf',
    '--bootstrap-kubeconfig=/etc/kubernetes/kubeconfig',
    '--kubeconfig=/var/lib/kubelet/kubeconfig',
  ];
}

function kubeletConfiguration({ networking }: ClusterSpec) {
  const [service] = networking.serviceNetwork;
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    // The guest has no systemd to ask.
    cgroupDriver: 'cgroupfs',
    staticPodPath: '/etc/kubernetes/manifests',
    rotateCertificates: true,
    serverTLSBootstrap: true,
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: '/etc/kubernetes/ca.crt' } },
    authorization: { mode: 'Webhook' },
    clusterDomain: 'cluster.local',
    clusterDNS: service === undefined ? [] : [service.cidr.replace(/\d+\/\d+$/, '10')],
    nodeStatusUpdateFrequency: '10s',
    failSwapOn: false,
  };
}

function konnectivityAgent({ konnectivity }: ReadyEndpoints): readonly string[] {
  return [
    '/usr/bin/konnectivity-agent',
    '--logtostderr=true',
    `--ca-cert=${CERTS}/ca.crt`,
    `--agent-cert=${CERTS}/tls.crt`,
    `--agent-key=${CERTS}/tls.key`,
    `--proxy-server-host=${konnectivity.host}`,
    `--proxy-server-port=${konnectivity.port}`,
    '--agent-identifiers=default-route=true',
    '--keepalive-time=30s',
    '--probe-interval=5s',
    '--sync-interval=5s',
    '--sync-interval-cap=30s',
    '--health-server-port=2041',
    '--admin-server-port=8093',
  ];
}

/** What guest pods reach the API by. Resolves the name once, when it starts: that is HyperShift's, and why a VIP must not move. */
function apiProxyConfig(cluster: ClusterSpec, { api }: ReadyEndpoints): string {
  if (!/^[\w.:-]+$/.test(api.host)) throw new Error(`not a host: ${JSON.stringify(api.host)}`);
  const port = cluster.networking.apiServer?.port ?? 6443;
  const sections = {
    global: ['maxconn 7000', 'log stdout format raw local0'],
    defaults: ['mode tcp', 'timeout client 10m', 'timeout server 10m', 'timeout connect 10s', 'timeout queue 5s', 'retries 3'],
    'frontend local_apiserver': [`bind ${advertised(cluster)}:${port}`, 'log global', 'option tcplog', 'default_backend remote_apiserver'],
    'backend remote_apiserver': [`server controlplane ${hostPort(api)}`],
  };
  return Object.entries(sections)
    .map(([section, lines]) => [section, ...lines.map((line) => `  ${line}`), ''].join('\n'))
    .join('\n');
}

const advertised = ({ networking }: ClusterSpec) => networking.apiServer?.advertiseAddress ?? ADVERTISE_ADDRESS;

/** Pods of one worker can talk to each other and to it; across workers there is no pod network, where OpenShift has OVN. */
function podNetwork({ networking }: ClusterSpec) {
  const [network] = networking.clusterNetwork;
  const subnet = (network?.cidr ?? '10.132.0.0/14').replace(/\/\d+$/, '/24');
  return {
    cniVersion: '1.0.0',
    name: 'lab',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        ipam: { type: 'host-local', ranges: [[{ subnet }]], routes: [{ dst: '0.0.0.0/0' }] },
      },
    ],
  };
}
