import {
  backLink,
  controlPlaneNamespace,
  FINALIZER,
  type HostedCluster,
  type HostedControlPlane,
  HYPERSHIFT,
  type Manifest,
} from './hosted-cluster.ts';

/** Secrets of the HostedCluster's namespace that HyperShift copies beside the control plane, under names of its own. */
export const PULL_SECRET = 'pull-secret';
export const SSH_KEY = 'ssh-key';

/** First it stands bare; once Cluster API has seen it, it belongs to the Cluster, and the control-plane operator holds it by a finalizer. */
export interface Adoption {
  readonly finalizer: boolean;
  readonly capiCluster?: { readonly name: string; readonly uid: string };
}

export function hostedControlPlane(cluster: HostedCluster, { finalizer, capiCluster }: Adoption): Manifest & HostedControlPlane {
  const { release, pullSecret: _, sshKey: __, ...spec } = cluster.spec;
  return {
    apiVersion: HYPERSHIFT,
    kind: 'HostedControlPlane',
    metadata: {
      name: cluster.metadata.name,
      namespace: controlPlaneNamespace(cluster),
      annotations: {
        ...backLink(cluster),
        'hypershift.openshift.io/disable-aws-node-termination-handler': 'true',
        'hypershift.openshift.io/disable-cluster-autoscaler': 'true',
        'hypershift.openshift.io/management-platform': 'None',
      },
      ...(finalizer ? { finalizers: [FINALIZER] } : {}),
      ...(capiCluster
        ? {
            labels: { 'cluster.x-k8s.io/cluster-name': capiCluster.name },
            ownerReferences: [
              { apiVersion: 'cluster.x-k8s.io/v1beta2', blockOwnerDeletion: true, controller: true, kind: 'Cluster', ...capiCluster },
            ],
          }
        : {}),
    },
    spec: { ...spec, pullSecret: { name: PULL_SECRET }, releaseImage: release.image, sshKey: { name: SSH_KEY } },
  };
}
