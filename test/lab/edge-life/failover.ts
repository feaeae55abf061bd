import { expect, test } from 'vitest';
import { signalTo } from '../testing/container.ts';
import { otherEdge } from '../testing/edge-pair.ts';
import { netnsOf } from '../testing/from-worker.ts';
import { eventually } from '../testing/pods.ts';
import { EDGE_NAMESPACE, type EdgeLife, RESOLVERS, VIP } from './life.ts';

/** An edge that serves is no more. */
export function failover(given: () => EdgeLife): void {
  test('the pod that holds the VIP is deleted: the other one takes over at once and keeps it', async () => {
    const life = given();
    const { lab, pair, traffic } = life;
    const from = await pair.holder();
    const to = otherEdge(from);
    const before = await pair.uid(from);
    const losses = await traffic.during('the pod with the VIP is deleted', async () => {
      await lab.kubectl(['delete', 'pod', `${from}-0`, `--namespace=${EDGE_NAMESPACE}`, '--wait=false']);
      expect(
        await eventually(
          () => pair.holdsVip(to),
          (held) => held,
        ),
      ).toBe(true);
      const isAnew = ![before, ''].includes(await pair.uid(from));
      expect(isAnew && (await pair.ready()).includes(from)).toBe(false);
      await eventually(
        () => pair.uid(from),
        (uid) => uid !== '' && uid !== before,
      );
      await life.well();
    });
    expect(losses.breaks).toBeGreaterThan(0);
    expect([await pair.holdsVip(from), await pair.holdsVip(to)]).toEqual([false, true]);
  });

  test('Kea hangs: its edge ends it, the other one gives the addresses meanwhile, and hands back', async () => {
    const life = given();
    const { pair, traffic } = life;
    const together = (seen: readonly string[]) => seen.join() === 'HOT-STANDBY,HOT-STANDBY';
    expect(await eventually(() => pair.haStates(), together)).toEqual(['HOT-STANDBY', 'HOT-STANDBY']);
    const answeredBy = async (address: string, since: number) =>
      (await traffic.attempts()).filter(({ what, at, by }) => what === 'dhcp' && at > since && by === address).map(({ at }) => at);
    const restarts = () => pair.field('edge-a', '{.status.containerStatuses[?(@.name=="dhcp")].restartCount}');
    await life.unnoticed('the Kea that serves hangs', async () => {
      const [since, before] = [Date.now(), await restarts()];
      await pair.exec('edge-a', 'dhcp', 'sh', '-c', 'kill -STOP "$(cat /run/kea/kea-dhcp4.pid)"');
      const [first = 0] = await eventually(
        () => answeredBy(RESOLVERS[1], since),
        (found) => found.length > 0,
      );
      const [back = 0] = await eventually(
        () => answeredBy(RESOLVERS[0], first),
        (found) => found.length > 0,
        120_000,
      );
      const seconds = (at: number) => ((at - since) / 1000).toFixed(1);
      console.log(`the other Kea answered ${seconds(first)} s after this one hung, and this one again after ${seconds(back)} s`);
      expect(Number(await restarts())).toBe(Number(before) + 1);
      await life.well();
    });
    expect(await eventually(() => pair.haStates(), together)).toEqual(['HOT-STANDBY', 'HOT-STANDBY']);
    expect(await pair.leases('edge-a')).toEqual(await pair.leases('edge-b'));
  });

  test('the operator and the API of the hub are away: the VIP still leaves a dead gateway, and everything is answered', async () => {
    const life = given();
    const { lab, pair, traffic, worker } = life;
    const netns = await netnsOf(lab, worker);
    const from = await pair.holder();
    const tellGateway = await signalTo(lab, EDGE_NAMESPACE, `${from}-0`, 'gateway');
    const operator = ['deployment/hcpio-operator', '--namespace=hcpio-system'];
    const replicas = await lab.kubectl(['get', ...operator, '--output=jsonpath={.spec.replicas}']);
    const macOfVip = async () =>
      (JSON.parse(await lab.run(['ip', '-json', 'neighbour', 'show', 'to', VIP], { netns })) as [{ readonly lladdr?: string }])[0].lladdr;
    const answered = async (since: number) =>
      [...new Set((await traffic.attempts()).filter(({ at, ok }) => ok && at > since).map(({ what }) => what))].sort();
    const everything = ['connection', 'dhcp', ...RESOLVERS.map((resolver) => `dns ${resolver}`), 'renew', 'watch opened'];
    const dies = async () => {
      await lab.kubectl(['scale', ...operator, '--replicas=0']);
      await lab.stop('kube-apiserver');
      const before = await macOfVip();
      const since = Date.now();
      await tellGateway('SIGKILL');
      expect(await eventually(macOfVip, (mac) => mac !== undefined && mac !== before)).not.toBe(before);
      expect(
        await eventually(
          () => answered(since),
          (seen) => everything.every((what) => seen.includes(what)),
        ),
      ).toEqual(everything);
    };
    try {
      await traffic.during('the gateway with the VIP dies, without operator and API', dies);
    } finally {
      await lab.restart('kube-apiserver');
      await eventually(
        () => lab.kubectl(['get', 'nodes', '--output=name']).catch(() => ''),
        (names) => names !== '',
      );
      await lab.kubectl(['scale', ...operator, `--replicas=${replicas}`]);
      await lab.kubectl(['rollout', 'status', ...operator, '--timeout=120s']);
    }
    await life.well();
    expect(await pair.holdsVip(otherEdge(from))).toBe(true);
  });
}
