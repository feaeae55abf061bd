import { describe, expect, test } from 'vitest';
import type { EventToTell } from '../../../kube/events.ts';
import { notProbed, type SegmentProof } from '../../segment/proof.ts';
import type { EdgePod } from '../../world/edge-pod.ts';
import type { Applied } from './apply.ts';
import type { Context } from './context.ts';
import type { EdgeState } from './edges.ts';
import { nextStep, nextToRoll, roll } from './roll.ts';
import { blueTenant, edgePodOf } from './testing/tenant.ts';

const intents = new Map(['edge-a', 'edge-b'].map((name) => [name, { template: 'new', configuration: 'c' }]));
const MADE = '2026-11-01T10:00:00Z';
const LATER = '2026-11-01T10:05:00Z';
const nobody = notProbed('NotProbed', 'nobody has looked');
const proof = (outcome: 'proven' | 'failed', holder?: 'edge-a' | 'edge-b'): SegmentProof => ({
  outcome,
  reason: outcome === 'proven' ? 'Proven' : 'ProbeFailed',
  message: '',
  answered: [],
  rogueServers: [],
  serials: [],
  ...(holder ? { holder } : {}),
});

function edge(name: 'edge-a' | 'edge-b', template: string, ready = true, change: Partial<EdgePod> = {}): EdgeState {
  const metadata = { namespace: 'edge', name: `${name}-0`, uid: 'u', resourceVersion: '1' };
  const pod: EdgePod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    tenant: 't',
    edge: name,
    node: 'n',
    address: '10.128.0.9',
    ready,
    terminating: false,
    made: MADE,
    template,
    configuration: 'c',
    settings: '',
    yielded: '',
    net1: undefined,
    trouble: '',
    stuck: false,
    ...change,
  };
  return { name, pod, ready, problem: ready ? undefined : { kind: 'notReady', text: '' } };
}
const missing = (name: 'edge-a' | 'edge-b'): EdgeState => ({ name, pod: undefined, ready: false, problem: { kind: 'missing', text: '' } });
const rolled = (edges: readonly EdgeState[], seen: SegmentProof = nobody) => nextToRoll(edges, intents, seen)?.edge;

test('pods of the current template stay', () => {
  expect(rolled([edge('edge-a', 'new'), edge('edge-b', 'new')])).toBeUndefined();
});

test('the standby goes first; as long as nobody knows who that is, edge-b', () => {
  const outdated = [edge('edge-a', 'old'), edge('edge-b', 'old')];
  expect(rolled(outdated)).toBe('edge-b');
  expect(rolled(outdated, proof('proven', 'edge-b'))).toBe('edge-a');
  expect(rolled(outdated, proof('proven', 'edge-a'))).toBe('edge-b');
});

test('the second waits until the first is back', () => {
  expect(rolled([edge('edge-a', 'old'), missing('edge-b')])).toBeUndefined();
  expect(rolled([edge('edge-a', 'old'), edge('edge-b', 'old', false, { terminating: true })])).toBeUndefined();
  expect(rolled([edge('edge-a', 'old'), edge('edge-b', 'new', false)])).toBeUndefined();
  expect(rolled([edge('edge-a', 'old'), edge('edge-b', 'new')])).toBe('edge-a');
});

test('an outdated pod that does not work is made anew at once: nothing is lost by it', () => {
  expect(rolled([edge('edge-a', 'old'), edge('edge-b', 'old', false)])).toBe('edge-b');
  expect(rolled([edge('edge-a', 'old', false), edge('edge-b', 'new')])).toBe('edge-a');
});

test('a pod that works as well as it can is not given up while the new one does not', () => {
  const halfWell = edge('edge-a', 'old', false);
  expect(rolled([halfWell, edge('edge-b', 'new', false)])).toBeUndefined();
});

test('an edge that refused its configuration still serves: it goes in its turn, and the other one may go meanwhile', () => {
  const refusing = (name: 'edge-a' | 'edge-b', template = 'old'): EdgeState => ({
    ...edge(name, template, false),
    problem: { kind: 'refused', text: '' },
  });
  expect(rolled([refusing('edge-a'), refusing('edge-b')])).toBe('edge-b');
  expect(rolled([refusing('edge-a'), edge('edge-b', 'new')])).toBe('edge-a');
  expect(rolled([edge('edge-a', 'old'), refusing('edge-b', 'new')])).toBeUndefined();
});

test('the way back leads over the edge that was changed last, and leaves the other one alone', () => {
  expect(rolled([edge('edge-a', 'new'), edge('edge-b', 'bad', false)])).toBe('edge-b');
});

test('the way back does not wait for a segment that is not well with what is to be undone', () => {
  const [before, tried] = [edge('edge-a', 'new'), edge('edge-b', 'bad', true, { made: LATER })];
  expect(rolled([before, tried], proof('failed', 'edge-a'))).toBe('edge-b');
  // Forward it does: who is new has been there for the shorter time.
  expect(rolled([edge('edge-a', 'old'), edge('edge-b', 'new', true, { made: LATER })], proof('failed', 'edge-b'))).toBeUndefined();
});

test('when the segment is not well after the first, the second stays as it is', () => {
  expect(rolled([edge('edge-a', 'old'), edge('edge-b', 'new')], proof('failed'))).toBeUndefined();
  // Before anything was rolled a sick segment is no reason to wait: the new template may be the cure.
  expect(rolled([edge('edge-a', 'old'), edge('edge-b', 'old')], proof('failed'))).toBe('edge-b');
});

test('a single edge has nobody to wait for', () => {
  expect(rolled([edge('edge-a', 'old')])).toBe('edge-a');
});

describe('the VIP is moved before its holder is replaced', () => {
  const step = (edges: readonly EdgeState[], seen: SegmentProof) => {
    const next = nextStep(edges, intents, seen);
    return next && `${next.kind} ${next.pod.edge}`;
  };
  const old = (yielded = '') => edge('edge-a', 'old', true, { yielded });
  const fresh = (yielded = '') => edge('edge-b', 'new', true, { yielded });

  test('it is asked for, seen to have moved, and then the other one goes', () => {
    expect(step([old(), fresh()], proof('proven', 'edge-a'))).toBe('yield edge-a');
    expect(step([old('new'), fresh()], proof('proven', 'edge-b'))).toBe('replace edge-a');
  });

  test('an edge that does not understand is replaced all the same, and so is one of which nobody knows', () => {
    expect(step([old('new'), fresh()], proof('proven', 'edge-a'))).toBe('replace edge-a');
    expect(step([old(), fresh()], nobody)).toBe('replace edge-a');
  });

  test('when the segment is not well after the move it is moved back, once, and nobody goes', () => {
    expect(step([old('new'), fresh()], proof('failed', 'edge-b'))).toBe('yield edge-b');
    expect(step([old('new'), fresh('new')], proof('failed', 'edge-b'))).toBeUndefined();
    expect(step([old('new'), fresh('new')], proof('proven', 'edge-a'))).toBeUndefined();
  });

  test('it does not move while the segment is not well, nor for the first of two or a single one', () => {
    expect(step([old(), fresh()], proof('failed', 'edge-a'))).toBeUndefined();
    expect(step([edge('edge-a', 'old'), edge('edge-b', 'old')], proof('proven', 'edge-a'))).toBe('replace edge-b');
    expect(step([edge('edge-a', 'old')], proof('proven', 'edge-a'))).toBe('replace edge-a');
  });
});

describe('before the last one goes, somebody looks from the segment', () => {
  const outdated = [edge('edge-a', 'old'), edge('edge-b', 'new')];
  const applied: Applied = {
    outcome: 'done',
    objects: 1,
    created: [],
    changed: [],
    removed: [],
    repaired: [],
    refused: [],
    edges: intents,
    probes: 'list',
  };
  const report = (verdict: 'passed' | 'failed') =>
    JSON.stringify({
      tenant: 'clusters/blue',
      list: 'list',
      results: [{ group: 'DNS', subject: 'edge-b', verdict, message: '', milliseconds: 1 }],
      answered: [],
      rogueServers: [],
      serials: [],
      ageMilliseconds: 0,
    });

  async function rolling(edges: readonly EdgeState[], look: () => Promise<string>, told: string[] = [], change: Applied = applied) {
    const removed: string[] = [];
    let looks = 0;
    const context = {
      lookNow: () => {
        looks++;
        return look();
      },
      writer: { remove: async (_: unknown, { name }: { name: string }) => removed.push(name), patch: async () => undefined },
      tell: ({ type, reason, note }: EventToTell) => void told.push(`${type} ${reason}: ${note}`),
    } as unknown as Context;
    const tenant = blueTenant({ pods: [{ ...edgePodOf('edge-a'), edge: 'prober', address: '10.128.0.9' }] });
    const seen = { edges, endpoints: [], proof: proof('proven', 'edge-b') };
    const againMs = await roll(tenant, change, seen, context, AbortSignal.any([]));
    return { removed, looks, againMs };
  }

  test('it goes when the segment is well', async () => {
    expect(await rolling(outdated, async () => report('passed'))).toEqual({ removed: ['edge-a-0'], looks: 1, againMs: undefined });
  });

  test('what is done is told', async () => {
    const told: string[] = [];
    await rolling(outdated, async () => report('passed'), told);
    await rolling(outdated, async () => JSON.stringify({ ...JSON.parse(report('passed')), holder: 'edge-a' }), told);
    expect(told).toEqual([
      'Normal EdgeRolled: pod edge-a-0 is made anew, because its template changed',
      'Normal VipMoved: pod edge-a-0 was asked to give the VIP to the other edge',
    ]);
  });

  test('it stays when the segment is not well, and is looked at again', async () => {
    expect(await rolling(outdated, async () => report('failed'))).toEqual({ removed: [], looks: 1, againMs: 5000 });
  });

  test('it stays while the prober does not answer: nobody knows whether the new one serves', async () => {
    expect(await rolling(outdated, () => Promise.reject(new Error('gone')))).toEqual({ removed: [], looks: 1, againMs: 5000 });
  });

  test('a segment on which there is no room for a prober is rolled all the same', async () => {
    expect(await rolling(outdated, async () => report('failed'), [], { ...applied, probes: undefined })).toEqual({
      removed: ['edge-a-0'],
      looks: 0,
      againMs: undefined,
    });
  });

  describe('the first one', () => {
    const both = [edge('edge-a', 'old'), edge('edge-b', 'old')];
    const heldBy = (holder: string) => async () => JSON.stringify({ ...JSON.parse(report('failed')), list: 'another', holder });

    test('is the standby of this moment, whatever was seen before and of whatever plan', async () => {
      expect(await rolling(both, heldBy('edge-a'))).toEqual({ removed: ['edge-b-0'], looks: 1, againMs: undefined });
      expect(await rolling(both, heldBy('edge-b'))).toEqual({ removed: ['edge-a-0'], looks: 1, againMs: undefined });
    });

    test('is the standby as it was seen last when nobody answers', async () => {
      expect(await rolling(both, () => Promise.reject(new Error('gone')))).toEqual({ removed: ['edge-a-0'], looks: 1, againMs: undefined });
    });

    test('of one needs no look', async () => {
      expect(await rolling([edge('edge-a', 'old')], heldBy('edge-a'))).toEqual({ removed: ['edge-a-0'], looks: 0, againMs: undefined });
    });
  });
});
