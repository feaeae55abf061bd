import { afterEach, expect, test } from 'vitest';
import { change, says } from '../testing/operator.ts';
import { eventually } from '../testing/pods.ts';
import { EDGE_NAMESPACE, type EdgeLife, READY, TENANT } from './life.ts';

/** One edge instead of two, and two again. */
export function availability(given: () => EdgeLife): void {
  const makeIt = (availability: 'Single' | 'HighlyAvailable') => change(given().lab, TENANT, { gateway: { availability } });
  const areTwo = () => says(given().lab, TENANT, 'EdgeReady', /edge-b on hub-\w with 192\.168\.100\.4$/);

  afterEach(async () => {
    await makeIt('HighlyAvailable');
    expect(await areTwo()).toMatch(READY);
  });

  test('one edge instead of two, and two again: the first serves on, with the VIP and all leases', async () => {
    const life = given();
    const { lab, pair, traffic } = life;
    const leases = await pair.leases('edge-a');
    const first = await pair.uid('edge-a');
    const names = () =>
      lab.kubectl(['get', 'statefulset,pod,network-attachment-definitions', `--namespace=${EDGE_NAMESPACE}`, '--output=name']);
    await traffic.calm();
    const before = await pair.takeovers();
    const { breaks } = await traffic.during('the second edge goes', async () => {
      await makeIt('Single');
      await eventually(names, (all) => !all.includes('edge-b'));
      expect(await says(lab, TENANT, 'EdgeReady', /^True EdgesReady: edge-a on hub-\w with 192\.168\.100\.2$/)).toMatch(READY);
      expect(await says(lab, TENANT, 'SegmentProven', /^True/)).toMatch(/^True/);
      expect(await pair.holdsVip('edge-a')).toBe(true);
    });
    const moves = await pair.takeoversSince(before);
    expect({ moves, isCut: breaks > 0 }).toEqual({ moves, isCut: moves > 0 });
    expect([await pair.uid('edge-a'), await pair.leases('edge-a')]).toEqual([first, leases]);
    await life.unnoticed('the second edge comes back', async () => {
      await makeIt('HighlyAvailable');
      expect(await areTwo()).toMatch(READY);
      await eventually(
        () => pair.haStates(),
        (states) => states.join() === 'HOT-STANDBY,HOT-STANDBY',
      );
    });
    expect([await pair.uid('edge-a'), await pair.holder()]).toEqual([first, 'edge-a']);
    expect(
      await eventually(
        () => pair.leases('edge-b'),
        (seen) => seen.join() === leases.join(),
      ),
    ).toEqual(leases);
  });
}
