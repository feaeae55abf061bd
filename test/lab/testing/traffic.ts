/** A worker's traffic while something is done to its edge, and what was lost of it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Lab } from '../../../src/lab/contract.ts';
import type { RunningLab } from '../../../src/lab/running-lab.ts';
import type { Attempt, Task } from '../programs/traffic.ts';
import { netnsOf } from './from-worker.ts';
import { tenantNetwork } from './operator.ts';
import { eventually } from './pods.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** What a worker of that tenant does, with the credentials of an administrator of its cluster. */
export async function taskOf(lab: RunningLab, tenant: string, worker: string, edge: Pick<Task, 'vip' | 'resolvers'>): Promise<Task> {
  const config = parse(await readFile(lab.hostedKubeconfig, 'utf8')) as {
    clusters: [{ cluster: Record<string, string> }];
    users: [{ user: Record<string, string> }];
  };
  const pem = (text: string | undefined) => Buffer.from(text ?? '', 'base64').toString();
  const { cluster } = config.clusters[0];
  const { user } = config.users[0];
  const machine = (await tenantNetwork(lab, tenant)).status?.machines?.find((one) => one.machine === worker);
  return {
    ...edge,
    port: 6443,
    name: `api.${tenant}.example.com`,
    ca: pem(cluster['certificate-authority-data']),
    cert: pem(user['client-certificate-data']),
    key: pem(user['client-key-data']),
    mac: machine?.mac ?? '',
    address: machine?.addresses[0] ?? '',
  };
}

export interface Losses {
  /** How often the watch that is held open broke. */
  readonly breaks: number;
  /** The longest time in which no new connection to the VIP succeeded. */
  readonly longestGapMs: number;
  /** The attempts themselves. */
  readonly attempts: readonly Attempt[];
  /** By what was tried: how many of how many failed. */
  readonly lost: Readonly<Record<string, readonly [lost: number, of: number]>>;
}

export class Traffic {
  readonly #log: string;

  private constructor(log: string) {
    this.#log = log;
  }

  static async start(lab: Lab, worker: string, task: Task): Promise<Traffic> {
    const argv = [join(ROOT, 'node_modules/node/bin/node'), join(ROOT, 'test/lab/programs/traffic.ts'), JSON.stringify(task)] as const;
    const { log } = await lab.spawn(`traffic-${worker}`, { netns: await netnsOf(lab, worker), argv });
    return new Traffic(log);
  }

  async attempts(): Promise<readonly Attempt[]> {
    const lines = (await readFile(this.#log, 'utf8')).split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
    return lines.map((line) => JSON.parse(line) as Attempt);
  }

  /** Does something, and tells what was lost from its beginning until the traffic was well again after it. Printed, because that is what people ask. */
  async during<T>(title: string, work: () => Promise<T>): Promise<Losses> {
    const since = Date.now();
    await work();
    const until = Date.now();
    // What began before the end may fail after it, and a watch learns with its next sign of life that it is broken.
    return this.#told(title, since, until, await this.#settled(until));
  }

  /** The same for what ends the worker as well: counted until the last connection that it made. */
  async toTheEnd(title: string, work: () => Promise<void>): Promise<Losses> {
    const since = Date.now();
    await work();
    const last = (await this.attempts()).findLast(({ what, ok }) => what === 'connection' && ok);
    return this.#told(title, since, last?.at ?? since);
  }

  async #told(title: string, since: number, until: number, settled = until): Promise<Losses> {
    const seen = (await this.attempts()).filter(({ at, what }) => at >= since && at <= (what === 'watch broken' ? settled : until));
    const losses = lossesOf(seen);
    const lost = Object.entries(losses.lost).map(([what, [failed, all]]) => `${what} ${failed}/${all}`);
    console.log(
      `${title}: ${((until - since) / 1000).toFixed(1)} s, watch broken ${losses.breaks} times, longest gap ${losses.longestGapMs} ms; lost: ${lost.join(', ')}`,
    );
    return losses;
  }

  /** Waits until the watch has been held for a while: what breaks it later is then the doing of what is done later. */
  async calm(): Promise<void> {
    const isHeld = (attempts: readonly Attempt[]): boolean => {
      const opened = attempts.findLast(({ what }) => what === 'watch opened');
      const broken = attempts.findLast(({ what }) => what === 'watch broken');
      return opened?.ok === true && opened.at > (broken?.at ?? 0) && Date.now() - opened.at > 5000;
    };
    await eventually(() => this.attempts(), isHeld);
  }

  async #settled(until: number): Promise<number> {
    const settled = until + 1500;
    const isSettled = (attempts: readonly Attempt[]): boolean =>
      ['connection', 'dhcp'].every((what) => attempts.some((one) => one.what === what && one.at > settled));
    await eventually(() => this.attempts(), isSettled, 30_000).catch((cause: unknown) => {
      throw new Error('the traffic of the worker has stopped', { cause });
    });
    return settled;
  }
}

function lossesOf(attempts: readonly Attempt[]): Losses {
  const tried = Map.groupBy(
    attempts.filter(({ what }) => !what.startsWith('watch ')),
    ({ what }) => what,
  );
  const connected = attempts.filter(({ what, ok }) => what === 'connection' && ok).map(({ at, ms }) => at + ms);
  const gaps = connected.sort((a, b) => a - b).map((at, i) => at - (connected[i - 1] ?? at));
  return {
    attempts,
    breaks: attempts.filter(({ what }) => what === 'watch broken').length,
    longestGapMs: Math.max(0, ...gaps),
    lost: Object.fromEntries([...tried].map(([what, all]) => [what, [all.filter(({ ok }) => !ok).length, all.length]])),
  };
}
