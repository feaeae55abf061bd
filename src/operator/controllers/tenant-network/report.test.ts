import { expect, test } from 'vitest';
import type { TenantNetworkStatus } from '../../../api/tenant-network-status.ts';
import { blueObserved } from '../../../hosted-cluster/testing/blue.ts';
import type { ObjectRef } from '../../../kube/object.ts';
import { ManualClock } from '../../../kube/testing/manual-clock.ts';
import { planTenant } from '../../../tenant/plan.ts';
import { notProbed, type SegmentProof } from '../../segment/proof.ts';
import { recorded } from '../testing/recorded.ts';
import type { Applied } from './apply.ts';
import type { Context } from './context.ts';
import { edgeStates } from './edges.ts';
import { planFor } from './plan.ts';
import { endpointStates, type Seen } from './probe.ts';
import { report } from './report.ts';
import { blueTenant, edgePodOf, type TenantChange } from './testing/tenant.ts';

const policy: ObjectRef = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', namespace: 'clusters-blue', name: 'hcpio-edge' };
const service: ObjectRef = { apiVersion: 'v1', kind: 'Service', namespace: 'clusters-blue-edge', name: 'edge-a-peer' };
const done = { outcome: 'done', objects: 25, created: [], changed: [], removed: [], repaired: [], refused: [] } as const;
const refusedFor = (message: string, ...refs: readonly ObjectRef[]): Applied => ({
  ...done,
  refused: refs.map((ref) => ({ ref, refusal: { reason: 'Forbidden', message, fields: [] } })),
  edges: new Map(),
  probes: undefined,
});

const well: Applied = { ...done, edges: new Map(), probes: undefined };

/** Reports one outcome after the other, each an hour after the one before, and gives what each of them told and wrote. */
async function reported(...outcomes: readonly Applied[]) {
  return looked(...outcomes.map((applied) => ({ applied })));
}

interface Look {
  readonly applied?: Applied;
  readonly seen?: Partial<Seen>;
  readonly change?: TenantChange;
}

async function looked(...looks: readonly Look[]) {
  const clock = new ManualClock();
  const rounds: { readonly told: readonly string[]; readonly written: readonly string[] }[] = [];
  let status: TenantNetworkStatus = {};
  for (const { applied = well, seen: sight, change } of looks) {
    const record = recorded();
    const world = { sources: { tenants: { writing: (_: string, write: () => Promise<void>) => write(), wrote() {} } } };
    const context = { ...record, clock, world, metrics: { tenant() {} } } as unknown as Context;
    const tenant = blueTenant({ ...change, status });
    const planned = planFor(tenant);
    const endpoints = planned.plan && tenant.observed ? endpointStates(planned.plan, tenant.observed) : [];
    const seen = { edges: [], endpoints, proof: notProbed('NotProbed', 'nobody has looked'), ...sight };
    await report(tenant, planned, applied, seen, context, new AbortController().signal);
    status = (record.status ?? status) as TenantNetworkStatus;
    rounds.push({ told: record.told, written: record.written });
    await clock.advance(3_600_000);
  }
  return rounds;
}

const silence = { told: [], written: [] };
const written = ['status of hcpio.io/v1alpha1 TenantNetwork clusters/blue'];

test('that the namespace is taken is told once, however often it is looked at', async () => {
  const told = ['Warning NamespaceTaken: namespace clusters-blue-edge exists and is not ours; it is left alone'];
  const taken: Applied = { outcome: 'namespaceTaken' };
  expect(await reported(taken, taken, taken)).toEqual([{ told, written }, silence, silence]);
});

test('a refused object is told once, again when the refusal says something else, and again when it was well meanwhile', async () => {
  const quota = refusedFor('exceeded quota', policy);
  const note = 'Warning ObjectRefused: the API server does not take networking.k8s.io/v1 NetworkPolicy clusters-blue/hcpio-edge';
  const other = refusedFor('denied by policy', policy);
  expect(await reported(quota, quota, other, other, well, quota)).toEqual([
    { told: [`${note}: exceeded quota`], written },
    silence,
    { told: [`${note}: denied by policy`], written },
    silence,
    { told: [], written },
    { told: [`${note}: exceeded quota`], written },
  ]);
});

test('the order in which the API server happened to refuse is no news', async () => {
  const [first, second] = await reported(refusedFor('no', policy, service), refusedFor('no', service, policy));
  expect(first?.told.length).toBe(2);
  expect(second).toEqual(silence);
});

test('deeds are told: what was applied, and what was put back', async () => {
  const created: Applied = { ...well, created: [policy, service], changed: [service], removed: [policy] } as Applied;
  const taken = [{ field: '.spec.ports', message: 'conflict with "kubectl-edit" using v1' }];
  const repaired = { ...well, repaired: [{ ref: service, fields: ['spec.ports'], taken }] } as Applied;
  expect((await reported(created, repaired, well)).map(({ told }) => told)).toEqual([
    ['Normal Applied: 2 objects created, changed Service edge-a-peer, removed NetworkPolicy hcpio-edge for namespace clusters-blue-edge'],
    ['Warning Repaired: somebody else changed v1 Service clusters-blue-edge/edge-a-peer (kubectl-edit); put back: spec.ports'],
    [],
  ]);
});

test('turns are told: ready, no longer ready; and what is not ready yet is no news', async () => {
  const proof: SegmentProof = {
    outcome: 'proven',
    reason: 'Proven',
    message: 'DHCP offers addresses',
    answered: [],
    rogueServers: [],
    serials: [],
  };
  const edges = edgeStates(planTenant(blueObserved()), [edgePodOf('edge-a'), edgePodOf('edge-b')]);
  const rogue: SegmentProof = { ...proof, outcome: 'failed', reason: 'RogueDhcpServer', message: 'two', rogueServers: ['192.168.100.66'] };
  const waiting = { seen: { edges } };
  const ready = { seen: { edges, proof } };
  const spoilt = { seen: { edges, proof: rogue } };
  expect((await looked(waiting, ready, ready, spoilt, spoilt, ready)).map(({ told }) => told)).toEqual([
    [],
    ['Normal Ready: everything answers from the segment'],
    [],
    [
      expect.stringMatching(/^Warning NotReady: SegmentProven: two\. To do: /),
      'Warning RogueDhcpServer: 192.168.100.66 gives out addresses on the segment as well',
    ],
    [],
    ['Normal Ready: everything answers from the segment'],
  ]);
});

test('a change that goes from edge to edge is no warning, unless it stops', async () => {
  const edges = edgeStates(planTenant(blueObserved()), [edgePodOf('edge-a'), edgePodOf('edge-b')]);
  const proof = { outcome: 'proven', reason: 'Proven', message: '', answered: [], rogueServers: [], serials: [] } as const;
  const held = (problem?: string): Applied => ({ ...well, held: { holder: 'edge-a', standby: 'edge-b', problem, againMs: 1 } }) as Applied;
  const look = (applied: Applied) => ({ applied, seen: { edges, proof } });
  const [ready, changing, stopped] = [look(well), look(held()), look(held('DNS is silent'))];
  const said = (await looked(ready, changing, changing, ready, changing, stopped, stopped, ready)).map(({ told }) => told);
  expect(said.map((one) => one.map((text) => text.split(': ').slice(0, 2).join(': ')))).toEqual([
    [],
    ['Normal Changing: Applied'],
    [],
    ['Normal Ready: everything answers from the segment'],
    ['Normal Changing: Applied'],
    ['Warning NotReady: EdgeReady'],
    [],
    ['Normal Ready: everything answers from the segment'],
  ]);
});

test('an error of the checks is told once, with its code and what to do', async () => {
  const overlap = {
    change: { spec: { segment: { attachment: 'default/vlan100', cidrs: ['10.128.4.0/24'] } } },
    applied: { outcome: 'held' },
  } as const;
  const [first, second] = await looked(overlap, overlap);
  expect(first?.told).toEqual([expect.stringMatching(/^Warning Refused: HCPIO-NET-003 clusters\/blue TenantNetwork: .*10\.128\.4\.0\/24/)]);
  expect(second).toEqual(silence);
});
