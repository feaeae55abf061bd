import { controlPlaneNamespace, HOSTED_CONTROL_PLANE_LABEL, type HostedCluster, type Manifest } from './hosted-cluster.ts';

/** Since its control-plane operator runs restricted, HyperShift holds the whole namespace to that; an annotation can undo it. */
const PSA_OVERRIDE = 'hypershift.openshift.io/pod-security-admission-label-override';

export function namespace(cluster: HostedCluster): Manifest {
  const level = cluster.metadata.annotations?.[PSA_OVERRIDE] ?? 'restricted';
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: controlPlaneNamespace(cluster),
      labels: {
        [HOSTED_CONTROL_PLANE_LABEL]: 'true',
        'hypershift.openshift.io/monitoring': 'true',
        'pod-security.kubernetes.io/audit': level,
        'pod-security.kubernetes.io/enforce': level,
        'pod-security.kubernetes.io/warn': level,
        'security.openshift.io/scc.podSecurityLabelSync': 'false',
      },
    },
  };
}
