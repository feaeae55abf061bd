import { createHash } from 'node:crypto';
import type { StatefulSetSpec } from 'kubernetes-types/apps/v1.d.ts';
import type { Container as PodContainer, PodSpec } from 'kubernetes-types/core/v1.d.ts';
import { networks } from './attachments.ts';
import { configMapName } from './config-maps.ts';
import { common, config, confined, EDGE_USER, guard, withResource } from './containers.ts';
import { PROBER_PORT } from './edge-ports.ts';
import { EDGE_SELECTOR, edgeLabels, edgeSelector } from './labels.ts';
import { SERVICE_ACCOUNT } from './namespace.ts';
import { PROBES_FILE } from './probes.ts';
import { configDir, type EdgeFiles, type KubeObject } from './rendered.ts';
import { SCC } from './scc.ts';
import type { ProberPlan, TenantPlan } from './tenant-plan.ts';
import { placement, type WorkloadOptions } from './workloads.ts';

export interface ProberOptions extends WorkloadOptions {
  /** The operator's own image: the prober is a second programme in it. */
  readonly proberImage: string;
}

/**
 * One machine more on the segment, which looks at it all the time: it has no part in what it looks at, so it sees what a worker sees, whichever
 * edge serves. It stays, because a pod per look would be a write per look. One of its name at a time, as its address is fixed; that is
 * what a StatefulSet is for.
 */
export function proberWorkload(
  plan: TenantPlan,
  prober: ProberPlan,
  files: EdgeFiles,
  resource: string | undefined,
  options: ProberOptions,
): KubeObject {
  const spec: StatefulSetSpec = {
    replicas: 1,
    serviceName: prober.name,
    podManagementPolicy: 'Parallel',
    selector: { matchLabels: edgeSelector(prober) },
    template: {
      metadata: {
        labels: { ...edgeLabels(plan, prober) },
        annotations: {
          'k8s.v1.cni.cncf.io/networks': networks(plan, prober),
          'kubectl.kubernetes.io/default-container': 'prober',
          // Read at the start of a pod and never again; the list of probes is read again by itself.
          'hcpio.io/start-configuration': hash(files.files.find(({ container }) => container === 'guard')?.content ?? ''),
          ...(options.platform === 'openshift' ? { 'openshift.io/required-scc': SCC } : {}),
        },
      },
      spec: podSpec(plan, prober, files, resource, options),
    },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: prober.name, namespace: plan.edgeNamespace, labels: edgeLabels(plan, prober) },
    spec,
  };
}

const podSpec = (
  plan: TenantPlan,
  prober: ProberPlan,
  files: EdgeFiles,
  resource: string | undefined,
  options: ProberOptions,
): PodSpec => ({
  serviceAccountName: SERVICE_ACCOUNT,
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  dnsPolicy: 'None', // it asks the edges, by address
  dnsConfig: { nameservers: ['127.0.0.1'] },
  terminationGracePeriodSeconds: 5,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: EDGE_USER,
    runAsGroup: EDGE_USER,
    fsGroup: EDGE_USER,
    seccompProfile: { type: 'RuntimeDefault' },
    sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }], // a DHCP client listens on 68
  },
  affinity: {
    podAntiAffinity: {
      // Wished for: from a third node it also sees the switches between.
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: EDGE_SELECTOR } } },
      ],
    },
  },
  ...placement(plan, options),
  initContainers: [guard({ plan, edge: prober, image: options.image })],
  containers: [container(options.proberImage, resource)],
  volumes: [...new Set(files.files.map((file) => file.container))].map((name) => ({
    name: `config-${name}`,
    configMap: { name: configMapName('prober', name) },
  })),
});

const container = (image: string, resource: string | undefined): PodContainer => ({
  ...common('prober', image),
  command: ['/usr/bin/node', '/opt/hcpio/prober.cjs', 'serve', `${configDir('probes')}/${PROBES_FILE}`],
  env: [
    { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    // What it does needs a few megabytes; without a bound Node waits long before it tidies up.
    { name: 'NODE_OPTIONS', value: '--max-semi-space-size=1 --max-old-space-size=32' },
  ],
  securityContext: confined(),
  resources: withResource({ requests: { cpu: '5m', memory: '48Mi' }, limits: { memory: '96Mi' } }, resource),
  // No `ports`: they open nothing, and a foreign change to one makes an entry that our next apply collides with.
  volumeMounts: [config('probes')],
  readinessProbe: { httpGet: { path: '/healthz', port: PROBER_PORT }, periodSeconds: 5, timeoutSeconds: 3 },
  livenessProbe: { httpGet: { path: '/healthz', port: PROBER_PORT }, periodSeconds: 20, timeoutSeconds: 5, failureThreshold: 6 },
});

const hash = (content: string): string => createHash('sha256').update(content).digest('hex').slice(0, 16);
