/** `hcpio lab demo`: from nothing to a VM that joined its control plane through the gateway, one line per step. */
import type { Lab, LabOptions, WorkerReport } from '../lab/contract.ts';
import { down } from '../lab/down.ts';
import { CLUSTER, SEGMENT } from '../lab/player/scenario.ts';
import type { Reporter } from '../lab/progress.ts';
import { applyEdge, planText, type Tenant } from '../lab/rendered-edge.ts';
import type { RunningLab } from '../lab/running-lab.ts';
import { up } from '../lab/up.ts';
import { waitFor } from '../lab/wait.ts';
import { workers } from '../lab/worker/control.ts';
import { columns } from './layout.ts';
import type { Terminal } from './terminal.ts';

const MINUTE = 60;

export async function demonstrate(options: LabOptions, reporter: Reporter, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const since = performance.now();
  await down({ name: options.name, reporter, purge: false, signal });
  const lab = await up(options, { reporter, signal, keep: false });
  const segment = lab.segments.find(({ name }) => name === SEGMENT);
  if (segment === undefined) throw new Error(`the lab has no segment ${SEGMENT}`);
  const tenant: Tenant = { cluster: CLUSTER, segment: SEGMENT, cidr: segment.cidr };

  const [worker] = await workers.start(lab, { kind: 'vm', count: 1, segment: SEGMENT }, signal);
  if (worker === undefined) throw new Error('no worker was powered on');
  await lab.step('the VM is alone on its segment: no address, no way out', () => alone(lab, worker.name, signal));
  await lab.step('hcpio render, kubectl apply', () => applyEdge(lab, [tenant], signal));
  await lab.step('both edges are ready', () => edgesReady(lab, signal));
  const joined = await follow(lab, worker.name, reporter, signal);

  terminal.out(await planText(lab, tenant, signal));
  terminal.out(await ending(lab, joined, (performance.now() - since) / 1000, terminal));
}

/** Powered on and asking: its first step is done, and a lease is not among them. */
const alone = (lab: RunningLab, name: string, signal: AbortSignal): Promise<WorkerReport> =>
  waitFor('the VM to boot', async () => booted(await report(lab, name)), { lab, parts: ['player'], signal, timeoutSeconds: 2 * MINUTE });

const booted = (found: WorkerReport): WorkerReport | undefined => {
  if (found.steps.some(({ step }) => step === 'lease')) throw new Error(`${found.name} got a lease, and nobody should have given it one`);
  return found.steps.some(({ step }) => step === 'boot') ? found : undefined;
};

async function report(lab: Lab, name: string): Promise<WorkerReport> {
  const found = (await workers.list(lab)).find((each) => each.name === name);
  if (found === undefined) throw new Error(`worker ${name} is gone`);
  return found;
}

async function edgesReady(lab: Lab, signal: AbortSignal): Promise<void> {
  await lab.kubectl(
    [
      'wait',
      'pods',
      '--namespace',
      `clusters-${CLUSTER}-edge`,
      '--selector=app.kubernetes.io/name=hcpio-edge',
      '--for=condition=Ready',
      '--timeout=120s',
    ],
    { signal },
  );
}

/** What a worker goes through once somebody serves its segment. */
const WAY = ['lease', 'dns', 'ignition', 'kubelet', 'certificate', 'registered', 'ready'] as const;

/** A line for each step of the machine, as it is reached. */
async function follow(lab: RunningLab, name: string, reporter: Reporter, signal: AbortSignal): Promise<WorkerReport> {
  let joined = await report(lab, name);
  for (const step of WAY) {
    const title = `  ${name}: ${step}`;
    reporter.start(title);
    const seconds = await waitFor(
      `step ${step} of ${name}`,
      async () => {
        joined = await report(lab, name);
        return joined.steps.find((each) => each.step === step)?.seconds;
      },
      { lab, parts: ['player'], signal, timeoutSeconds: 5 * MINUTE },
    ).catch((failure: unknown) => {
      throw joined.problem === undefined ? failure : new Error(joined.problem, { cause: failure });
    });
    reporter.end(title, `${seconds.toFixed(1)} s`);
  }
  return joined;
}

async function ending(lab: Lab, worker: WorkerReport, seconds: number, { theme }: Terminal): Promise<string> {
  const nodes = await lab.kubectl(['get', 'nodes', '--output=wide'], { kubeconfig: lab.hostedKubeconfig });
  const flag = lab.name === 'lab' ? '' : ` --name ${lab.name}`;
  return [
    '',
    theme.strong(`${worker.name} joined through the gateway; the whole demo took ${seconds.toFixed(0)} s. What its own API server says:`),
    nodes.trimEnd(),
    '',
    theme.strong('Look around'),
    ...columns([
      [`bin/hcpio lab status${flag}`, 'what stands, what is played'],
      [`bin/hcpio lab worker list${flag}`, 'how far each worker has come'],
      [`bin/hcpio lab shell ${worker.name}${flag}`, 'the VM from inside: try to reach anything but the gateway'],
      [`bin/hcpio lab shell hub-cp${flag}`, `kubectl on the hub: kubectl get pods -n clusters-${CLUSTER}-edge -o wide`],
      [`bin/hcpio lab capture ${SEGMENT} --out v.pcap${flag}`, 'what crosses the segment'],
    ]),
    theme.strong('Break it'),
    ...columns([
      [`kubectl delete pod -n clusters-${CLUSTER}-edge edge-a-0`, 'in the hub shell: the other edge takes the VIP, the Node stays Ready'],
    ]),
    theme.strong('Take it away'),
    ...columns([[`bin/hcpio lab down${flag}`, 'nothing is left']]),
    '',
  ].join('\n');
}
