import { createHash } from 'node:crypto';
import type { StatefulSetSpec } from 'kubernetes-types/apps/v1.d.ts';
import type { PodSpec, PodTemplateSpec, Toleration, Volume } from 'kubernetes-types/core/v1.d.ts';
import { networks } from './attachments.ts';
import { configMapName } from './config-maps.ts';
import { EDGE_USER, edgeContainers, guard, RUN_DIRS } from './containers.ts';
import { EDGE_SELECTOR, edgeLabels, edgeSelector, peerServiceOf, tenantLabels, YIELD } from './labels.ts';
import { SERVICE_ACCOUNT } from './namespace.ts';
import type { Container, EdgeFiles, KubeObject } from './rendered.ts';
import { SCC } from './scc.ts';
import type { EdgePlan, TenantPlan } from './tenant-plan.ts';

export interface WorkloadOptions {
  readonly image: string;
  readonly platform: 'openshift' | 'kubernetes';
  /** Of the HostedCluster. Nodes that it names must have the segment; `resource` sees to that where the VMs' attachment has one. */
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly tolerations?: readonly Toleration[] | undefined;
  /** `hypershift-control-plane` on a hub that has it. */
  readonly priorityClassName?: string | undefined;
  readonly imagePullSecrets?: readonly string[] | undefined;
  /** For the leases; the hub's default when absent. */
  readonly storageClassName?: string | undefined;
}

/**
 * One edge: a StatefulSet with one replica, because it never runs two pods of one name, so never two with one address. It is updated by
 * deleting its pod: two sets that rolled by themselves would roll at the same time. Standby first, then move the VIP, then the other; that
 * order is the operator's.
 */
export const edgeWorkload = (
  plan: TenantPlan,
  edge: EdgePlan,
  files: EdgeFiles,
  resource: string | undefined,
  options: WorkloadOptions,
): KubeObject => {
  const spec: StatefulSetSpec = {
    replicas: 1,
    serviceName: peerServiceOf(edge),
    podManagementPolicy: 'Parallel', // OrderedReady would wait for a broken pod for ever, and keep its repair away from it
    updateStrategy: { type: 'OnDelete' },
    selector: { matchLabels: edgeSelector(edge) },
    template: podTemplate(plan, edge, files, resource, options),
    ...(plan.dhcp.serve === 'Nobody' ? {} : leases(options)),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: edge.name, namespace: plan.edgeNamespace, labels: edgeLabels(plan, edge) },
    spec,
  };
};

/** Never both at once. A single edge has none: it could only block every drain of its node. */
export const disruptionBudget = (plan: TenantPlan): readonly KubeObject[] =>
  plan.edges.length < 2
    ? []
    : [
        {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { name: 'edge', namespace: plan.edgeNamespace, labels: tenantLabels(plan) },
          spec: { minAvailable: 1, selector: { matchLabels: EDGE_SELECTOR }, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
        },
      ];

/**
 * The second line of defence for leases, behind the peer: on the loss of a node a volume of this kind stays where it is for minutes. It is
 * kept when a StatefulSet goes, and goes with the namespace.
 */
const leases = ({
  storageClassName,
}: WorkloadOptions): Pick<StatefulSetSpec, 'volumeClaimTemplates' | 'persistentVolumeClaimRetentionPolicy'> => ({
  volumeClaimTemplates: [
    {
      metadata: { name: 'leases' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        ...(storageClassName === undefined ? {} : { storageClassName }),
      },
    },
  ],
  persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
});

function podTemplate(
  plan: TenantPlan,
  edge: EdgePlan,
  files: EdgeFiles,
  resource: string | undefined,
  options: WorkloadOptions,
): PodTemplateSpec {
  return {
    metadata: {
      labels: { ...edgeLabels(plan, edge) },
      annotations: {
        'k8s.v1.cni.cncf.io/networks': networks(plan, edge),
        'kubectl.kubernetes.io/default-container': 'gateway',
        // Read at the start of a pod and never again; all other files are read again by themselves.
        'hcpio.io/start-configuration': hash(
          files.files.find((file) => file.container === 'gateway' && file.name === 'bootstrap.json')?.content ?? '',
        ),
        ...(options.platform === 'openshift' ? { 'openshift.io/required-scc': SCC } : {}),
      },
    },
    spec: podSpec(plan, edge, files, resource, options),
  };
}

const podSpec = (plan: TenantPlan, edge: EdgePlan, files: EdgeFiles, resource: string | undefined, options: WorkloadOptions): PodSpec => ({
  serviceAccountName: SERVICE_ACCOUNT,
  automountServiceAccountToken: false,
  enableServiceLinks: true, // the only source of the peer's ClusterIP; see `guard`
  // Nobody in an edge resolves a name. With the hub's resolver a tenant's question could end up there.
  dnsPolicy: 'None',
  dnsConfig: { nameservers: ['127.0.0.1'] },
  terminationGracePeriodSeconds: 15,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: EDGE_USER,
    runAsGroup: EDGE_USER,
    fsGroup: EDGE_USER,
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
    sysctls: [
      { name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }, // 53, 67, 80, 443 without a capability
      { name: 'net.ipv4.ip_local_port_range', value: '1024 65535' }, // a source port per connection and upstream; the default is gone at 900 nodes
      { name: 'net.ipv4.tcp_syncookies', value: '1' },
    ],
  },
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: EDGE_SELECTOR } },
      ],
    },
  },
  ...placement(plan, options),
  initContainers: [guard({ plan, edge, image: options.image })],
  containers: edgeContainers({ plan, edge, image: options.image, resource }),
  volumes: volumes(plan, files),
});

/** Where the pods of a tenant may run, and how important they are. */
export const placement = (
  plan: TenantPlan,
  options: WorkloadOptions,
): Pick<PodSpec, 'tolerations' | 'nodeSelector' | 'priorityClassName' | 'imagePullSecrets'> => ({
  tolerations: [...controlPlaneTolerations(plan), ...(options.tolerations ?? [])],
  ...(options.nodeSelector === undefined ? {} : { nodeSelector: { ...options.nodeSelector } }),
  ...(options.priorityClassName === undefined ? {} : { priorityClassName: options.priorityClassName }),
  ...(options.imagePullSecrets === undefined ? {} : { imagePullSecrets: options.imagePullSecrets.map((name) => ({ name })) }),
});

/** As on HyperShift's own pods: nodes may be set aside for control planes, or for one of them. */
const controlPlaneTolerations = (plan: TenantPlan): Toleration[] => [
  { key: 'hypershift.openshift.io/control-plane', operator: 'Equal', value: 'true', effect: 'NoSchedule' },
  { key: 'hypershift.openshift.io/cluster', operator: 'Equal', value: plan.controlPlaneNamespace, effect: 'NoSchedule' },
];

/** Whole directories, never single files: only then does a changed ConfigMap reach the container. */
const volumes = (plan: TenantPlan, { edge, files }: EdgeFiles): Volume[] => [
  ...[...new Set<Container>(files.map((file) => file.container))].map((container) => ({
    name: `config-${container}`,
    configMap: { name: configMapName(edge, container) },
  })),
  ...Object.keys(RUN_DIRS)
    .filter((container) => container !== 'dhcp' || plan.dhcp.serve !== 'Nobody')
    .map((container) => ({ name: `run-${container}`, emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } })),
  { name: 'pod', downwardAPI: { items: [{ path: 'yield', fieldRef: { fieldPath: `metadata.annotations['${YIELD}']` } }] } },
];

const hash = (content: string): string => createHash('sha256').update(content).digest('hex').slice(0, 16);
