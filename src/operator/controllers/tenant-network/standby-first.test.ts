import { describe, expect, test } from 'vitest';
import type { TenantNetworkStatus } from '../../../api/tenant-network-status.ts';
import { TENANT } from '../../../gateway/labels.ts';
import type { ObjectRef } from '../../../kube/object.ts';
import type { ProbeResult } from '../../../probes/report.ts';
import { planTenant } from '../../../tenant/plan.ts';
import { renderTenant } from '../../../tenant/render.ts';
import { type Intent, intentOf, templateMark } from '../../ledger/intent.ts';
import type { EdgePod } from '../../world/edge-pod.ts';
import type { Context } from './context.ts';
import { heldBack, isHeld, SETTLED_MS, settingsOf, writeTold } from './standby-first.ts';
import { blueTenant, edgePodOf } from './testing/tenant.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const render = { platform: 'kubernetes' } as const;
const tenant = blueTenant();
const plan = planTenant(tenant.observed as NonNullable<typeof tenant.observed>);
const intents = renderTenant(plan, tenant.observed as NonNullable<typeof tenant.observed>, render)
  .manifests.filter(({ metadata }) => metadata.labels?.[TENANT] !== undefined)
  .map(intentOf);
const settings = settingsOf(tenant, { render });
type Edge = 'edge-a' | 'edge-b';

const told = (what: string, secondsAgo: number, proven = true) => writeTold({ settings: what, at: NOW - secondsAgo * 1000, proven });
function pod(edge: Edge, change: Partial<EdgePod> = {}): EdgePod {
  const workload = intents.find(({ object }) => object.kind === 'StatefulSet' && object.metadata.name === edge) as Intent;
  return edgePodOf(edge, { template: templateMark(workload.object), settings: told('before', 3600), ...change });
}
const passed: ProbeResult = { group: 'DNS', subject: 'edge-b 192.168.100.4 udp', verdict: 'late', message: '', milliseconds: 1 };
const serials = [{ edge: 'edge-b', zone: 'blue.example.com', serial: 1 }];

interface Case {
  readonly a?: Partial<EdgePod> | 'gone';
  readonly b?: Partial<EdgePod> | 'gone';
  readonly holder?: Edge;
  /** Whose files are as they were before. */
  readonly behind?: readonly Edge[];
  /** Who has no files yet. */
  readonly toBe?: Edge;
  readonly report?: object | 'silent';
}

async function held({ a = {}, b = {}, holder, behind = ['edge-a'], toBe, report = {} }: Case) {
  const edges = holder && [{ name: holder, addresses: [], ready: true, holdsVip: true }];
  const status = (edges ? { edges } : {}) as TenantNetworkStatus;
  const pods = [
    a === 'gone' ? [] : pod('edge-a', a),
    b === 'gone' ? [] : pod('edge-b', b),
    { ...edgePodOf('edge-a'), edge: 'prober' },
  ].flat();
  const asIntended = (intent: Intent) => !behind.some((edge) => intent.object.metadata.name.startsWith(`${edge}-`));
  const body = {
    tenant: 'clusters/blue',
    list: 'l',
    results: [passed],
    answered: [],
    rogueServers: [],
    serials,
    ageMilliseconds: 0,
    ...(report as object),
  };
  const context = {
    render,
    clock: { now: () => NOW },
    lookNow: async () => (report === 'silent' ? Promise.reject(new Error('gone')) : JSON.stringify(body)),
    world: {
      entry(ref: ObjectRef) {
        if (toBe !== undefined && ref.name.startsWith(`${toBe}-`)) return undefined;
        const intent = intents.find(({ object }) => object.kind === ref.kind && object.metadata.name === ref.name) as Intent;
        return { metadata: { terminating: false }, intent: asIntended(intent) ? intent.hash : 'older', owned: '{}' };
      },
    },
  } as unknown as Context;
  const found = await heldBack(blueTenant({ pods, status }), plan, intents, context, AbortSignal.any([]));
  return found && `${found.holder} waits for ${found.standby}${found.problem ? `: ${found.problem}` : ''}`;
}

const WAITS = 'edge-a waits for edge-b';
const following = { settings: told(settings, 60) };

describe('a decision', () => {
  test('goes to the edge without the VIP first; as long as nobody knows who that is, to edge-b', async () => {
    expect(await held({ behind: ['edge-a', 'edge-b'] })).toBe(WAITS);
    expect(await held({ behind: ['edge-a', 'edge-b'], holder: 'edge-b' })).toBe('edge-b waits for edge-a');
  });

  test('is not begun by what was seen a while ago: who has the VIP is asked', async () => {
    const asked = { behind: ['edge-a', 'edge-b'], report: { holder: 'edge-b' } } as const;
    expect(await held(asked)).toBe('edge-b waits for edge-a');
    expect(await held({ ...asked, holder: 'edge-a' })).toBe('edge-b waits for edge-a');
  });

  test('reaches the other one when the first is ready long enough after it was told, and answers on the segment', async () => {
    expect(await held({ b: { settings: told(settings, SETTLED_MS / 1000 - 1) } })).toBe(WAITS);
    expect(await held({ b: following })).toBeUndefined();
  });

  test('stops at one that is not ready with it, and at one that does not answer on the segment', async () => {
    const unready = { ...following, ready: false, unready: 'dhcp', trouble: 'container dhcp is not ready yet' };
    expect(await held({ b: unready })).toBe(`${WAITS}: pod edge-b-0 is not ready: container dhcp is not ready yet`);
    const silent = { ...passed, verdict: 'failed', message: 'no answer' };
    expect(await held({ b: following, report: { results: [silent], serials: [] } })).toBe(
      `${WAITS}: seen from the segment, DNS edge-b 192.168.100.4 udp fails since: no answer`,
    );
    expect(await held({ b: following, report: 'silent' })).toBe(`${WAITS}: nobody looks from the segment: the prober does not answer`);
  });

  test('stops when the segment was well before and is not now; when it was not, the change may be the cure', async () => {
    const results = [{ ...passed, group: 'TLS', subject: 'APIServer', verdict: 'failed', message: 'no answer' }];
    expect(await held({ b: following, report: { results } })).toBe(`${WAITS}: seen from the segment, TLS APIServer fails since: no answer`);
    expect(await held({ b: { settings: told(settings, 60, false) }, report: { results } })).toBeUndefined();
  });

  test('goes on as it began, wherever the VIP is by now and whatever else has happened', async () => {
    const justTold = { settings: told(settings, 1) };
    expect(await held({ b: justTold, holder: 'edge-b' })).toBe(WAITS);
    expect(await held({ a: justTold, behind: ['edge-a', 'edge-b'] })).toBe('edge-b waits for edge-a');
  });
});

describe('everything is written at once', () => {
  test('when only what happened has changed: a machine came', async () => {
    expect(await held({ a: following, b: following, behind: ['edge-a', 'edge-b'] })).toBeUndefined();
  });

  test('when nobody is left to go first, or nobody to be spared', async () => {
    const lost = { ready: false, trouble: 'it is starting' };
    const behind = ['edge-a', 'edge-b'] as const;
    expect(await held({ b: 'gone', behind })).toBeUndefined();
    expect(await held({ b: lost, behind })).toBeUndefined();
    expect(await held({ a: lost, behind })).toBeUndefined();
  });

  test('when one that was alone becomes half of a pair', async () => {
    expect(await held({ a: { template: 'older' }, b: 'gone', toBe: 'edge-b' })).toBeUndefined();
  });

  test('but not when it was the change, or an update, that took the first one away', async () => {
    const crashing = { settings: told(settings, 60), ready: false, trouble: 'container dns keeps failing' };
    expect(await held({ b: crashing })).toBe(`${WAITS}: pod edge-b-0 is not ready: container dns keeps failing`);
    expect(await held({ b: 'gone' })).toBe(WAITS);
    expect(await held({ b: { ...crashing, settings: told('another', 60) }, behind: ['edge-a', 'edge-b'] })).toBe(WAITS);
    expect(await held({ a: { template: 'older' }, b: 'gone', behind: ['edge-a', 'edge-b'] })).toBe(WAITS);
  });
});

test('the files of the one that waits stay, and what the segment is measured by', () => {
  const waiting = { holder: 'edge-a', standby: 'edge-b', problem: undefined, againMs: 1 } as const;
  expect(intents.filter((intent) => isHeld(intent, waiting)).map(({ object }) => object.metadata.name)).toEqual(
    intents
      .filter(({ object }) => object.kind === 'ConfigMap' && !object.metadata.name.startsWith('edge-b-'))
      .map(({ object }) => object.metadata.name),
  );
});
