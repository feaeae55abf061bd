/** What the demonstration shows while it runs: milestones of the tenant network and of the VM, each with the time it was reached. Pure. */
import type { WorkerReport } from '../lab/contract.ts';
import { CONDITIONS } from '../operator/controllers/tenant-network/conditions.ts';
import { printable } from './layout.ts';
import type { TenantView } from './tenant-view.ts';
import type { Theme } from './terminal.ts';

export interface Milestone {
  readonly name: string;
  /** Seconds since the HostedCluster was created; undefined while it is not so, or not so any more. */
  readonly reached: number | undefined;
  /** What was seen, or what is waited for. */
  readonly detail: string;
}

export interface DemoState {
  readonly tenant: readonly Milestone[];
  readonly worker: readonly Milestone[];
}

/** What is known at one moment. */
export interface Sight {
  readonly seconds: number;
  readonly tenant: TenantView | undefined;
  readonly worker: WorkerReport | undefined;
  /** The hosted API server has reached the kubelet, which it can through konnectivity only. */
  readonly konnectivity: boolean;
}

const STEPS: readonly (readonly [step: string, waits: string])[] = [
  ['power on', 'the NodePool is held: no VM before its network is proven'],
  ['boot', 'the kernel starts'],
  ['lease', 'asks for an address'],
  ['dns', 'asks for the names of its control plane'],
  ['ignition', 'fetches its configuration'],
  ['kubelet', 'starts'],
  ['certificate', 'asks the API for a certificate'],
  ['registered', 'registers its Node'],
  ['konnectivity', 'opens the tunnel by which the API server reaches it'],
  ['ready', 'reports Ready'],
];

export const NOTHING: DemoState = {
  tenant: Object.keys(CONDITIONS).map((name) => ({ name, reached: undefined, detail: '' })),
  worker: STEPS.map(([name, waits]) => ({ name, reached: undefined, detail: waits })),
};

/** What is so now was reached when it was first seen to be so, and counts as long as it stays so. */
export function advance(before: DemoState, { seconds, tenant, worker, konnectivity }: Sight): DemoState {
  const at = (old: Milestone, is: boolean): number | undefined => (is ? (old.reached ?? seconds) : undefined);
  return {
    tenant: before.tenant.map((old) => {
      const condition = tenant?.conditions.find(({ type }) => type === old.name);
      return condition === undefined ? old : { ...old, reached: at(old, condition.status === 'True'), detail: condition.message };
    }),
    worker: before.worker.map((old, index) => {
      const step = worker?.steps.find((each) => each.step === old.name);
      const is = { 'power on': worker !== undefined, konnectivity }[old.name] ?? step !== undefined;
      const detail = old.name === 'power on' && worker ? worker.name : (step?.detail ?? (is ? '' : (STEPS[index]?.[1] ?? '')));
      return { ...old, reached: at(old, is), detail };
    }),
  };
}

export const hasJoined = ({ tenant, worker }: DemoState): boolean => [...tenant, ...worker].every(({ reached }) => reached !== undefined);

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** The whole of it, to be drawn again in place. Of each group the first that is not reached is the one that moves. */
export function demoLines(state: DemoState, seconds: number, theme: Theme): string[] {
  const frame = FRAMES[Math.floor(seconds * 8) % FRAMES.length] ?? '';
  const group = (title: string, milestones: readonly Milestone[]): string[] => {
    const current = milestones.findIndex(({ reached }) => reached === undefined);
    return [
      theme.strong(title),
      ...milestones.map(({ name, reached, detail }, index) => {
        const mark = reached === undefined ? (index === current ? theme.accent(frame) : theme.faint('·')) : theme.good('✓');
        const time = reached === undefined ? '' : `${reached.toFixed(1)} s`;
        const said = reached === undefined && index !== current ? '' : printable(detail);
        return `  ${mark} ${name.padEnd(NAME_WIDTH)} ${time.padStart(8)}  ${theme.faint(said)}`.trimEnd();
      }),
    ];
  };
  return ['', ...group('The tenant network', state.tenant), '', ...group('The VM', state.worker), ''];
}

/** Of what failed the first is enough here; `hcpio status` has it whole. */
const shortened = (text: string): string => (text.length <= 120 ? text : `${text.slice(0, 119)}…`);

const NAME_WIDTH = 'NodePoolsReleased'.length;

/** The same where nothing can be drawn again: one line for what was reached, or is lost again. */
export function demoChanges(before: DemoState, after: DemoState): string[] {
  const told = (old: readonly Milestone[], now: readonly Milestone[]): string[] =>
    now.flatMap(({ name, reached, detail }, index) => {
      const was = old[index]?.reached;
      if (reached !== undefined && was === undefined)
        return [`  ${name.padEnd(NAME_WIDTH)} ${reached.toFixed(1).padStart(6)} s  ${printable(detail)}`.trimEnd()];
      // Ready only sums up: what was lost has been told by then.
      const isLost = reached === undefined && was !== undefined && name !== 'Ready';
      return isLost ? [`  ${name.padEnd(NAME_WIDTH)}    not now: ${shortened(printable(detail))}`] : [];
    });
  return [...told(before.tenant, after.tenant), ...told(before.worker, after.worker)];
}
