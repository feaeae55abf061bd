/** Components that wait for the guest's API server. */
import type { HostedControlPlane, Manifest } from '../hosted-cluster.ts';
import { hubIdentity } from './identity.ts';
import { deployment } from './pod.ts';

const KUBECONFIG = '/etc/kubernetes/secrets/svc-kubeconfig/kubeconfig';

/** Real: it signs what kubelets ask for, and notices nodes that fall silent. */
export function kubeControllerManager(hcp: HostedControlPlane): Manifest {
  const { networking } = hcp.spec;
  const signer = '/etc/kubernetes/certs/cluster-signer';
  return deployment(hcp, {
    name: 'kube-controller-manager',
    containers: [
      {
        name: 'kube-controller-manager',
        command: [
          '/usr/bin/kube-controller-manager',
          `--kubeconfig=${KUBECONFIG}`,
          `--authentication-kubeconfig=${KUBECONFIG}`,
          `--authorization-kubeconfig=${KUBECONFIG}`,
          '--use-service-account-credentials=true',
          '--leader-elect=false',
          '--allocate-node-cidrs=true',
          `--cluster-cidr=${networking.clusterNetwork.map(({ cidr }) => cidr).join(',')}`,
          `--service-cluster-ip-range=${networking.serviceNetwork.map(({ cidr }) => cidr).join(',')}`,
          `--cluster-signing-cert-file=${signer}/tls.crt`,
          `--cluster-signing-key-file=${signer}/tls.key`,
          '--root-ca-file=/etc/kubernetes/certs/root-ca/ca.crt',
          '--service-account-private-key-file=/etc/kubernetes/certs/service-signer/service-account.key',
          '--tls-cert-file=/etc/kubernetes/certs/server/tls.crt',
          '--tls-private-key-file=/etc/kubernetes/certs/server/tls.key',
        ],
        ports: { client: 10257 },
        readiness: { path: '/healthz', port: 'client', scheme: 'HTTPS' },
        mounts: {
          kubeconfig: '/etc/kubernetes/secrets/svc-kubeconfig',
          'cluster-signer': signer,
          'root-ca': '/etc/kubernetes/certs/root-ca',
          'service-signer': '/etc/kubernetes/certs/service-signer',
          'server-crt': '/etc/kubernetes/certs/server',
        },
      },
    ],
    volumes: {
      kubeconfig: 'secret:kube-controller-manager-kubeconfig',
      'cluster-signer': 'secret:cluster-signer-ca',
      'root-ca': 'configMap:root-ca',
      'service-signer': 'secret:sa-signing-key',
      'server-crt': 'secret:kcm-server',
    },
  });
}

/** A TLS server with the right name that logs nobody in. A stand-in. */
export function oauthOpenshift(hcp: HostedControlPlane): Manifest {
  const dir = '/etc/kubernetes/certs/serving-cert';
  return deployment(hcp, {
    name: 'oauth-openshift',
    containers: [
      {
        name: 'oauth-openshift',
        command: ['/usr/bin/stand-ins', 'oauth-openshift', `--cert-file=${dir}/tls.crt`, `--key-file=${dir}/tls.key`, '--listen=:6443'],
        readiness: { path: '/healthz', port: 6443, scheme: 'HTTPS' },
        mounts: { 'serving-cert': dir },
      },
    ],
    volumes: { 'serving-cert': 'secret:oauth-server-crt' },
    requestServing: true,
  });
}

/** Signs nobody in whose name is not a Machine's: a worker with a wrong hostname stays outside, as on OpenShift. A stand-in. */
export function machineApprover(hcp: HostedControlPlane): readonly Manifest[] {
  return [
    ...hubIdentity(hcp, 'machine-approver', [
      { apiGroups: ['cluster.x-k8s.io'], resources: ['machines'], verbs: ['get', 'list', 'watch'] },
    ]),
    deployment(hcp, {
      name: 'machine-approver',
      containers: [
        {
          name: 'machine-approver',
          command: ['/usr/bin/stand-ins', 'machine-approver', '--server=https://kube-apiserver:6443'],
          mounts: { 'system-admin-client': '/etc/guest/client', 'root-ca': '/etc/guest/ca' },
        },
      ],
      volumes: { 'system-admin-client': 'secret:system-admin-client', 'root-ca': 'configMap:root-ca' },
      hubAccess: true,
      serviceAccount: true,
    }),
  ];
}
