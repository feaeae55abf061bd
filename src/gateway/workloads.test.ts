import type { StatefulSetSpec } from 'kubernetes-types/apps/v1.d.ts';
import type { Container, PodSpec } from 'kubernetes-types/core/v1.d.ts';
import { describe, expect, test } from 'vitest';
import { type RenderOptions, renderGateway } from './render.ts';
import { securityContextConstraints } from './scc.ts';
import type { TenantPlan } from './tenant-plan.ts';
import { bridgeConfig, vmNad } from './testing/sample-nads.ts';
import { sampleOptions } from './testing/sample-options.ts';
import { blue, dualStack, samplePlans, single } from './testing/sample-plans.ts';

const render = (plan: TenantPlan, changes: Partial<RenderOptions> = {}) => renderGateway(plan, { ...sampleOptions, ...changes });
/** Those of the edges; the prober's is in prober.test.ts. */
const sets = (plan: TenantPlan, changes: Partial<RenderOptions> = {}): StatefulSetSpec[] =>
  render(plan, changes)
    .manifests.filter((o) => o.kind === 'StatefulSet' && o.metadata.name !== 'prober')
    .map((o) => o['spec'] as StatefulSetSpec);
const pods = (plan: TenantPlan, changes: Partial<RenderOptions> = {}): PodSpec[] =>
  sets(plan, changes).map((set) => set.template.spec as PodSpec);
const containers = (pod: PodSpec | undefined): Container[] => [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])];
const container = (plan: TenantPlan, name: string): Container | undefined => containers(pods(plan)[0]).find((c) => c.name === name);
const env = (plan: TenantPlan, name: string): Record<string, string | undefined> =>
  Object.fromEntries((container(plan, name)?.env ?? []).map((e) => [e.name, e.value]));

test('the containers of an edge, and what each may do', () => {
  expect(containers(pods(blue)[0]).map((c) => [c.name, c.securityContext?.capabilities])).toEqual([
    ['guard', { drop: ['ALL'], add: ['NET_ADMIN', 'NET_RAW'] }],
    ['dhcp', { drop: ['ALL'], add: ['NET_RAW'] }],
    ['dns', { drop: ['ALL'] }],
    ['gateway', { drop: ['ALL'] }],
    ['vip', { drop: ['ALL'], add: ['NET_ADMIN', 'NET_RAW'] }],
  ]);
});

test.each(Object.entries(samplePlans))('no container is root, writes to its image, or gains rights (%s)', (_, plan) => {
  for (const pod of pods(plan)) {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65_532,
      runAsGroup: 65_532,
      fsGroup: 65_532,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    for (const { name, securityContext, resources } of containers(pod)) {
      expect(securityContext, name).toMatchObject({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true });
      expect([resources?.requests?.['cpu'], resources?.requests?.['memory'], resources?.limits?.['memory']], name).toEqual([
        expect.any(String),
        expect.any(String),
        expect.any(String),
      ]);
    }
    expect([pod.hostNetwork, pod.hostPID, pod.hostIPC]).toEqual([undefined, undefined, undefined]);
  }
});

test('an edge has no token, no resolver and no proxy, and hears of its peer from kubelet', () => {
  const [pod] = pods(blue);
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    enableServiceLinks: true,
    dnsPolicy: 'None',
    dnsConfig: { nameservers: ['127.0.0.1'] },
  });
  expect(
    containers(pod)
      .flatMap((c) => (c.env ?? []).map((e) => e.name))
      .filter((name) => /proxy/i.test(name)),
  ).toEqual([]);
});

test('the guard is told the addresses of its edge and the link to the other', () => {
  expect(env(blue, 'guard')).toEqual({
    SEGMENT_ADDRESSES: '192.168.100.2/24',
    SEGMENT_VIPS: '192.168.100.3',
    PEER_REMOTE: '$(EDGE_B_PEER_SERVICE_HOST)',
    PEER_PORT: '4790',
    PEER_ADDRESS: '169.254.77.1',
    PEER_MAC: '02:68:63:70:00:01',
    PEER_OTHER_ADDRESS: '169.254.77.2',
    PEER_OTHER_MAC: '02:68:63:70:00:02',
    PEER_SEGMENT_MAC: expect.stringMatching(/^02(:[0-9a-f]{2}){5}$/),
  });
  expect(env(dualStack, 'guard')).toMatchObject({
    SEGMENT_ADDRESSES: '192.168.100.2/24 fd00:100::2/64',
    SEGMENT_VIPS: '192.168.100.3 fd00:100::3',
  });
});

test('a single edge is the same as the first of a pair: its pod stays when a second one comes or goes', () => {
  expect(sets(single)[0]).toEqual(sets(blue)[0]);
});

test("each edge knows the other's MAC on the segment, and it is the one that the other's pod asks for", () => {
  const [a, b] = sets(blue);
  const own = (set: StatefulSetSpec | undefined) =>
    (JSON.parse(set?.template.metadata?.annotations?.['k8s.v1.cni.cncf.io/networks'] ?? '[]') as { mac: string }[])[0]?.mac;
  const told = (set: StatefulSetSpec | undefined) =>
    set?.template.spec?.initContainers?.[0]?.env?.find((e) => e.name === 'PEER_SEGMENT_MAC')?.value;
  expect([told(a), told(b)]).toEqual([own(b), own(a)]);
});

test('the peer’s Service exists under the name that the guard asks kubelet for', () => {
  const services = render(blue).manifests.filter((o) => o.kind === 'Service');
  expect(
    services.map((o) => [o.metadata.name, (o['spec'] as { selector: Record<string, string> }).selector['app.kubernetes.io/instance']]),
  ).toEqual([
    ['edge-a-peer', 'edge-a'],
    ['edge-b-peer', 'edge-b'],
  ]);
});

test('with an outside DHCP server there is no dhcp container, and no volume for leases', () => {
  const plan: TenantPlan = { ...blue, dhcp: { ...blue.dhcp, serve: 'Nobody', options: [], reservations: [] } };
  const [set] = sets(plan);
  expect(containers(pods(plan)[0]).map((c) => c.name)).toEqual(['guard', 'dns', 'gateway', 'vip']);
  expect([set?.volumeClaimTemplates, pods(plan)[0]?.volumes?.map((v) => v.name)]).toEqual([
    undefined,
    ['config-guard', 'config-dns', 'config-gateway', 'config-vip', 'run-gateway', 'run-vip', 'pod'],
  ]);
});

test.each(Object.entries(samplePlans))('every mounted volume exists, and every volume is mounted (%s)', (_, plan) => {
  for (const set of sets(plan)) {
    const pod = set.template.spec as PodSpec;
    const offered = [...(pod.volumes ?? []).map((v) => v.name), ...(set.volumeClaimTemplates ?? []).map((c) => c.metadata?.name ?? '')];
    const mounted = containers(pod).flatMap((c) => (c.volumeMounts ?? []).map((m) => m.name));
    expect(new Set(mounted)).toEqual(new Set(offered));
  }
});

test('configuration is mounted as whole directories, or its changes would not arrive', () => {
  expect(
    pods(blue)
      .flatMap(containers)
      .flatMap((c) => c.volumeMounts ?? [])
      .filter((m) => m.subPath !== undefined),
  ).toEqual([]);
});

test('the edges land on nodes that have the segment, and on those that are kept for control planes', () => {
  const annotations = { 'k8s.v1.cni.cncf.io/resourceName': 'bridge.network.kubevirt.io/br100' };
  const [pod] = pods(blue, {
    nads: [vmNad(bridgeConfig, { annotations })],
    nodeSelector: { zone: 'a' },
    tolerations: [{ key: 'x', operator: 'Exists' }],
    priorityClassName: 'hypershift-control-plane',
  });
  const gateway = pod?.containers.find((c) => c.name === 'gateway');
  expect([
    gateway?.resources?.requests?.['bridge.network.kubevirt.io/br100'],
    gateway?.resources?.limits?.['bridge.network.kubevirt.io/br100'],
  ]).toEqual(['1', '1']);
  expect(pod).toMatchObject({
    nodeSelector: { zone: 'a' },
    priorityClassName: 'hypershift-control-plane',
    tolerations: [
      { key: 'hypershift.openshift.io/control-plane', operator: 'Equal', value: 'true', effect: 'NoSchedule' },
      { key: 'hypershift.openshift.io/cluster', operator: 'Equal', value: 'clusters-blue', effect: 'NoSchedule' },
      { key: 'x', operator: 'Exists' },
    ],
  });
});

test('the two edges are never on one node and never drained together', () => {
  const selector = { 'app.kubernetes.io/name': 'hcpio-edge' };
  for (const pod of pods(blue)) {
    expect(pod.affinity).toEqual({
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: selector } },
        ],
      },
    });
  }
  expect(render(blue).manifests.find((o) => o.kind === 'PodDisruptionBudget')?.['spec']).toEqual({
    minAvailable: 1,
    selector: { matchLabels: selector },
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
  });
});

test('a change of the plan leaves the pods as they are, unless it is one that a pod must be made anew for', () => {
  const more: TenantPlan = {
    ...blue,
    listeners: blue.listeners.slice(1),
    upstreams: blue.upstreams.slice(1),
    dns: { ...blue.dns, upstreams: ['192.168.100.1'] },
  };
  expect(sets(more)).toEqual(sets(blue));
  expect(sets(blue, { image: 'edge:2' })).not.toEqual(sets(blue));
});

describe('mistakes of the source documents', () => {
  test('mistake 7: the pair is two sets of one pod with a volume each: a volume that hangs on a lost node takes nobody with it', () => {
    expect(sets(blue).map((set) => [set.replicas, set.volumeClaimTemplates?.map((c) => [c.metadata?.name, c.spec?.accessModes])])).toEqual([
      [1, [['leases', ['ReadWriteOnce']]]],
      [1, [['leases', ['ReadWriteOnce']]]],
    ]);
  });

  test('mistake 15: probes are commands in the container, so no health port has to be reachable', () => {
    const probes = pods(blue)
      .flatMap(containers)
      .flatMap((c) => [c.readinessProbe, c.livenessProbe, c.startupProbe].filter((probe) => probe !== undefined));
    expect(probes.filter((probe) => probe.exec === undefined)).toEqual([]);
    expect(pods(blue)[0]?.containers.filter((c) => c.readinessProbe === undefined)).toEqual([]);
    expect(
      pods(blue)
        .flatMap(containers)
        .flatMap((c) => c.ports ?? []),
    ).toEqual([]);
  });

  test('mistake 21: no two pods have one address, and no set replaces its pod by itself', () => {
    expect(sets(blue).map((set) => [set.updateStrategy, set.replicas])).toEqual([
      [{ type: 'OnDelete' }, 1],
      [{ type: 'OnDelete' }, 1],
    ]);
    const addresses = pods(blue).map((pod) => pod.initContainers?.[0]?.env?.find((e) => e.name === 'SEGMENT_ADDRESSES')?.value);
    expect(new Set(addresses).size).toBe(2);
  });

  test('mistake 28: only the pod’s own capabilities, and those of two containers', () => {
    const added = pods(blue)
      .flatMap(containers)
      .flatMap((c) => c.securityContext?.capabilities?.add ?? []);
    expect(new Set(added)).toEqual(new Set(['NET_ADMIN', 'NET_RAW']));
    expect(
      pods(blue)
        .flatMap(containers)
        .filter((c) => c.securityContext?.privileged),
    ).toEqual([]);
  });

  test('mistake 30: the edges and the prober run in a namespace of their own', () => {
    expect(
      render(blue)
        .manifests.filter((o) => o.kind === 'StatefulSet')
        .map((o) => o.metadata.namespace),
    ).toEqual(['clusters-blue-edge', 'clusters-blue-edge', 'clusters-blue-edge']);
  });
});

test('OpenShift lets an edge have every kind of volume that it asks for', () => {
  const asked = new Set(
    pods(blue).flatMap((pod) => (pod.volumes ?? []).flatMap((volume) => Object.keys(volume).filter((key) => key !== 'name'))),
  );
  const allowed = (securityContextConstraints as { readonly volumes?: readonly string[] }).volumes ?? [];
  expect([...asked].filter((kind) => !allowed.includes(kind))).toEqual([]);
});
