import type { HostedControlPlane, Manifest } from '../hosted-cluster.ts';
import { metadata, podTemplate } from './pod.ts';

const TLS = '/etc/etcd/tls';

/** One real member with its own volume. HyperShift adds two sidecars (metrics, health) that nothing in the lab asks. */
export function etcd(hcp: HostedControlPlane): Manifest {
  const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  const value = (name: string, text: string) => ({ name, value: text });
  const own = 'https://$(HOSTNAME).etcd-discovery.$(NAMESPACE).svc';
  const template = podTemplate(hcp, {
    name: 'etcd',
    containers: [
      {
        name: 'etcd',
        command: ['/usr/bin/etcd'],
        ports: { client: 2379, peer: 2380, metrics: 2381 },
        env: [
          field('POD_IP', 'status.podIP'),
          field('NAMESPACE', 'metadata.namespace'),
          field('HOSTNAME', 'metadata.name'),
          value('ETCD_NAME', '$(HOSTNAME)'),
          value('ETCD_DATA_DIR', '/var/lib/data'),
          value('ETCD_INITIAL_ADVERTISE_PEER_URLS', `${own}:2380`),
          value('ETCD_INITIAL_CLUSTER', `$(HOSTNAME)=${own}:2380`),
          value('ETCD_LISTEN_PEER_URLS', 'https://$(POD_IP):2380'),
          value('ETCD_LISTEN_CLIENT_URLS', 'https://$(POD_IP):2379,https://localhost:2379'),
          value('ETCD_ADVERTISE_CLIENT_URLS', `${own}:2379`),
          value('ETCD_LISTEN_METRICS_URLS', 'http://$(POD_IP):2381'),
          value('ETCD_PEER_CLIENT_CERT_AUTH', 'true'),
          value('ETCD_PEER_CERT_FILE', `${TLS}/peer/peer.crt`),
          value('ETCD_PEER_KEY_FILE', `${TLS}/peer/peer.key`),
          value('ETCD_PEER_TRUSTED_CA_FILE', `${TLS}/etcd-ca/ca.crt`),
          value('ETCD_CLIENT_CERT_AUTH', 'true'),
          value('ETCD_CERT_FILE', `${TLS}/server/server.crt`),
          value('ETCD_KEY_FILE', `${TLS}/server/server.key`),
          value('ETCD_TRUSTED_CA_FILE', `${TLS}/etcd-ca/ca.crt`),
          // A lab's data need not outlive the machine, and its disk has other things to do.
          value('ETCD_UNSAFE_NO_FSYNC', 'true'),
        ],
        readiness: { path: '/health', port: 'metrics', scheme: 'HTTP' },
        mounts: { data: '/var/lib', 'peer-tls': `${TLS}/peer`, 'server-tls': `${TLS}/server`, 'etcd-ca': `${TLS}/etcd-ca` },
      },
    ],
    volumes: { 'peer-tls': 'secret:etcd-peer-tls', 'server-tls': 'secret:etcd-server-tls', 'etcd-ca': 'configMap:etcd-ca' },
    hubAccess: true,
  });
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { ...metadata(hcp, 'etcd'), labels: { 'hypershift.openshift.io/managed-by': 'control-plane-operator' } },
    spec: {
      replicas: 1,
      podManagementPolicy: 'Parallel',
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      selector: { matchLabels: { app: 'etcd' } },
      serviceName: 'etcd-discovery',
      template,
      volumeClaimTemplates: [
        { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: volumeSize(hcp) } } } },
      ],
    },
  };
}

function volumeSize({ spec }: HostedControlPlane): string {
  const { managed } = spec['etcd'] as {
    readonly managed?: { readonly storage?: { readonly persistentVolume?: { readonly size?: string } } };
  };
  return managed?.storage?.persistentVolume?.size ?? '8Gi';
}
