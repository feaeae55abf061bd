/**
 * `make bench-lab`: what the lab costs. Building everything from nothing, bringing it up, what it takes while it stands, and how long
 * 1, 10 and 100 light workers need from power-on to Ready. `--warm` leaves the build out and keeps the figures of the last one.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { LabOptions, WorkerReport } from '../src/lab/contract.ts';
import { down } from '../src/lab/down.ts';
import { CLUSTER, SEGMENT } from '../src/lab/player/scenario.ts';
import { onTerminal } from '../src/lab/progress.ts';
import { applyEdge, type Tenant } from '../src/lab/rendered-edge.ts';
import type { RunningLab } from '../src/lab/running-lab.ts';
import { up } from '../src/lab/up.ts';
import { waitFor } from '../src/lab/wait.ts';
import { workers } from '../src/lab/worker/control.ts';
import { type Build, buildCold, type ColdBuild } from './lab-cold.ts';
import { type Cost, costOf } from './lab-processes.ts';
import { markdownTable } from './markdown.ts';

interface Results {
  readonly node: string;
  readonly cores: number;
  /** Of the last minute before each part: figures of a busy machine say little. */
  readonly load: { readonly cold?: number; readonly warm: number };
  readonly cold?: ColdBuild;
  readonly warm: { readonly seconds: number; readonly steps: readonly Build[] };
  readonly standing: readonly Cost[];
  readonly workers: readonly Crowd[];
}

interface Crowd {
  readonly count: number;
  /** From the order to the last one powered on, and from its power-on until each step was reached by the median and by the last. */
  readonly powerOnSeconds: number;
  readonly steps: readonly { readonly step: string; readonly median: number; readonly last: number }[];
  readonly joined: number;
}

const OPTIONS: LabOptions = { name: 'bench', nodes: 2, strategy: 'loadbalancer', player: true };
const CROWDS = [1, 10, 100];
const REST_SECONDS = 60;
const { signal } = new AbortController();
const checkout = join(import.meta.dirname, '..');
const file = (name: string): string => join(import.meta.dirname, 'results', name);
const round = (value: number): number => Math.round(value * 10) / 10;

async function measureWarm(): Promise<Omit<Results, 'cold' | 'load' | 'node' | 'cores'>> {
  const reporter = onTerminal();
  await down({ name: OPTIONS.name, reporter, purge: true, signal });
  const since = performance.now();
  const lab = await up(OPTIONS, { reporter, signal, keep: false });
  const seconds = round((performance.now() - since) / 1000);
  try {
    const steps = stepsOf(lab);
    const segment = lab.segments.find(({ name }) => name === SEGMENT);
    const tenant: Tenant = { cluster: CLUSTER, segment: SEGMENT, cidr: segment?.cidr ?? '' };
    await applyEdge(lab, [tenant], signal);
    await lab.step('edges Ready', () => edgesReady(lab));
    const standing = await lab.step(`at rest for ${REST_SECONDS} s`, () =>
      costOf(
        () => lab.cgroups.pids(),
        () => pause(REST_SECONDS * 1000),
      ),
    );
    const crowds: Crowd[] = [];
    for (const count of CROWDS) crowds.push(await crowd(lab, tenant, count));
    return { warm: { seconds, steps }, standing, workers: crowds };
  } finally {
    await down({ name: OPTIONS.name, reporter, purge: true, signal });
    reporter.close();
  }
}

const stepsOf = (lab: RunningLab): readonly Build[] =>
  readFileSync(join(lab.logs, 'steps.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { title: string; seconds: number })
    .map(({ title, seconds }) => ({ what: title, seconds: round(seconds) }));

const edgesReady = (lab: RunningLab): Promise<string> =>
  lab.kubectl([
    'wait',
    'pods',
    `--namespace=clusters-${CLUSTER}-edge`,
    '--selector=app.kubernetes.io/name=hcpio-edge',
    '--for=condition=Ready',
    '--timeout=180s',
  ]);

/** That many at once. The edge learns of them from a second rendering, as it would from the operator. */
async function crowd(lab: RunningLab, tenant: Tenant, count: number): Promise<Crowd> {
  const since = performance.now();
  const started = await workers.start(lab, { kind: 'netns', count, segment: SEGMENT }, signal);
  const powerOnSeconds = round((performance.now() - since) / 1000);
  await waitFor(`the MACs of ${count} workers`, () => macsTold(lab, count), { lab, parts: ['player'], signal });
  await applyEdge(lab, [tenant], signal);
  const names = new Set(started.map(({ name }) => name));
  const all = async () => (await workers.list(lab)).filter(({ name }) => names.has(name));
  const ready = ({ steps }: WorkerReport): boolean => steps.some(({ step }) => step === 'ready');
  const reports = await lab.step(`${count} light workers Ready`, () =>
    waitFor(`${count} workers`, async () => ((await all()).every(ready) ? all() : undefined), {
      lab,
      parts: ['player'],
      signal,
      timeoutSeconds: 600,
      everyMs: 1000,
    }),
  );
  await workers.stop(lab, [...names], signal);
  const steps = reports[0]?.steps.map(({ step }) => step) ?? [];
  return { count, powerOnSeconds, steps: steps.map((step) => spread(step, reports)), joined: reports.filter(ready).length };
}

/** The operator would see each as it comes; the rendering has to wait until all are known. */
async function macsTold(lab: RunningLab, count: number): Promise<true | undefined> {
  const jsonpath = '--output=jsonpath={.items[*].status.interfaces[0].mac}';
  const macs = await lab.kubectl(['get', 'virtualmachineinstances', `--namespace=clusters-${CLUSTER}`, jsonpath]);
  return macs.split(' ').filter(Boolean).length >= count ? true : undefined;
}

function spread(step: string, reports: readonly WorkerReport[]): Crowd['steps'][number] {
  const seconds = reports.flatMap(({ steps }) => steps.filter((one) => one.step === step).map((one) => one.seconds)).sort((a, b) => a - b);
  return { step, median: round(seconds[Math.floor(seconds.length / 2)] ?? 0), last: round(seconds.at(-1) ?? 0) };
}

function markdown({ node, cores, load, cold, warm, standing, workers: crowds }: Results): string {
  const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string => markdownTable(head, rows);
  const sum = (pick: (cost: Cost) => number): string => standing.reduce((total, cost) => total + pick(cost), 0).toFixed(0);
  return [
    '# The lab\n',
    `Node ${node}, ${cores} cores; load before: ${load.cold === undefined ? '' : `cold ${load.cold}, `}warm ${load.warm}. Made by \`make bench-lab\`.\n`,
    ...(cold === undefined
      ? []
      : [
          `## Cold: \`make lab\` from empty caches, ${cold.seconds.toFixed(0)} s\n`,
          'Compilers one after the other, downloads beside them; packages of the distribution were installed already.\n',
          table(
            ['built', 's'],
            cold.builds.map(({ what, seconds }) => [what, seconds.toFixed(1)]),
          ),
        ]),
    `## Warm: \`hcpio lab up\`, ${warm.seconds.toFixed(0)} s\n`,
    'To two Ready nodes and a hosted API that answers. Steps overlap, so they do not add up.\n',
    table(
      ['step', 's'],
      warm.steps.map(({ what, seconds }) => [what, seconds.toFixed(1)]),
    ),
    `## Standing, with one tenant and its two edges, no worker: ${sum((cost) => cost.megabytes)} MB, ${sum((cost) => cost.cpuPercent)} % of one core\n`,
    `Over ${REST_SECONDS} s. Memory is proportional (PSS); commands that came and went in between, such as probes, are not counted.\n`,
    table(
      ['programme', 'processes', 'MB', 'CPU %'],
      standing.map((cost) => [cost.programme, cost.processes, cost.megabytes.toFixed(1), cost.cpuPercent.toFixed(1)]),
    ),
    '## Light workers, all at once\n',
    'Seconds from power-on until the median and the last worker had reached the step.\n',
    table(
      ['workers', 'joined', 'all powered on, s', ...(crowds[0]?.steps ?? []).map(({ step }) => step)],
      crowds.map((one) => [one.count, one.joined, one.powerOnSeconds, ...one.steps.map(({ median, last }) => `${median} / ${last}`)]),
    ),
  ].join('\n');
}

const before = (): Partial<Results> =>
  existsSync(file('lab.json')) ? (JSON.parse(readFileSync(file('lab.json'), 'utf8')) as Results) : {};

const { values } = parseArgs({ options: { warm: { type: 'boolean', default: false } } });
const load = (): number => round(loadavg()[0] ?? 0);
const coldLoad = values.warm ? before().load?.cold : load();
const cold = values.warm ? before().cold : await buildCold(checkout);
const warmLoad = load();
const results: Results = {
  node: process.version,
  cores: cpus().length,
  load: { ...(coldLoad === undefined ? {} : { cold: coldLoad }), warm: warmLoad },
  ...(cold === undefined ? {} : { cold }),
  ...(await measureWarm()),
};
mkdirSync(file(''), { recursive: true });
writeFileSync(file('lab.json'), `${JSON.stringify(results, null, 2)}\n`);
writeFileSync(file('lab.md'), markdown(results));
process.stdout.write(markdown(results));
