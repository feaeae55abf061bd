import { stringify } from 'yaml';
import type { HostedControlPlane, Manifest } from '../hosted-cluster.ts';
import { ADVERTISE_ADDRESS } from '../pki/catalogue.ts';
import { configMap } from '../pki/secrets.ts';
import { bootstrapManifests } from './guest-rbac.ts';
import { type Container, deployment } from './pod.ts';

const CERTS = '/etc/kubernetes/certs';
const BOOTSTRAP = 'kas-bootstrap-manifests';

/** The guest's API server with its konnectivity server beside it in one pod, and the container that gives the guest its first roles. */
export function kubeApiserver(hcp: HostedControlPlane): readonly Manifest[] {
  return [
    configMap(hcp, 'kas-egress-selector-config', { 'config.yaml': stringify(egressSelector()) }),
    configMap(hcp, BOOTSTRAP, { 'manifests.json': JSON.stringify(bootstrapManifests()) }),
    deployment(hcp, {
      name: 'kube-apiserver',
      containers: [apiserver(hcp), bootstrap(), konnectivityServer()],
      volumes: VOLUMES,
      requestServing: true,
    }),
  ];
}

const VOLUMES = {
  'server-crt': 'secret:kas-server-crt',
  'server-private-crt': 'secret:kas-server-private-crt',
  'client-ca': 'configMap:client-ca',
  'kubelet-client-crt': 'secret:kas-kubelet-client-crt',
  'aggregator-ca': 'configMap:aggregator-client-ca',
  'aggregator-crt': 'secret:kas-aggregator-crt',
  'etcd-ca': 'configMap:etcd-ca',
  'etcd-client-crt': 'secret:etcd-client-tls',
  'svcacct-key': 'secret:sa-signing-key',
  'egress-selector-config': 'configMap:kas-egress-selector-config',
  'konnectivity-ca': 'configMap:konnectivity-ca-bundle',
  'konnectivity-client': 'secret:konnectivity-client',
  'cluster-certs': 'secret:konnectivity-cluster',
  'server-certs': 'secret:konnectivity-server',
  'bootstrap-manifests': `configMap:${BOOTSTRAP}`,
  'system-admin-client': 'secret:system-admin-client',
  'root-ca': 'configMap:root-ca',
} as const;

function apiserver({ spec }: HostedControlPlane): Container {
  const { networking } = spec;
  const pair = (flags: readonly [string, string], dir: string, cert = 'tls.crt', key = 'tls.key') => [
    `--${flags[0]}=${CERTS}/${dir}/${cert}`,
    `--${flags[1]}=${CERTS}/${dir}/${key}`,
  ];
  const keys = '/etc/kubernetes/secrets/svcacct-key';
  return {
    name: 'kube-apiserver',
    command: [
      '/usr/bin/kube-apiserver',
      // What guests find behind the Service kubernetes.default: an address on each node's loopback, never ours.
      `--advertise-address=${networking.apiServer?.advertiseAddress ?? ADVERTISE_ADDRESS}`,
      '--secure-port=6443',
      '--allow-privileged=true',
      '--authorization-mode=Node,RBAC',
      '--enable-admission-plugins=NodeRestriction',
      `--client-ca-file=${CERTS}/client-ca/ca.crt`,
      ...pair(['tls-cert-file', 'tls-private-key-file'], 'server'),
      `--tls-sni-cert-key=${CERTS}/server-private/tls.crt,${CERTS}/server-private/tls.key`,
      '--etcd-servers=https://etcd-client:2379',
      `--etcd-cafile=${CERTS}/etcd-ca/ca.crt`,
      ...pair(['etcd-certfile', 'etcd-keyfile'], 'etcd', 'etcd-client.crt', 'etcd-client.key'),
      `--kubelet-certificate-authority=${CERTS}/client-ca/ca.crt`,
      ...pair(['kubelet-client-certificate', 'kubelet-client-key'], 'kubelet'),
      '--kubelet-preferred-address-types=InternalIP',
      `--requestheader-client-ca-file=${CERTS}/aggregator-ca/ca.crt`,
      '--requestheader-allowed-names=system:openshift-aggregator',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-username-headers=X-Remote-User',
      ...pair(['proxy-client-cert-file', 'proxy-client-key-file'], 'aggregator'),
      '--egress-selector-config-file=/etc/kubernetes/egress-selector/config.yaml',
      `--service-cluster-ip-range=${networking.serviceNetwork.map(({ cidr }) => cidr).join(',')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${keys}/service-account.pub`,
      `--service-account-signing-key-file=${keys}/service-account.key`,
    ],
    ports: { client: 6443 },
    readiness: { path: '/readyz', port: 'client', scheme: 'HTTPS' },
    mounts: {
      'server-crt': `${CERTS}/server`,
      'server-private-crt': `${CERTS}/server-private`,
      'client-ca': `${CERTS}/client-ca`,
      'kubelet-client-crt': `${CERTS}/kubelet`,
      'aggregator-ca': `${CERTS}/aggregator-ca`,
      'aggregator-crt': `${CERTS}/aggregator`,
      'etcd-ca': `${CERTS}/etcd-ca`,
      'etcd-client-crt': `${CERTS}/etcd`,
      'konnectivity-ca': `${CERTS}/konnectivity-ca`,
      'konnectivity-client': `${CERTS}/konnectivity-client`,
      'egress-selector-config': '/etc/kubernetes/egress-selector',
      'svcacct-key': keys,
    },
  };
}

/** To kubelets and pods of the guest only through konnectivity: no control plane has a route to a segment. */
function egressSelector() {
  const direct = (name: string) => ({ name, connection: { proxyProtocol: 'Direct' } });
  const tlsConfig = {
    caBundle: `${CERTS}/konnectivity-ca/ca.crt`,
    clientCert: `${CERTS}/konnectivity-client/tls.crt`,
    clientKey: `${CERTS}/konnectivity-client/tls.key`,
  };
  const proxied = { proxyProtocol: 'HTTPConnect', transport: { tcp: { url: 'https://konnectivity-server-local:8090', tlsConfig } } };
  return {
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections: [direct('controlplane'), direct('etcd'), { name: 'cluster', connection: proxied }],
  };
}

function konnectivityServer(): Container {
  return {
    name: 'konnectivity-server',
    command: [
      '/usr/bin/konnectivity-server',
      '--logtostderr=true',
      '--cluster-cert=/etc/konnectivity/cluster/tls.crt',
      '--cluster-key=/etc/konnectivity/cluster/tls.key',
      '--cluster-ca-cert=/etc/konnectivity/ca/ca.crt',
      '--server-cert=/etc/konnectivity/server/tls.crt',
      '--server-key=/etc/konnectivity/server/tls.key',
      '--server-ca-cert=/etc/konnectivity/ca/ca.crt',
      '--server-port=8090',
      '--agent-port=8091',
      '--health-port=2041',
      '--admin-port=8093',
      '--mode=http-connect',
      '--proxy-strategies=destHost,defaultRoute',
      '--keepalive-time=30s',
      '--frontend-keepalive-time=30s',
    ],
    readiness: { path: '/healthz', port: 2041, scheme: 'HTTP' },
    mounts: {
      'cluster-certs': '/etc/konnectivity/cluster',
      'server-certs': '/etc/konnectivity/server',
      'konnectivity-ca': '/etc/konnectivity/ca',
    },
  };
}

function bootstrap(): Container {
  return {
    name: 'bootstrap',
    command: ['/usr/bin/stand-ins', 'kas-bootstrap', '--server=https://localhost:6443', '--manifests=/work/manifests.json'],
    mounts: { 'bootstrap-manifests': '/work', 'system-admin-client': '/etc/guest/client', 'root-ca': '/etc/guest/ca' },
  };
}
