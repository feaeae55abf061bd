/** What every pod of a control plane has in common: HyperShift's labels, and all that PSA `restricted` asks for. */
import { COMPONENT_LABEL, HOSTED_CONTROL_PLANE_LABEL, type HostedControlPlane, type Manifest, ownedBy } from '../hosted-cluster.ts';

/** One image with every binary; which one runs is the container's command. */
export const CONTROL_PLANE_IMAGE = 'localhost/hcpio/hosted-control-plane:lab';

const USER = 1001;

export interface Container {
  readonly name: string;
  readonly command: readonly string[];
  readonly ports?: Readonly<Record<string, number>>;
  readonly env?: readonly unknown[];
  readonly readiness?: { readonly path: string; readonly port: number | string; readonly scheme: 'HTTP' | 'HTTPS' };
  /** Volume name -> where it is mounted. */
  readonly mounts: Readonly<Record<string, string>>;
}

export interface Workload {
  readonly name: string;
  readonly containers: readonly Container[];
  /** Volume name -> source; `secret:NAME` and `configMap:NAME` are short for the usual ones, `emptyDir` for scratch. */
  readonly volumes: Readonly<Record<string, string>>;
  /** Workers and users connect to it; its peers in other namespaces may too, where a policy says so. */
  readonly requestServing?: true;
  /** HyperShift lets it talk to the hub's API. */
  readonly hubAccess?: true;
  /** It does, as the ServiceAccount of its own name. */
  readonly serviceAccount?: true;
}

export function deployment(hcp: HostedControlPlane, workload: Workload): Manifest {
  const { name } = workload;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...metadata(hcp, name), labels: { 'hypershift.openshift.io/managed-by': 'control-plane-operator' } },
    spec: { replicas: 1, revisionHistoryLimit: 2, selector: { matchLabels: { app: name } }, template: podTemplate(hcp, workload) },
  };
}

export function metadata(hcp: HostedControlPlane, name: string): Manifest['metadata'] {
  return { name, namespace: hcp.metadata.namespace ?? '', ownerReferences: ownedBy(hcp) };
}

export function podTemplate(hcp: HostedControlPlane, { name, containers, volumes, requestServing, hubAccess, serviceAccount }: Workload) {
  return {
    metadata: {
      labels: {
        app: name,
        [COMPONENT_LABEL]: name,
        [HOSTED_CONTROL_PLANE_LABEL]: hcp.metadata.namespace ?? '',
        ...(requestServing ? { 'hypershift.openshift.io/request-serving-component': 'true' } : {}),
        ...(hubAccess ? { 'hypershift.openshift.io/need-management-kas-access': 'true' } : {}),
      },
    },
    spec: {
      automountServiceAccountToken: serviceAccount ?? false,
      ...(serviceAccount ? { serviceAccountName: name } : {}),
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: USER, runAsGroup: USER, fsGroup: USER, seccompProfile: { type: 'RuntimeDefault' } },
      terminationGracePeriodSeconds: 5,
      containers: containers.map(container),
      volumes: Object.entries(volumes).map(([volume, source]) => ({ name: volume, ...volumeSource(source) })),
    },
  };
}

function container({ name, command, ports = {}, env = [], readiness, mounts }: Container) {
  return {
    name,
    image: CONTROL_PLANE_IMAGE,
    imagePullPolicy: 'IfNotPresent',
    command,
    ...(env.length > 0 ? { env } : {}),
    ports: Object.entries(ports).map(([port, containerPort]) => ({ name: port, containerPort, protocol: 'TCP' })),
    // Every second: a lab that stands is worth more than the few packets.
    ...(readiness ? { readinessProbe: { httpGet: readiness, periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 3 } } : {}),
    resources: { requests: { cpu: '10m', memory: '32Mi' } },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    volumeMounts: Object.entries(mounts).map(([volume, mountPath]) => ({ name: volume, mountPath })),
  };
}

function volumeSource(source: string): Readonly<Record<string, unknown>> {
  const [kind, name] = source.split(':');
  switch (kind) {
    case 'secret':
      return { secret: { secretName: name, defaultMode: 0o640 } };
    case 'configMap':
      return { configMap: { name } };
    default:
      return { emptyDir: {} };
  }
}
