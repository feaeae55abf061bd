/** What `hcpio lab ...` does. Loaded when such a command runs: nobody else waits for the lab's many files. */
import { readFile } from 'node:fs/promises';
import { workerControl } from '../lab/attachments.ts';
import type { LabOptions, PublishingStrategy, WorkerControl } from '../lab/contract.ts';
import { down } from '../lab/down.ts';
import { readLog } from '../lab/logs.ts';
import { openLab } from '../lab/open.ts';
import { deployOperator } from '../lab/operator.ts';
import { destination } from '../lab/places.ts';
import { requireRoot, Unfit } from '../lab/preflight.ts';
import { onTerminal, type Reporter, StepFailed } from '../lab/progress.ts';
import { labNames } from '../lab/state/names.ts';
import { statusOf } from '../lab/status.ts';
import { up } from '../lab/up.ts';
import { Failure } from './failure.ts';
import { demonstrate } from './lab-demo.ts';
import { standingText, statusText, workersText } from './lab-text.ts';
import type { Terminal } from './terminal.ts';

/** `exec`, `shell` and `capture` end with the status of what they ran, whatever it is. */
export interface AnyOutcome {
  status: number;
}
export interface Named {
  readonly name: string;
}
export interface UpFlags extends Named {
  readonly nodes: number;
  readonly strategy: PublishingStrategy;
  readonly player: boolean;
  readonly operator?: boolean;
  readonly keep?: boolean;
}
export interface DownFlags extends Named {
  readonly purge?: boolean;
}
export interface CaptureFlags extends Named {
  readonly out: string;
  readonly packets?: number;
}
export interface WorkerFlags extends Named {
  readonly vm?: boolean;
  readonly netns?: boolean;
  readonly count: number;
  readonly segment: string;
}

export async function bringUp(flags: UpFlags, terminal: Terminal): Promise<void> {
  const { name, nodes, strategy, operator = false, keep = false } = flags;
  const options: LabOptions = { name, nodes, strategy, player: flags.player && nodes > 0, operator };
  const since = performance.now();
  const lab = await withProgress((reporter, signal) => up(options, { reporter, signal, keep }));
  terminal.out(standingText(await statusOf(lab), (performance.now() - since) / 1000, options, terminal.theme));
}

export async function showDemo({ name, strategy }: Pick<UpFlags, 'name' | 'strategy'>, terminal: Terminal): Promise<void> {
  await withProgress((reporter, signal) => demonstrate({ name, strategy, nodes: 2, player: true }, reporter, terminal, signal));
}

export async function takeDown({ name, purge = false }: DownFlags, terminal: Terminal): Promise<void> {
  const found = await withProgress((reporter, signal) => down({ name, reporter, purge, signal }));
  terminal.out(found ? `lab ${name} is gone\n` : `there is no lab ${name}\n`);
}

export async function deploy({ name }: Named, terminal: Terminal): Promise<void> {
  await withProgress(async (progress, signal) => deployOperator(await openLab(name, progress), signal));
  terminal.out(`the operator runs in lab ${name}\n`);
}

export async function showStatus({ name, output }: Named & { readonly output: string }, terminal: Terminal): Promise<void> {
  const others = (await labNames()).filter((other) => other !== name);
  const status = await statusOf(await openLab(name));
  if (output === 'json') return terminal.out(`${JSON.stringify(status, null, 2)}\n`);
  terminal.out(statusText(status, terminal.theme));
  if (others.length > 0) terminal.out(`\nother labs: ${others.join(', ')}\n`);
}

export async function showKubeconfig(cluster: string, { name }: Named, terminal: Terminal): Promise<void> {
  const lab = await openLab(name);
  const files: Readonly<Record<string, string>> = { hub: lab.hub.kubeconfig, hosted: lab.hostedKubeconfig };
  const file = files[cluster];
  if (file === undefined) throw new Failure(`${cluster} is neither hub nor hosted`);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) throw new Failure(`lab ${name} has no ${cluster} cluster`);
  terminal.out(text);
  terminal.err(`(its server answers inside of the lab only: \`hcpio lab shell hub-cp --name ${name}\`)\n`);
}

export async function showLog(part: string, flags: Named & { readonly lines?: number }, terminal: Terminal): Promise<void> {
  terminal.out(await readLog(flags.name, part, flags.lines));
}

export async function openShell(place: string, { name }: Named, outcome: AnyOutcome): Promise<void> {
  const lab = await openLab(name);
  const there = await destination(lab, place);
  outcome.status = await lab.visit(there.shell ?? [process.env['SHELL'] ?? '/bin/sh'], there.place);
}

export async function execute(place: string, argv: readonly string[], { name }: Named, outcome: AnyOutcome): Promise<void> {
  const lab = await openLab(name);
  outcome.status = await lab.visit(argv, (await destination(lab, place)).place);
}

export async function capture(segmentName: string, { name, out, packets }: CaptureFlags, outcome: AnyOutcome): Promise<void> {
  const lab = await openLab(name);
  const segment = lab.segments.find((candidate) => candidate.name === segmentName);
  if (!segment) throw new Failure(`no segment ${segmentName}: choose one of ${lab.segments.map((each) => each.name).join(', ')}`);
  // -Z root: the file is the caller's, not the tcpdump user's. -U: what was seen is in the file, whenever it is looked at.
  const limit = packets === undefined ? [] : ['-c', String(packets)];
  outcome.status = await lab.visit(['tcpdump', '-Z', 'root', '-U', '-i', segment.bridge, '-w', out, ...limit], { netns: lab.fabric.netns });
}

export async function startWorkers(flags: WorkerFlags, terminal: Terminal): Promise<void> {
  if (flags.vm && flags.netns) throw new Failure('a worker is a VM or a namespace: --vm or --netns');
  const order = { kind: flags.netns ? ('netns' as const) : ('vm' as const), count: flags.count, segment: flags.segment };
  const reports = await withProgress(async (progress, signal) => workers().start(await openLab(flags.name, progress), order, signal));
  terminal.out(workersText(reports, terminal.theme));
}

export async function stopWorkers(names: readonly string[], { name }: Named): Promise<void> {
  await withProgress(async (progress, signal) => workers().stop(await openLab(name, progress), names, signal));
}

export async function listWorkers({ name }: Named, terminal: Terminal): Promise<void> {
  terminal.out(workersText(await workers().list(await openLab(name)), terminal.theme));
}

function workers(): WorkerControl {
  if (!workerControl) throw new Failure('this lab has no workers');
  return workerControl;
}

async function withProgress<T>(work: (progress: Reporter & { close(): void }, signal: AbortSignal) => Promise<T>): Promise<T> {
  const progress = onTerminal();
  const cancel = new AbortController();
  const stop = (signal: NodeJS.Signals) => cancel.abort(new Failure(`stopped by ${signal}`));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    return await work(progress, cancel.signal);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    progress.close();
  }
}

/** What a user can act on is one line (or the end of a log); anything else is a defect of ours and keeps its stack. */
export async function asRoot(work: () => Promise<void>): Promise<void> {
  try {
    requireRoot();
    await work();
  } catch (failure) {
    if (failure instanceof StepFailed) throw new Failure(failure.explain());
    if (failure instanceof Unfit || (failure instanceof Error && failure.constructor === Error)) throw new Failure(failure.message);
    throw failure;
  }
}
