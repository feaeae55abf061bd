/** The hub's control plane: etcd, kube-apiserver, kube-controller-manager and kube-scheduler in a namespace of their own. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toolPath } from '../../../tools/paths.ts';
import type { Lab } from '../contract.ts';
import { waitFor } from '../wait.ts';
import { kubeconfigOf, pkiFile } from './pki.ts';

const ETCD = 'http://127.0.0.1:2379';
const ETCD_PEER = 'http://127.0.0.1:2380';

export const ETCD_PART = 'etcd';
export const API_PART = 'kube-apiserver';

/** Returns when the API server says that it is ready. */
export async function startControlPlane(lab: Lab, signal: AbortSignal): Promise<void> {
  const netns = lab.hub.netns;
  const [dataDir, admission] = [join(lab.dir, 'etcd'), join(lab.dir, 'admission.json')];
  await mkdir(dataDir, { mode: 0o700 });
  await writeFile(admission, JSON.stringify(podSecurity()));
  // The API server waits for etcd by itself; the other two would give up.
  await lab.spawn(ETCD_PART, { netns, argv: etcd(dataDir) });
  await lab.spawn(API_PART, { netns, argv: apiServer(lab, admission) });
  const parts = [ETCD_PART, API_PART];
  await waitFor('the hub API', () => lab.kubectl(['get', '--raw', '/readyz'], { signal }), { lab, parts, signal });
  await lab.spawn('kube-controller-manager', { netns, argv: controllerManager(lab) });
  await lab.spawn('kube-scheduler', { netns, argv: scheduler(lab) });
}

function etcd(dataDir: string): readonly [string, ...string[]] {
  return [
    toolPath('etcd'),
    `--data-dir=${dataDir}`,
    `--listen-client-urls=${ETCD}`,
    `--advertise-client-urls=${ETCD}`,
    `--listen-peer-urls=${ETCD_PEER}`,
    `--initial-advertise-peer-urls=${ETCD_PEER}`,
    `--initial-cluster=default=${ETCD_PEER}`,
    '--unsafe-no-fsync', // survives kill -9, not a power cut: the lab does neither
  ];
}

function apiServer(lab: Lab, admission: string): readonly [string, ...string[]] {
  const file = (name: string) => pkiFile(lab, name);
  return [
    toolPath('kube-apiserver'),
    `--etcd-servers=${ETCD}`,
    `--advertise-address=${lab.hub.address}`,
    '--secure-port=6443',
    `--tls-cert-file=${file('apiserver.crt')}`,
    `--tls-private-key-file=${file('apiserver.key')}`,
    `--client-ca-file=${lab.hub.ca.cert}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    `--admission-control-config-file=${admission}`,
    '--allow-privileged=true',
    `--service-cluster-ip-range=${lab.hub.serviceCidr}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${file('service-accounts.pub')}`,
    `--service-account-signing-key-file=${file('service-accounts.key')}`,
    `--kubelet-certificate-authority=${lab.hub.ca.cert}`,
    `--kubelet-client-certificate=${file('apiserver-kubelet-client.crt')}`,
    `--kubelet-client-key=${file('apiserver-kubelet-client.key')}`,
    '--kubelet-preferred-address-types=InternalIP', // nothing resolves the names of nodes
    `--requestheader-client-ca-file=${file('front-proxy-ca.crt')}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-username-headers=X-Remote-User',
    `--proxy-client-cert-file=${file('front-proxy-client.crt')}`,
    `--proxy-client-key-file=${file('front-proxy-client.key')}`,
    '--enable-aggregator-routing=true', // webhooks are dialled at the pod: no kube-proxy serves this namespace
  ];
}

function controllerManager(lab: Lab): readonly [string, ...string[]] {
  return [
    toolPath('kube-controller-manager'),
    ...asUser(lab, 'controller-manager'),
    `--root-ca-file=${lab.hub.ca.cert}`,
    `--cluster-signing-cert-file=${lab.hub.ca.cert}`,
    `--cluster-signing-key-file=${lab.hub.ca.key}`,
    `--service-account-private-key-file=${pkiFile(lab, 'service-accounts.key')}`,
    '--use-service-account-credentials=true',
  ];
}

function scheduler(lab: Lab): readonly [string, ...string[]] {
  return [toolPath('kube-scheduler'), ...asUser(lab, 'scheduler')];
}

function asUser(lab: Lab, user: string): readonly string[] {
  const file = kubeconfigOf(lab, user);
  return [
    `--kubeconfig=${file}`,
    `--authentication-kubeconfig=${file}`,
    `--authorization-kubeconfig=${file}`,
    '--bind-address=127.0.0.1',
    '--leader-elect=false', // there is only one
  ];
}

/** OpenShift's cluster-wide default: everything is admitted, what is not restricted is warned about; namespaces ask for more by label. */
function podSecurity(): unknown {
  const configuration = {
    apiVersion: 'pod-security.admission.config.k8s.io/v1',
    kind: 'PodSecurityConfiguration',
    defaults: { enforce: 'privileged', audit: 'restricted', warn: 'restricted' },
  };
  return {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AdmissionConfiguration',
    plugins: [{ name: 'PodSecurity', configuration }],
  };
}
