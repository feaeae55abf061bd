/** One tenant with a pair of edges and a worker whose traffic never stops: what every part of an edge's life begins with. */
import { expect } from 'vitest';
import type { KubeObject } from '../../../src/kube/object.ts';
import { openLab } from '../../../src/lab/open.ts';
import type { RunningLab } from '../../../src/lab/running-lab.ts';
import { workers } from '../../../src/lab/worker/control.ts';
import { hcpioLab, hcpioLabWell } from '../testing/cli.ts';
import { EdgePair } from '../testing/edge-pair.ts';
import { remainsOf } from '../testing/machine.ts';
import { says } from '../testing/operator.ts';
import { eventually } from '../testing/pods.ts';
import { type Losses, Traffic, taskOf } from '../testing/traffic.ts';

export const TENANT = 'blue';
export const EDGE_NAMESPACE = 'clusters-blue-edge';
export const VIP = '192.168.100.3';
export const RESOLVERS = ['192.168.100.2', '192.168.100.4'] as const;
export const READY = /^True EdgesReady/;
const NAME = 'tlife';

export class EdgeLife {
  readonly signal = new AbortController().signal;
  readonly lab: RunningLab;
  readonly pair: EdgePair;
  readonly worker: string;
  readonly traffic: Traffic;

  private constructor(lab: RunningLab, pair: EdgePair, worker: string, traffic: Traffic) {
    this.lab = lab;
    this.pair = pair;
    this.worker = worker;
    this.traffic = traffic;
  }

  static async begin(): Promise<EdgeLife> {
    await hcpioLab('down', '--name', NAME);
    await hcpioLabWell('up', '--name', NAME, '--operator');
    const lab = await openLab(NAME);
    const spec = { segment: { attachment: 'default/vlan100', cidrs: ['192.168.100.0/24'] }, nodePools: 'Ignore', deletionPolicy: 'Delete' };
    const metadata = { name: TENANT, namespace: 'clusters' };
    await lab.apply([{ apiVersion: 'hcpio.io/v1alpha1', kind: 'TenantNetwork', metadata, spec } as KubeObject]);
    const [first] = await workers.start(lab, { kind: 'netns', count: 1, segment: 'vlan100' }, new AbortController().signal);
    const worker = first?.name ?? '';
    expect(await says(lab, TENANT, 'EdgeReady', READY)).toMatch(READY);
    await eventually(
      () => workers.list(lab),
      (all) => all.every(({ steps }) => steps.some(({ step }) => step === 'ready')),
      120_000,
    );
    const traffic = await Traffic.start(lab, worker, await taskOf(lab, TENANT, worker, { vip: VIP, resolvers: RESOLVERS }));
    return new EdgeLife(lab, new EdgePair(lab, EDGE_NAMESPACE, VIP), worker, traffic);
  }

  static async end(): Promise<void> {
    await hcpioLab('down', '--name', NAME, '--purge');
    expect(remainsOf(NAME)).toEqual([]);
  }

  /** Waits until both edges are well. */
  async well(): Promise<void> {
    expect(await says(this.lab, TENANT, 'EdgeReady', READY)).toMatch(READY);
  }

  /**
   * Something that no connection may notice. On a machine that is too busy to run keepalived for half a second the VIP moves by itself,
   * and takes its connections along: that is told, and the same is done again, whatever else came of it. Of three times one has to be
   * without it.
   */
  async unnoticed(title: string, work: (attempt: number) => Promise<void>): Promise<Losses> {
    for (let attempt = 1; ; attempt++) {
      await this.traffic.calm();
      const before = await this.pair.takeovers();
      const failures: unknown[] = [];
      const losses = await this.traffic.during(title, () => work(attempt).catch((error: unknown) => void failures.push(error)));
      const moves = await this.pair.takeoversSince(before);
      const [lost = 0, tried = 0] = losses.lost['connection'] ?? [];
      if (moves === 0 || attempt === 3) {
        if (failures.length > 0) throw failures[0];
        expect({ moves, breaks: losses.breaks, lost, some: tried > 0 }).toEqual({ moves: 0, breaks: 0, lost: 0, some: true });
        return losses;
      }
      console.log(`${title}: the VIP moved ${moves} times by itself, because the machine was busy; once more`);
    }
  }
}
