import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from 'kubernetes-types/networking/v1.d.ts';
import { shortName } from '../api/text.ts';
import { GUARD_REPORT_PORT, PEER_PORT, PROBER_PORT } from './edge-ports.ts';
import { EDGE_SELECTOR, PROBER_SELECTOR, tenantLabels } from './labels.ts';
import type { KubeObject } from './rendered.ts';
import type { TenantPlan } from './tenant-plan.ts';
import { type ControlPlaneFacts, type PodPort, upstreamPods } from './upstream-pods.ts';

type Labels = Readonly<Record<string, string>>;

/**
 * The edge's namespace: nothing in, nothing out, but the upstreams and the peer. Probes of an edge are commands in its containers and metrics stay in
 * the pod, so no port is opened for either (the operator may ask, see below); DNS is not needed by anybody. All of this is about eth0: policies do not see net1, that is
 * the guard's.
 */
export const edgePolicies = (plan: TenantPlan, facts: ControlPlaneFacts): readonly KubeObject[] => [
  policy(plan, plan.edgeNamespace, 'default-deny', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }),
  policy(plan, plan.edgeNamespace, 'edge-to-control-plane', {
    podSelector: { matchLabels: EDGE_SELECTOR },
    policyTypes: ['Egress'],
    egress: bySelector(upstreamPods(plan, facts)).map(({ selector, ports }) => ({
      to: [podsOf(plan.controlPlaneNamespace, selector)],
      ports: ports.map(tcp),
    })),
  }),
  ...(plan.edges.length > 0 ? [peerPolicy(plan)] : []),
];

/** Only the operator asks the prober what it saw, and the edges what their guards noticed; kubelet, which looks whether they live, is let in by every policy. */
export const operatorPolicies = (plan: TenantPlan, operatorNamespace: string): readonly KubeObject[] => {
  const asks = (name: string, selector: Labels, port: number): KubeObject =>
    policy(plan, plan.edgeNamespace, name, {
      podSelector: { matchLabels: selector },
      policyTypes: ['Ingress'],
      ingress: [{ from: [podsOf(operatorNamespace, { 'app.kubernetes.io/name': 'hcpio-operator' })], ports: [tcp(port)] }],
    });
  return [
    asks('operator-to-edge', EDGE_SELECTOR, GUARD_REPORT_PORT),
    ...(plan.prober === undefined ? [] : [asks('operator-to-prober', PROBER_SELECTOR, PROBER_PORT)]),
  ];
};

/**
 * Added to HyperShift's own, which let in nobody from outside its namespace but to the API server. One policy per kind of pod: together in
 * one, each port would be open on all of them.
 */
export const controlPlanePolicies = (plan: TenantPlan, facts: ControlPlaneFacts): readonly KubeObject[] =>
  bySelector(upstreamPods(plan, facts)).map(({ name, selector, ports }) =>
    policy(plan, plan.controlPlaneNamespace, shortName('hcpio-edge', name), {
      podSelector: { matchLabels: selector },
      policyTypes: ['Ingress'],
      ingress: [{ from: [podsOf(plan.edgeNamespace, EDGE_SELECTOR)], ports: ports.map(tcp) }],
    }),
  );

/** Also for a single edge: one that goes tells the other over the link that it does, and has to be heard while it leaves. */
function peerPolicy(plan: TenantPlan): KubeObject {
  const peer = { podSelector: { matchLabels: EDGE_SELECTOR } };
  const ports: NetworkPolicyPort[] = [{ protocol: 'UDP', port: PEER_PORT }];
  return policy(plan, plan.edgeNamespace, 'edge-to-edge', {
    podSelector: { matchLabels: EDGE_SELECTOR },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: [peer], ports }],
    egress: [{ to: [peer], ports }],
  });
}

interface SelectedPorts {
  readonly name: string;
  readonly selector: Labels;
  readonly ports: readonly (number | string)[];
}

/** The ports of each kind of pod together: the API server and konnectivity are the same pods. */
function bySelector(pods: readonly PodPort[]): SelectedPorts[] {
  const key = (selector: Labels): string => JSON.stringify(Object.entries(selector).sort(([a], [b]) => (a < b ? -1 : 1)));
  return [...Map.groupBy(pods, (pod) => key(pod.selector)).values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const ports = [...new Set(group.map((pod) => pod.port))].sort((a, b) => String(a).localeCompare(String(b), 'en'));
    return [{ name: first.name, selector: first.selector, ports }];
  });
}

/** Both selectors in one peer: pods of that kind in that namespace, not one or the other. */
const podsOf = (namespace: string, labels: Labels): NetworkPolicyPeer => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  podSelector: { matchLabels: labels },
});

const tcp = (port: number | string): NetworkPolicyPort => ({ protocol: 'TCP', port });

const policy = (plan: TenantPlan, namespace: string, name: string, spec: NonNullable<NetworkPolicy['spec']>): KubeObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name, namespace, labels: tenantLabels(plan) },
  spec,
});
