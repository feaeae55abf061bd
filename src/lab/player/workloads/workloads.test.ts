import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { HostedControlPlane, Manifest } from '../hosted-cluster.ts';
import { fixture, fixtureText } from '../testing/fixtures.ts';
import { kubeControllerManager, machineApprover, oauthOpenshift } from './after-kube-apiserver.ts';
import { etcd } from './etcd.ts';
import { ignitionServer, ignitionServerProxy } from './ignition.ts';
import { kubeApiserver } from './kube-apiserver.ts';

interface Port {
  readonly name?: string;
  readonly containerPort: number;
}
interface Summary {
  readonly kind: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly podLabels: Readonly<Record<string, string>>;
  readonly selector: unknown;
  readonly containers: readonly { readonly name: string; readonly ports: readonly Port[] }[];
}
interface Workload extends Manifest {
  readonly spec: {
    readonly selector: unknown;
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly securityContext: { readonly runAsNonRoot: boolean; readonly seccompProfile: unknown };
        readonly containers: readonly { readonly name: string; readonly ports: readonly Port[]; readonly securityContext: unknown }[];
      };
    };
  };
}

const hcp = fixture('blue', 'final', 'hostedcontrolplane')[0] as unknown as HostedControlPlane;
const workloads = [
  etcd(hcp),
  ...kubeApiserver(hcp),
  ...ignitionServer(hcp),
  ignitionServerProxy(hcp),
  kubeControllerManager(hcp),
  oauthOpenshift(hcp),
  ...machineApprover(hcp),
].filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet') as readonly unknown[] as readonly Workload[];

/** Sidecars that only collect (logs, metrics) or only lead through konnectivity are not in the lab, nor are ports that only they or Prometheus use. */
const NOT_IN_THE_LAB: Readonly<Record<string, readonly string[]>> = {
  etcd: ['etcd-metrics', 'healthz'],
  'kube-apiserver': ['audit-logs'],
  'oauth-openshift': ['audit-logs', 'konnectivity-proxy-https', 'konnectivity-proxy-socks5'],
};
const PORTS_FOR_METRICS = new Set(['metrics']);

test.each(workloads.map((workload) => [workload.metadata.name, workload] as const))(
  '%s has the labels, selectors, containers and ports of the real one',
  (name, workload) => {
    const summaries = parse(fixtureText('blue', 'final', 'workloads-summary.yaml')) as readonly Summary[];
    const theirs = summaries.find((summary) => summary.name === name);
    const ports = (list: readonly Port[]) => list.filter((port) => !PORTS_FOR_METRICS.has(port.name ?? ''));
    const { metadata, spec } = workload.spec.template;
    expect({
      kind: workload.kind,
      labels: workload.metadata.labels,
      podLabels: metadata.labels,
      selector: workload.spec.selector,
      containers: spec.containers.map((container) => ({ name: container.name, ports: ports(container.ports) })),
    }).toEqual({
      kind: theirs?.kind,
      labels: theirs?.labels,
      podLabels: theirs?.podLabels,
      selector: theirs?.selector,
      containers: theirs?.containers
        .filter((container) => !NOT_IN_THE_LAB[name]?.includes(container.name))
        .map((container) => ({ name: container.name, ports: ports(container.ports) })),
    });
  },
);

test('every pod is fit for a namespace that enforces PSA restricted', () => {
  for (const { spec } of workloads) {
    const pod = spec.template.spec;
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const container of pod.containers)
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
  }
});
