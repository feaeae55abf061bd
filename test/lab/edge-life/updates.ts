import { expect, test } from 'vitest';
import { EDGE_IMAGE, edgeImage } from '../../../src/lab/images/edge.ts';
import { toolPath } from '../../../tools/paths.ts';
import { deedsSince, type Edge, otherEdge } from '../testing/edge-pair.ts';
import { spoil } from '../testing/image-variant.ts';
import { says, setEdgeImage } from '../testing/operator.ts';
import { eventually } from '../testing/pods.ts';
import { type EdgeLife, TENANT } from './life.ts';

/** Another image of the edge, and such as are no good. */
const NEXT_IMAGE = 'localhost/hcpio/edge:next';
const MUTE_IMAGE = 'localhost/hcpio/edge:mute';

/** An edge that answers no name and says that all is well. */
const MUTE = {
  'usr/bin/coredns': '#!/bin/sh\nexec sleep infinity\n',
  'usr/libexec/hcpio/dns-ready': '#!/bin/sh\n',
  'usr/libexec/hcpio/ask': '#!/bin/sh\n',
};

/** Both pods were made anew, and all is well since. */
async function renewed(life: EdgeLife, before: readonly string[], meanwhile: () => Promise<void>): Promise<void> {
  const { pair } = life;
  await eventually(
    async () => {
      await meanwhile();
      return Promise.all([pair.uid('edge-a'), pair.uid('edge-b')]);
    },
    (now) => now.every((uid, i) => uid !== '' && uid !== before[i]),
    180_000,
  );
  await life.well();
}

export function updates(given: () => EdgeLife): void {
  test('that does not come up stops at the first edge, and goes back', async () => {
    const life = given();
    const { lab, pair, traffic } = life;
    const before = { 'edge-a': await pair.uid('edge-a'), 'edge-b': await pair.uid('edge-b') };
    let serving: Edge | undefined;
    await traffic.during('an image that does not exist', async () => {
      try {
        await setEdgeImage(lab, 'localhost/hcpio/edge:absent');
        const said = await says(lab, TENANT, 'EdgeReady', /UpdateHeld/);
        const held =
          /^False UpdateHeld: the update stopped at edge-[ab], (edge-[ab]) serves as before: .*its image cannot be pulled\. To go back: /;
        expect(said).toMatch(held);
        serving = held.exec(said)?.[1] as Edge;
        expect(await pair.holdsVip(serving)).toBe(true);
      } finally {
        await setEdgeImage(lab, EDGE_IMAGE);
        await life.well();
      }
    });
    expect(serving && (await pair.uid(serving))).toBe(serving && before[serving]);
  });

  test('that comes up and is no good for the segment stops at the first edge, although all its probes are content', async () => {
    const life = given();
    const { lab, pair } = life;
    await spoil(lab, edgeImage, MUTE_IMAGE, MUTE, life.signal);
    await life.unnoticed('an image whose DNS is mute', async () => {
      const last = await pair.holder();
      const before = await pair.uid(last);
      try {
        await setEdgeImage(lab, MUTE_IMAGE);
        const said = await says(lab, TENANT, 'EdgeReady', /UpdateHeld/);
        expect(said).toMatch(
          new RegExp(`^False UpdateHeld: ${last} serves as before, because the segment is not well with the new one: .*${otherEdge(last)}`),
        );
        expect(await pair.ready()).toEqual(['edge-a', 'edge-b']);
        expect([await pair.holder(), await pair.uid(last)]).toEqual([last, before]);
      } finally {
        await setEdgeImage(lab, EDGE_IMAGE);
        await life.well();
      }
      expect(await pair.uid(last)).toBe(before);
    });
  });

  test('makes both anew, one after the other, with all leases', async () => {
    const life = given();
    const { lab, pair, traffic } = life;
    const before = [await pair.uid('edge-a'), await pair.uid('edge-b')];
    const leases = await pair.leases('edge-a');
    for (const { containerd } of lab.nodes)
      await lab.run([toolPath('ctr'), `--address=${containerd.socket}`, '--namespace=k8s.io', 'images', 'tag', EDGE_IMAGE, NEXT_IMAGE]);
    const since = Date.now();
    const last = await pair.holder();
    const ready: (readonly string[])[] = [];
    const losses = await traffic.during('another image', async () => {
      await setEdgeImage(lab, NEXT_IMAGE);
      await renewed(life, before, async () => void ready.push(await pair.ready()));
    });
    expect(await deedsSince(lab, since)).toEqual([`EdgeRolled ${otherEdge(last)}`, `VipMoved ${last}`, `EdgeRolled ${last}`]);
    expect(ready.filter((edges) => edges.length === 0)).toEqual([]);
    expect(ready.some((edges) => edges.length === 1)).toBe(true);
    expect(await Promise.all((['edge-a', 'edge-b'] as const).map((edge) => pair.field(edge, '{.spec.containers[0].image}')))).toEqual([
      NEXT_IMAGE,
      NEXT_IMAGE,
    ]);
    // The one that held the VIP took its connections along; nobody was without a gateway for long.
    expect(losses.breaks).toBeGreaterThan(0);
    expect(await pair.leases('edge-a')).toEqual(leases);
    expect(await pair.leases('edge-b')).toEqual(leases);
  });
}
