import { expect, test } from 'vitest';
import type { TenantNetworkStatus } from '../../../api/tenant-network-status.ts';
import type { ObjectRef } from '../../../kube/object.ts';
import { ManualClock } from '../../../kube/testing/manual-clock.ts';
import { notProbed } from '../../segment/proof.ts';
import { recorded } from '../testing/recorded.ts';
import type { Applied } from './apply.ts';
import type { Context } from './context.ts';
import { planFor } from './plan.ts';
import { endpointStates } from './probe.ts';
import { report } from './report.ts';
import { blueTenant } from './testing/tenant.ts';

const policy: ObjectRef = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', namespace: 'clusters-blue', name: 'hcpio-edge' };
const service: ObjectRef = { apiVersion: 'v1', kind: 'Service', namespace: 'clusters-blue-edge', name: 'edge-a-peer' };
const done = { outcome: 'done', objects: 25, created: [], changed: [], removed: [], repaired: [], refused: [] } as const;
const refusedFor = (message: string, ...refs: readonly ObjectRef[]): Applied => ({
  ...done,
  refused: refs.map((ref) => ({ ref, refusal: { reason: 'Forbidden', message, fields: [] } })),
  edges: new Map(),
  probes: undefined,
});

/** Reports one outcome after the other, each an hour after the one before, and gives what each of them told and wrote. */
async function reported(...outcomes: readonly Applied[]) {
  const clock = new ManualClock();
  const rounds: { readonly told: readonly string[]; readonly written: readonly string[] }[] = [];
  let status: TenantNetworkStatus = {};
  for (const applied of outcomes) {
    const record = recorded();
    const world = { sources: { tenants: { wrote() {} } } };
    const context = { ...record, clock, world, metrics: { tenant() {} } } as unknown as Context;
    const tenant = blueTenant({ status });
    const planned = planFor(tenant);
    const endpoints = planned.plan && tenant.observed ? endpointStates(planned.plan, tenant.observed) : [];
    const seen = { edges: [], endpoints, proof: notProbed('NotProbed', 'nobody has looked') };
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
  const well: Applied = { ...done, edges: new Map(), probes: undefined };
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
