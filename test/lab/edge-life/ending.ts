import { describe, expect, test } from 'vitest';
import { workers } from '../../../src/lab/worker/control.ts';
import type { Edge } from '../testing/edge-pair.ts';
import { askApps, ROUTER, routerOn } from '../testing/guest-router.ts';
import { tenantNetwork } from '../testing/operator.ts';
import { eventually } from '../testing/pods.ts';
import { EDGE_NAMESPACE, type EdgeLife, TENANT, VIP } from './life.ts';

/** Routers on the workers, and the end: of a worker, and of the cluster. */
export function ending(given: () => EdgeLife): void {
  describe('*.apps', () => {
    const asked = () => askApps(given().lab, given().worker, VIP);
    const leadsTo = async (name: string) => {
      const { lab } = given();
      const address = (await tenantNetwork(lab, TENANT)).status?.machines?.find(({ machine }) => machine === name)?.addresses[0] ?? '';
      await routerOn(lab, name, address);
      const expected = new RegExp(`^${address}:${ROUTER.https} from 192\\.168\\.100\\.[24]$`);
      expect(await eventually(asked, (answer) => expected.test(answer), 90_000)).toMatch(expected);
    };

    test('leads nowhere as long as no router runs, which is no error', async () => {
      const { lab } = given();
      expect(await asked()).toBe('closed');
      const { status } = await tenantNetwork(lab, TENANT);
      expect(status?.findings?.filter(({ code }) => code === 'HCPIO-EP-014').map(({ severity }) => severity)).toEqual(['info']);
    });

    test('leads to the worker that runs it, and follows it to another', async () => {
      const { lab, worker } = given();
      const other = (await workers.list(lab)).map(({ name }) => name).find((name) => name !== worker) ?? '';
      await leadsTo(other);
      await leadsTo(worker);
      await lab.stop(`router-${other}`);
      await lab.stop(`router-${worker}`);
    });
  });

  test('a worker that is deleted gives its address back at once', async () => {
    const life = given();
    const { lab, pair, worker } = life;
    const gone = (await workers.list(lab)).map(({ name }) => name).find((name) => name !== worker) ?? '';
    const machine = (await tenantNetwork(lab, TENANT)).status?.machines?.find((one) => one.machine === gone);
    const has = async (edge: Edge) => (await pair.leases(edge)).some((lease) => lease.endsWith(machine?.mac ?? 'none'));
    expect(await has('edge-a')).toBe(true);
    await workers.stop(lab, [gone], life.signal);
    for (const edge of ['edge-a', 'edge-b'] as const)
      expect(
        await eventually(
          () => has(edge),
          (found) => !found,
        ),
      ).toBe(false);
  });

  test('the cluster is deleted: its edge stays until its last worker is gone', async () => {
    const { lab, pair, traffic } = given();
    const seen: string[] = [];
    await traffic.calm();
    const { lost, breaks } = await traffic.toTheEnd('the cluster is deleted', async () => {
      await lab.kubectl(['delete', 'hostedcluster', 'blue', '--namespace=clusters', '--wait=false']);
      await eventually(
        async () => {
          const left = (await workers.list(lab)).length;
          const edges = [await pair.uid('edge-a'), await pair.uid('edge-b')].filter((uid) => uid !== '').length;
          seen.push(`${left} workers, ${edges} edges`);
          return left;
        },
        (left) => left === 0,
        400_000,
      );
    });
    expect(new Set(seen.filter((text) => text.startsWith('1 workers')))).toEqual(new Set(['1 workers, 2 edges']));
    const [failed, all] = lost['connection'] ?? [0, 0];
    expect({ failed, breaks, some: all > 0 }).toEqual({ failed: 0, breaks: 0, some: true });
    await lab.kubectl(['wait', '--for=delete', `namespace/${EDGE_NAMESPACE}`, '--timeout=400s']);
  });
}
