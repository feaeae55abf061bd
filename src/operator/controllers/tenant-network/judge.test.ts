import { describe, expect, test } from 'vitest';
import { PAUSE_MARKER } from '../../../api/markers.ts';
import { nad, nodePool } from '../../../hosted-cluster/objects.ts';
import { blueObserved } from '../../../hosted-cluster/testing/blue.ts';
import { notProbed, type SegmentProof } from '../../segment/proof.ts';
import type { EdgePod } from '../../world/edge-pod.ts';
import type { Applied } from './apply.ts';
import { edgeStates } from './edges.ts';
import { judge, leaving } from './judge.ts';
import { planFor } from './plan.ts';
import { endpointStates } from './probe.ts';
import { blueTenant, edgePodOf, slices, type TenantChange } from './testing/tenant.ts';

const done: Applied = {
  outcome: 'done',
  objects: 25,
  created: [],
  changed: [],
  removed: [],
  repaired: [],
  refused: [],
  edges: new Map(),
  probes: 'l',
};
const proven: SegmentProof = {
  outcome: 'proven',
  reason: 'Proven',
  message: 'DHCP offers addresses',
  answered: ['APIServer'],
  rogueServers: [],
  serials: [],
};
const nobody = notProbed('NotProbed', 'nobody has looked from the segment yet');

function judged(change: TenantChange = {}, applied: Applied = done, proof: SegmentProof = proven) {
  const tenant = blueTenant({ pods: [edgePodOf('edge-a'), edgePodOf('edge-b')], ...change });
  const planned = planFor(tenant);
  const { plan } = planned;
  const seen =
    plan && tenant.observed
      ? { edges: planned.verdict === 'go' ? edgeStates(plan, tenant.pods) : [], endpoints: endpointStates(plan, tenant.observed), proof }
      : { edges: [], endpoints: [], proof };
  return judge(tenant, planned, applied, seen);
}
/** One line per condition: type, status, reason and the sentence. */
const lines = (...given: Parameters<typeof judged>) =>
  judged(...given).map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`);
const line = (type: string, ...given: Parameters<typeof judged>) => lines(...given).find((one) => one.startsWith(`${type}=`));

test('everything is well', () => {
  expect(lines()).toEqual([
    'Accepted=True Accepted: no check objects',
    'Planned=True Planned: 2 edges, 3 listeners, 13 records, 1 machine',
    'Applied=True Applied: 25 objects are as planned',
    'EdgeReady=True EdgesReady: edge-a on hub-a with 192.168.100.2; edge-b on hub-b with 192.168.100.4',
    'EndpointsReady=True UpstreamsReady: 4 services published, each with ready pods',
    'SegmentProven=True Proven: DHCP offers addresses',
    'NodePoolsReleased=True Released: no NodePool is held back',
    'Ready=True Ready: everything answers from the segment',
  ]);
});

test('until somebody looked from the segment nobody says that it is ready', () => {
  expect(line('Ready', {}, done, nobody)).toBe(
    'Ready=Unknown NotProbed: SegmentProven: nobody has looked from the segment yet. To do: what EdgeReady says',
  );
});

describe('Accepted', () => {
  test('an error stops everything, and the first one is said in full with what to do', () => {
    const overlap = { spec: { segment: { attachment: 'default/vlan100', cidrs: ['10.128.4.0/24'] } } };
    const all = lines(overlap, { outcome: 'held' });
    expect(all[0]).toMatch(/^Accepted=False Refused: HCPIO-NET-003 clusters\/blue TenantNetwork: .*10\.128\.4\.0\/24.* To do: .+/);
    expect(all.slice(1)).toEqual([
      'Planned=False NotAccepted: there is no plan. To do: what Accepted says',
      'Applied=False NotPlanned: there is no plan that may be applied. To do: what Accepted and Planned say',
      'EdgeReady=Unknown NotApplied: there is no edge yet. To do: what Applied says',
      'EndpointsReady=True UpstreamsReady: 4 services published, each with ready pods',
      'SegmentProven=True Proven: DHCP offers addresses',
      'NodePoolsReleased=True Released: no NodePool is held back',
      expect.stringMatching(/^Ready=False Refused: Accepted: HCPIO-NET-003/),
    ]);
  });

  test('a NodePool that cannot be served does not keep the others from being served', () => {
    const all = lines({ kubevirt: { attachDefaultNetwork: true } });
    expect(all[0]).toMatch(
      /^Accepted=False NodePoolsRefused: HCPIO-NP-001 clusters\/blue-workers NodePool: .* To do: kubectl patch nodepool/,
    );
    expect(all.slice(1, 3)).toEqual([
      'Planned=True Planned: 2 edges, 3 listeners, 13 records, 1 machine',
      'Applied=True Applied: 25 objects are as planned',
    ]);
  });

  test('warnings are counted, not recited', () => {
    const unchecked = nad.parse({
      ...blueObserved().attachments[0],
      spec: { config: '{"cniVersion":"0.3.1","name":"vlan100","type":"bridge","bridge":"br100"}' },
    });
    expect(line('Accepted', { observed: { attachments: [unchecked] } })).toBe(
      'Accepted=True Accepted: no check objects; see the 1 warning in status.findings',
    );
  });
});

test('a spec that is not understood says where', () => {
  const tenant = {
    ...blueTenant({
      object: {
        spec: undefined,
        problems: [{ kind: 'value', path: ['spec', 'mode'], message: 'spec.mode must be Gateway', fix: 'use Gateway' }],
      },
    }),
    observed: undefined,
  };
  const [accepted] = judge(tenant, planFor(tenant), { outcome: 'held' }, { edges: [], endpoints: [], proof: nobody });
  expect(accepted).toEqual({
    type: 'Accepted',
    status: 'False',
    reason: 'Unreadable',
    message: 'HCPIO-IN-004 clusters/blue TenantNetwork: spec.mode must be Gateway. To do: use Gateway',
  });
});

test('before HyperShift made the control plane there is nothing to apply', () => {
  expect(line('Planned', { observed: { hostedControlPlanes: [] } }, { outcome: 'held' })).toBe(
    'Planned=False WaitingForControlPlane: waiting for HyperShift to create the HostedControlPlane in namespace clusters-blue. Nothing to do; if it stays: kubectl describe hostedcluster -n clusters blue',
  );
});

describe('Applied', () => {
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'clusters-blue-edge', name: 'edge-a-dns' };
  test.each([
    [
      'a refusal',
      {
        ...done,
        refused: [
          { ref, refusal: { reason: 'Forbidden', message: 'quota exceeded', fields: [] } },
          { ref, refusal: { reason: 'Invalid', message: 'x', fields: [] } },
        ],
      },
      'False ObjectsRefused: the API server does not take v1 ConfigMap clusters-blue-edge/edge-a-dns: quota exceeded (and 1 more). To do: lift the quota, the policy or the missing right that it names (namespace clusters-blue-edge); it is tried again every minute',
    ],
    [
      'an object of somebody else',
      { ...done, refused: [{ ref, maker: 'kubectl-create' }] },
      'False ObjectsRefused: v1 ConfigMap clusters-blue-edge/edge-a-dns is there already, made by somebody else (kubectl-create), and is left alone. To do: delete it, or hand it over: kubectl label configmap -n clusters-blue-edge edge-a-dns app.kubernetes.io/managed-by=hcpio',
    ],
    [
      'a namespace of somebody else',
      { outcome: 'namespaceTaken' },
      'False NamespaceTaken: namespace clusters-blue-edge exists and is not ours. To do: delete namespace clusters-blue-edge, or create the HostedCluster under another name',
    ],
    [
      'a namespace on its way out',
      { outcome: 'namespaceTerminating' },
      'False NamespaceTerminating: waiting for namespace clusters-blue-edge, which somebody deleted, to be gone; then it is made anew. Nothing to do; if it stays: kubectl get namespace clusters-blue-edge -o yaml says what holds it',
    ],
    [
      'a server that does not answer',
      { outcome: 'failed', error: new Error('PATCH /api: 500') },
      "False ApiTrouble: PATCH /api: 500. To do: see whether the API server is well: kubectl get --raw '/readyz?verbose'; it is tried again by itself",
    ],
  ] as const)('%s', (_, applied, said) => {
    expect(line('Applied', {}, applied as Applied)).toBe(`Applied=${said}`);
  });
});

describe('EdgeReady', () => {
  const NODE =
    'To do: see that the bridge or VLAN of the attachment is on the node (kubectl get pods -n clusters-blue-edge -o wide), then delete the pod: it comes back';
  const wrong = { addresses: ['192.168.100.9'], mac: '' };
  test.each([
    [
      'no pod',
      [edgePodOf('edge-a')],
      'PodsMissing: edge-b has no pod yet. Nothing to do; if it stays: kubectl get events -n clusters-blue-edge',
    ],
    [
      'a pod that is not ready',
      [edgePodOf('edge-a', { ready: false, trouble: 'its image cannot be pulled' }), edgePodOf('edge-b')],
      'PodsNotReady: pod edge-a-0 is not ready: its image cannot be pulled. Nothing to do; if it stays: kubectl describe pods -n clusters-blue-edge',
    ],
    [
      'an address that somebody else on the segment has',
      [edgePodOf('edge-a'), edgePodOf('edge-b', { ready: false, taken: { address: '192.168.100.4', by: '02:66:66:66:66:66' } })],
      'AddressTaken: edge-b does not start, because 02:66:66:66:66:66 on the segment has its address 192.168.100.4. To do: find that machine and take the address from it, or give edge-b another one (spec.gateway.addresses.edgeB)',
    ],
    [
      'a pod that is being replaced',
      [edgePodOf('edge-a', { terminating: true }), edgePodOf('edge-b')],
      'PodsNotReady: pod edge-a-0 is being replaced. Nothing to do; if it stays: kubectl describe pods -n clusters-blue-edge',
    ],
    [
      'no leg on the segment',
      [edgePodOf('edge-a', { net1: undefined }), edgePodOf('edge-b')],
      `NotOnSegment: pod edge-a-0 has no interface net1, according to Multus. ${NODE}`,
    ],
    [
      'another address',
      [edgePodOf('edge-a', { net1: wrong }), edgePodOf('edge-b')],
      `NotOnSegment: pod edge-a-0 has net1 with 192.168.100.9 instead of 192.168.100.2. ${NODE}`,
    ],
    [
      'OVN knows no address, and the MAC is not ours',
      [edgePodOf('edge-a', { net1: { addresses: [], mac: '02:00:00:00:00:01' } }), edgePodOf('edge-b')],
      `NotOnSegment: pod edge-a-0 has net1 without an address and with MAC 02:00:00:00:00:01. ${NODE}`,
    ],
  ] as const)('%s', (_, pods, said) => {
    expect(line('EdgeReady', { pods })).toBe(`EdgeReady=False ${said}`);
  });

  describe('during an update', () => {
    const updated: Applied = {
      ...done,
      edges: new Map((['edge-a', 'edge-b'] as const).map((name) => [name, { template: 'new', configuration: 'c' }])),
    };
    const said = (second: Partial<EdgePod>) =>
      line('EdgeReady', { pods: [edgePodOf('edge-a'), edgePodOf('edge-b', { template: 'new', ready: false, ...second })] }, updated);

    test('the edge that is made anew is waited for', () => {
      expect(said({ trouble: 'it is starting' })).toBe(
        'EdgeReady=False Updating: edge-b is made anew, edge-a serves as before: pod edge-b-0 is not ready: it is starting. Nothing to do; if it stays: kubectl describe pods -n clusters-blue-edge',
      );
    });

    test('an update that made the segment unwell is held, and said to be', () => {
      const moved = edgePodOf('edge-b', { template: 'new', yielded: 'new' });
      expect(line('EdgeReady', { pods: [edgePodOf('edge-a'), moved] }, updated)).toMatch(
        /^EdgeReady=False UpdateHeld: the segment was not well while edge-b had the VIP after its update, so edge-a has it again and stays as it is\. To go back: /,
      );
    });

    test('on the way back nothing is held: the one that was changed is made anew', () => {
      const tried = edgePodOf('edge-b', { template: 'bad', yielded: 'bad', made: '2026-11-01T11:00:00Z' });
      expect(line('EdgeReady', { pods: [edgePodOf('edge-a', { template: 'new' }), tried] }, updated)).toMatch(
        /^EdgeReady=False Updating: edge-b is made anew as it was before\. /,
      );
    });

    test('an edge that does not come up holds the update, and the way back is said', () => {
      expect(said({ trouble: 'its image cannot be pulled', stuck: true })).toBe(
        'EdgeReady=False UpdateHeld: the update stopped at edge-b, edge-a serves as before: pod edge-b-0 is not ready: its image cannot be pulled. ' +
          'To go back: undo the last change of the TenantNetwork, or give the operator the edge image that it had (--edge-image, HCPIO_EDGE_IMAGE)',
      );
    });
  });

  describe('a change that has reached one edge', () => {
    const waiting = { holder: 'edge-a', standby: 'edge-b', problem: undefined, againMs: 1 } as const;

    test('is not applied yet, and both edges are well', () => {
      expect(line('Applied', {}, { ...done, held: waiting })).toBe(
        'Applied=Unknown StandbyFirst: edge-b has the change; edge-a keeps what it has until edge-b was seen to be well with it. Nothing to do; if it stays: see what EdgeReady says',
      );
      expect(line('EdgeReady', {}, { ...done, held: waiting })).toContain('EdgeReady=True EdgesReady: ');
    });

    test('and goes no further is held, with the reason and the way back', () => {
      const unready = edgePodOf('edge-b', { ready: false, unready: 'dns', trouble: 'container dns is not ready yet' });
      const problem = 'pod edge-b-0 is not ready: container dns is not ready yet';
      expect(line('EdgeReady', { pods: [edgePodOf('edge-a'), unready] }, { ...done, held: { ...waiting, problem } })).toContain(
        `EdgeReady=False UpdateHeld: the update stopped at edge-b, edge-a serves as before: ${problem}. To go back: `,
      );
      expect(line('EdgeReady', {}, { ...done, held: { ...waiting, problem: 'the prober does not answer' } })).toBe(
        'EdgeReady=False UpdateHeld: the change stopped at edge-b, edge-a serves as before: the prober does not answer. ' +
          'To go back: undo the last change of the TenantNetwork, or give the operator the edge image that it had (--edge-image, HCPIO_EDGE_IMAGE)',
      );
    });
  });

  describe('an update is held before the last edge', () => {
    const edges = new Map(['edge-a', 'edge-b'].map((name) => [name, { template: 'new', configuration: 'c' }]));
    const pods = [edgePodOf('edge-a'), edgePodOf('edge-b', { template: 'new' })];
    const said = (proof: SegmentProof) => line('EdgeReady', { pods }, { ...done, edges }, proof);

    test('when nobody can see how the first one does, with what to do', () => {
      expect(said(notProbed('ProberSilent', 'the prober does not answer'))).toBe(
        'EdgeReady=False UpdateHeld: edge-a serves as before, because nobody looks from the segment whether it is well: the prober does not answer. ' +
          'To do: kubectl delete pod -n clusters-blue-edge prober-0; the update goes on when the prober answers',
      );
    });

    test('when the first one is ready and yet bad for the segment', () => {
      expect(said({ ...proven, outcome: 'failed', reason: 'ProbeFailed', message: 'DNS edge-b: no answer' })).toBe(
        'EdgeReady=False UpdateHeld: edge-a serves as before, because the segment is not well with the new one: DNS edge-b: no answer. ' +
          'To go back: undo the last change of the TenantNetwork, or give the operator the edge image that it had (--edge-image, HCPIO_EDGE_IMAGE)',
      );
    });

    test('and is not while all is well', () => {
      expect(said(proven)).toContain('EdgeReady=True EdgesReady: ');
    });
  });

  test('OVN knows no address, and our MAC has to do', () => {
    const mac = edgePodOf('edge-a').net1?.mac ?? '';
    expect(line('EdgeReady', { pods: [edgePodOf('edge-a', { net1: { addresses: [], mac } }), edgePodOf('edge-b')] })).toContain(
      'EdgeReady=True EdgesReady: edge-a on hub-a with 02:',
    );
  });
});

describe('EndpointsReady', () => {
  test('a service that HyperShift has not made yet', () => {
    const services = blueObserved().services.filter(({ metadata }) => metadata.name !== 'ignition-server-proxy');
    expect(line('EndpointsReady', { observed: { services } })).toBe(
      'EndpointsReady=False WaitingForHyperShift: waiting: Service clusters-blue/ignition-server-proxy is not there yet. Nothing to do; if it stays: kubectl describe hostedcluster -n clusters blue',
    );
  });

  test('a service without a ready pod', () => {
    expect(line('EndpointsReady', { observed: { endpointSlices: slices('oauth-openshift') } })).toBe(
      'EndpointsReady=False NoReadyUpstream: waiting: no pod behind Service clusters-blue/oauth-openshift is ready. To do: see what those pods wait for: kubectl get pods -n clusters-blue',
    );
  });
});

describe('NodePoolsReleased', () => {
  const [pool] = blueObserved().nodePools;
  const held = nodePool.parse({ ...pool, metadata: { ...pool?.metadata, annotations: { [PAUSE_MARKER]: 'true' } } });

  test('names those that are held', () => {
    expect(line('NodePoolsReleased', { observed: { nodePools: [held] } })).toBe(
      'NodePoolsReleased=False Gated: blue-workers held back until the segment is proven. To do: what SegmentProven says',
    );
  });

  test('is true when nobody asked for a gate', () => {
    expect(line('NodePoolsReleased', { spec: { nodePools: 'Ignore' } })).toBe(
      'NodePoolsReleased=True NotGated: the spec says to leave NodePools alone',
    );
  });
});

test('a tenant network on its way out says what it waits for, and nothing else', () => {
  const step = 'Nothing to do; if it stays: kubectl get namespace clusters-blue-edge -o yaml says what holds it';
  expect(leaving(blueTenant(), 'waiting for namespace x to be gone')).toEqual([
    { type: 'Ready', status: 'False', reason: 'Deleting', message: `waiting for namespace x to be gone. ${step}` },
  ]);
});
