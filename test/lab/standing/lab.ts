/**
 * One lab for all that is tried with a tenant that stands: the one that the demonstration leaves behind. `blue` is ready and has a VM that
 * joined; whoever changes that puts it back.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { RELEASE_MARKER } from '../../../src/api/markers.ts';
import type { WorkerReport } from '../../../src/lab/contract.ts';
import { openLab } from '../../../src/lab/open.ts';
import type { RunningLab } from '../../../src/lab/running-lab.ts';
import { workers } from '../../../src/lab/worker/control.ts';
import { type Ended, hcpioLab } from '../testing/cli.ts';
import { remainsOf } from '../testing/machine.ts';

export const NAME = 'tdemo';
export let lab: RunningLab;
/** What it printed, and how the NodePool stood while it ran, each time that it was another way. */
export let demonstrated: Ended & { readonly pools: readonly PoolState[] };

export interface PoolState {
  readonly held: boolean;
  readonly released: boolean;
  readonly machines: number;
}

export async function demonstrate(): Promise<void> {
  await hcpioLab('down', '--name', NAME);
  const over = new AbortController();
  const watched = watchPool(over.signal);
  const ended = await hcpioLab('demo', '--name', NAME);
  over.abort();
  demonstrated = { ...ended, pools: await watched };
  lab = await openLab(NAME);
}

export async function clearAway(): Promise<void> {
  await hcpioLab('down', '--name', NAME, '--purge');
  expect(remainsOf(NAME)).toEqual([]);
}

export const json = async <T>(of: RunningLab, ...args: readonly string[]): Promise<T> =>
  JSON.parse(await of.kubectl([...args, '--output=json'])) as T;

interface Pool {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly pausedUntil?: string };
}
export const poolOf = (of: RunningLab, name: string): Promise<Pool> => json(of, 'get', 'nodepool', name, '--namespace=clusters');

/** The machines are counted first: one that is there already must find its pool released. */
async function poolNow(): Promise<PoolState> {
  const now = await openLab(NAME);
  const { items } = await json<{ items: readonly unknown[] }>(now, 'get', 'vmi', '--namespace=clusters-blue');
  const { metadata, spec } = await poolOf(now, 'blue');
  const released = metadata.annotations?.[RELEASE_MARKER] === 'true';
  return { held: spec.pausedUntil === 'true', released, machines: items.length };
}

async function watchPool(signal: AbortSignal): Promise<readonly PoolState[]> {
  const seen: PoolState[] = [];
  while (!signal.aborted) {
    const now = await poolNow().catch(() => undefined); // no lab yet, or no pool in it
    if (now !== undefined && JSON.stringify(now) !== JSON.stringify(seen.at(-1))) seen.push(now);
    await pause(300, undefined, { signal }).catch(() => {});
  }
  return seen;
}

/** The one that joined in the demonstration. */
export async function vm(): Promise<WorkerReport> {
  const found = (await workers.list(lab)).find(({ kind }) => kind === 'vm');
  if (found === undefined) throw new Error('the lab has no VM');
  return found;
}
