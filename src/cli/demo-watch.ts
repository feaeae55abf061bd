/** Looks at the tenant network and its VM until the VM has joined, and shows every step. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Lab, WorkerReport } from '../lab/contract.ts';
import { workers } from '../lab/worker/control.ts';
import { advance, type DemoState, demoChanges, demoLines, hasJoined, NOTHING } from './demo-view.ts';
import { Failure } from './failure.ts';
import { Screen } from './screen.ts';
import { waitsFor } from './status-text.ts';
import { TenantFeed } from './tenant-feed.ts';
import type { TenantView } from './tenant-view.ts';
import type { Terminal } from './terminal.ts';

const LOOK_MS = 125;
const PATIENCE_SECONDS = 600;

export interface Joined {
  readonly view: TenantView;
  readonly worker: WorkerReport;
}

export async function followDemo(lab: Lab, tenant: string, terminal: Terminal, signal: AbortSignal): Promise<Joined> {
  const since = performance.now();
  await using feed = await TenantFeed.open(lab, tenant);
  const tunnel = new Tunnel(lab, signal);
  const show = shower(terminal);
  let state = NOTHING;
  for (;;) {
    signal.throwIfAborted();
    const seconds = (performance.now() - since) / 1000;
    const [view, [worker]] = await Promise.all([feed.latest(), workers.list(lab)]);
    state = advance(state, { seconds, tenant: view, worker, konnectivity: tunnel.open(worker) });
    show(state, seconds);
    if (view !== undefined && worker !== undefined && hasJoined(state)) return { view, worker };
    if (worker?.problem !== undefined) throw new Failure(`${worker.name}: ${worker.problem}`);
    if (seconds > PATIENCE_SECONDS) throw new Failure(stuck(lab, state, view));
    // An abort is told at the top of the loop, with its own reason.
    await pause(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

function shower({ out, screen: size, theme }: Terminal): (state: DemoState, seconds: number) => void {
  if (size !== undefined) {
    const screen = new Screen(out, size);
    return (state, seconds) => screen.draw(demoLines(state, seconds, theme));
  }
  let before = NOTHING;
  return (state) => {
    for (const line of demoChanges(before, state)) out(`${line}\n`);
    before = state;
  };
}

function stuck(lab: Lab, { worker }: DemoState, view: TenantView | undefined): string {
  const waiting =
    view?.ready === true
      ? `the VM waits for ${worker.find(({ reached }) => reached === undefined)?.name ?? 'nothing'}`
      : `the tenant network waits for ${view === undefined ? 'the operator' : waitsFor(view)}`;
  return `after ${PATIENCE_SECONDS} s ${waiting}\nThe lab stands for a look at it: \`bin/hcpio lab shell hub-cp --name ${lab.name}\`, logs in ${lab.logs}`;
}

/** Whether the hosted API server reaches the kubelet. It has no other way to it than the agent on the worker. */
class Tunnel {
  readonly #lab: Lab;
  readonly #signal: AbortSignal;
  #open = false;
  #asking = false;

  constructor(lab: Lab, signal: AbortSignal) {
    this.#lab = lab;
    this.#signal = signal;
  }

  /** As far as is known; asks in the background, because an answer may take seconds. */
  open(worker: WorkerReport | undefined): boolean {
    const registered = worker?.steps.some(({ step }) => step === 'registered');
    if (worker !== undefined && registered && !this.#open && !this.#asking) void this.#ask(worker.name);
    return this.#open;
  }

  async #ask(name: string): Promise<void> {
    this.#asking = true;
    const get = ['get', '--raw', `/api/v1/nodes/${name}/proxy/healthz`];
    const answer = await this.#lab.kubectl(get, { kubeconfig: this.#lab.hostedKubeconfig, signal: this.#signal }).catch(() => '');
    this.#open = answer === 'ok';
    this.#asking = false;
  }
}
