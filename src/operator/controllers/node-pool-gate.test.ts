import { expect, test } from 'vitest';
import { emptyWorld, put } from '../../../test/operator/filled-world.ts';
import { hostedCluster, nodePool, tenant, tenantNetwork } from '../../../test/operator/player.ts';
import { PAUSE_MARKER } from '../../api/markers.ts';
import { nodePoolGateReconciler } from './node-pool-gate.ts';
import { recorded } from './testing/recorded.ts';

const played = tenant(1);

/** What comes of a NodePool with these annotations and this pause, beside a tenant network whose segment is proven or not. */
async function gated(proven: boolean, annotations: Record<string, string> = {}, pausedUntil?: string) {
  const world = emptyWorld();
  const pool = nodePool(played);
  const conditions = [{ type: 'SegmentProven', status: proven ? 'True' : 'False', reason: 'x', message: '', lastTransitionTime: '' }];
  put(world, hostedCluster(played), { ...tenantNetwork(played), status: { conditions } });
  const spec = { ...(pool['spec'] as object), ...(pausedUntil ? { pausedUntil } : {}) };
  put(world, { ...pool, metadata: { ...pool.metadata, annotations }, spec });
  const record = recorded();
  const context = { signal: new AbortController().signal, reconcileId: '1', failures: 0 };
  await nodePoolGateReconciler({ world, ...record })(`${played.namespace}/${played.name}`, context);
  return { told: record.told, written: record.written };
}

const written = ['patch NodePool t1'];
const held = { [PAUSE_MARKER]: 'true' };

test('a new NodePool is held, and that is told', async () => {
  expect(await gated(false)).toEqual({ told: ['Normal Held: paused until the tenant network answers on the segment'], written });
});

test('it is let go when the segment is proven, and that is told', async () => {
  expect(await gated(true, held, 'true')).toEqual({
    told: ['Normal Released: the tenant network answers on the segment, or nobody asks for it any more; the pause is lifted'],
    written,
  });
});

test('one whose pause somebody changed is theirs from then on, and that is told', async () => {
  expect(await gated(false, held, '2030-01-01T00:00:00Z')).toEqual({
    told: ['Normal Yielded: somebody else changed the pause; hcpio leaves the NodePool alone from now on'],
    written,
  });
});

test('nothing to do is nothing to tell', async () => {
  expect(await gated(false, held, 'true')).toEqual({ told: [], written: [] });
  expect(await gated(true)).toEqual({ told: [], written: [] });
});
