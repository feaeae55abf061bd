/** `hcpio lab worker ...`: more or fewer replicas of a NodePool, and a look at what came of it. */
import { join } from 'node:path';
import type { Lab, WorkerControl, WorkerOrder, WorkerReport } from '../contract.ts';
import { NODE_POOL_ANNOTATION, type NodePool, WORKER_KIND } from '../player/machines/node-pool.ts';
import { CLUSTERS, nodePool } from '../player/scenario.ts';
import { waitFor } from '../wait.ts';
import { partOf, readSteps, readWorkers, reportOf, shortId, type WorkerKind, workerFiles } from './worker.ts';

interface Pool {
  readonly name: string;
  readonly cluster: string;
  readonly kind: WorkerKind;
  readonly segments: readonly string[];
  readonly replicas: number;
}

export const workers: WorkerControl = { start, stop, list, shell };

/** Returns when they are powered on; how far they come is for `list` to tell. A paused pool keeps them waiting, as it should. */
async function start(lab: Lab, order: WorkerOrder, signal: AbortSignal): Promise<readonly WorkerReport[]> {
  const before = new Set((await readWorkers(lab)).map(({ name }) => name));
  const pool = await poolFor(lab, order, signal);
  await lab.apply([nodePool({ ...pool, segment: order.segment, replicas: pool.replicas + order.count })], { signal });
  const what = `${order.count} worker${order.count === 1 ? '' : 's'} powered on (NodePool ${pool.name})`;
  const fresh = async () => {
    const now = (await list(lab)).filter(({ name }) => !before.has(name));
    return now.length >= order.count ? now : undefined;
  };
  const timeoutSeconds = 60 + order.count;
  return lab.step(what, () => waitFor(what, fresh, { lab, parts: ['player'], signal, timeoutSeconds }), { parts: ['player'] });
}

/** VMs and light workers have pools of their own: what stands for a machine is a property of its pool. */
async function poolFor(lab: Lab, { kind, segment }: WorkerOrder, signal: AbortSignal): Promise<Pool> {
  const pools = await poolsOf(lab, signal);
  const fitting = pools.find((pool) => pool.kind === kind && pool.segments.includes(segment));
  if (fitting !== undefined) return fitting;
  const cluster = pools.find((pool) => pool.segments.includes(segment))?.cluster;
  if (cluster === undefined)
    throw new Error(`no NodePool of the lab is attached to ${segment}: there is no cluster that a worker there could join`);
  return { name: kind === 'netns' ? `${cluster}-light` : cluster, cluster, kind, segments: [segment], replicas: 0 };
}

async function poolsOf(lab: Lab, signal: AbortSignal): Promise<readonly Pool[]> {
  const text = await lab.kubectl(['get', 'nodepools', `--namespace=${CLUSTERS}`, '--output=json'], { signal });
  const { items } = JSON.parse(text) as { readonly items: readonly NodePool[] };
  return items.map(({ metadata, spec }) => ({
    name: metadata.name,
    cluster: spec.clusterName,
    kind: metadata.annotations?.[WORKER_KIND] === 'netns' ? 'netns' : 'vm',
    segments: (spec.platform.kubevirt?.additionalNetworks ?? []).map(({ name }) => name.split('/').at(-1) ?? ''),
    replicas: spec.replicas ?? 0,
  }));
}

/** Those and no others: marked as Cluster API wants it, then the pool is made smaller. */
async function stop(lab: Lab, names: readonly string[], signal: AbortSignal): Promise<void> {
  const machines = await machinesNamed(lab, names, signal);
  const missing = names.filter((name) => !machines.some((machine) => machine.name === name));
  if (missing.length > 0) throw new Error(`no such worker: ${missing.join(', ')}`);
  for (const { name, namespace } of machines) {
    await lab.kubectl(['annotate', 'machine', name, `--namespace=${namespace}`, '--overwrite', 'cluster.x-k8s.io/delete-machine=true'], {
      signal,
    });
  }
  for (const pool of await poolsOf(lab, signal)) {
    const leaving = machines.filter((machine) => machine.pool === `${CLUSTERS}/${pool.name}`).length;
    if (leaving === 0) continue;
    const patch = JSON.stringify({ spec: { replicas: Math.max(0, pool.replicas - leaving) } });
    await lab.kubectl(['patch', 'nodepool', pool.name, `--namespace=${CLUSTERS}`, '--type=merge', `--patch=${patch}`], { signal });
  }
  const gone = async () => ((await readWorkers(lab)).some(({ name }) => names.includes(name)) ? undefined : true);
  await lab.step('workers powered off', () => waitFor('the end of the workers', gone, { lab, parts: ['player'], signal }), {
    parts: ['player'],
  });
}

async function machinesNamed(lab: Lab, names: readonly string[], signal: AbortSignal) {
  const text = await lab.kubectl(['get', 'machines', '--all-namespaces', '--output=json'], { signal });
  const { items } = JSON.parse(text) as { readonly items: readonly NodePool[] };
  const wanted = items.filter(({ metadata }) => names.includes(metadata.name));
  return wanted.map(({ metadata }) => ({
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    pool: metadata.annotations?.[NODE_POOL_ANNOTATION],
  }));
}

async function list(lab: Lab): Promise<readonly WorkerReport[]> {
  const found = await readWorkers(lab);
  return Promise.all(
    found.map(async (worker) => {
      const [steps, process] = await Promise.all([readSteps(lab, worker), lab.find(partOf(worker.name))]);
      return reportOf(worker, steps, process !== undefined);
    }),
  );
}

async function shell(lab: Lab, name: string) {
  const worker = (await readWorkers(lab)).find((candidate) => candidate.name === name);
  if (worker === undefined) return undefined;
  if (worker.kind === 'netns') return { argv: ['sh'] as const, place: { netns: `${lab.name}-w-${shortId(name)}` } };
  const script = join(import.meta.dirname, 'console.ts');
  return { argv: [process.execPath, script, workerFiles(lab, name).console] as const, place: {} };
}
