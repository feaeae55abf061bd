/** The handle of a lab whose directory exists: what `contract.ts` promises, on top of the recorded parts, namespaces and cgroups. */
import { createHash } from 'node:crypto';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { toolPath } from '../../tools/paths.ts';
import type { KubeObject } from '../kube/object.ts';
import type {
  KubectlOptions,
  Lab,
  LabNode,
  LabOptions,
  LabProcess,
  Place,
  RunOptions,
  SpawnCommand,
  StandIn,
  StepOptions,
} from './contract.ts';
import { type Layout, layoutOf } from './layout.ts';
import { importImageInto } from './node/image-import.ts';
import { CLUSTER } from './player/scenario.ts';
import { type Reporter, StepFailed } from './progress.ts';
import { cgroupHost, LabCgroups } from './state/cgroups.ts';
import type { LabRecord } from './state/claim.ts';
import { dropNetns, makeNetns, netnsPath } from './state/netns.ts';
import { Parts } from './state/parts.ts';

/** Where `hcpio` is, and `kubectl-hcpio` for `kubectl hcpio`. */
const BIN = join(import.meta.dirname, '..', '..', 'bin');

export class RunningLab implements Lab {
  readonly options: LabOptions;
  readonly startedAt: string;
  readonly logs: string;
  readonly cgroups: LabCgroups;
  readonly #layout: Layout;
  readonly #parts: Parts;
  readonly #reporter: Reporter;

  private constructor(record: LabRecord, cgroups: LabCgroups, reporter: Reporter) {
    this.options = record.options;
    this.startedAt = record.startedAt;
    this.logs = record.logs;
    this.cgroups = cgroups;
    this.#layout = layoutOf(record.options);
    this.#parts = new Parts(this.#layout.dir, record.logs, cgroups);
    this.#reporter = reporter;
  }

  static async of(record: LabRecord, reporter: Reporter): Promise<RunningLab> {
    const host = cgroupHost(await readFile('/proc/self/mountinfo', 'utf8'));
    return new RunningLab(record, new LabCgroups(host, record.options.name), reporter);
  }

  get name(): string {
    return this.options.name;
  }
  get dir(): string {
    return this.#layout.dir;
  }
  get hub(): Layout['hub'] {
    return this.#layout.hub;
  }
  get hostedKubeconfig(): string {
    return this.hostedKubeconfigOf(CLUSTER);
  }
  get nodes(): readonly LabNode[] {
    return this.#layout.nodes;
  }
  get fabric(): Layout['fabric'] {
    return this.#layout.fabric;
  }
  get segments(): Layout['segments'] {
    return this.#layout.segments;
  }

  hostedKubeconfigOf(cluster: string): string {
    return join(this.dir, `hosted-${cluster}.kubeconfig`);
  }

  async spawn(part: string, command: SpawnCommand): Promise<LabProcess> {
    const { argv, env, cwd, ...place } = command;
    const entered = [...(await this.enter(place)), ...argv];
    const started = await this.#parts.start(part, { argv: entered, ...(env && { env }), ...(cwd === undefined ? {} : { cwd }) });
    await writeFile(this.#commandOf(part), JSON.stringify(command), { mode: 0o600 });
    return started;
  }

  async restart(part: string): Promise<LabProcess> {
    const text = await readFile(this.#commandOf(part), 'utf8').catch(() => undefined);
    if (text === undefined) throw new Error(`${part} has never run in lab ${this.name}`);
    await this.stop(part);
    return this.spawn(part, JSON.parse(text) as SpawnCommand);
  }

  #commandOf(part: string): string {
    return join(this.dir, 'commands', `${part}.json`);
  }

  find(part: string): Promise<LabProcess | undefined> {
    return this.#parts.find(part);
  }

  async parts(): Promise<readonly LabProcess[]> {
    const recorded = await this.#parts.recorded();
    const alive = await Promise.all(recorded.map((part) => this.#parts.find(part.part)));
    return alive.filter((part) => part !== undefined);
  }

  /** Also those that ended without being asked to: `lab status` shows them. */
  recordedParts(): Promise<readonly LabProcess[]> {
    return this.#parts.recorded();
  }

  stop(part: string): Promise<void> {
    return this.#parts.stop(part);
  }

  async run(argv: readonly string[], options: RunOptions = {}): Promise<string> {
    const { netns, node, ...rest } = options;
    return this.#parts.run(argv, rest, await this.enter({ ...(netns && { netns }), ...(node && { node }) }));
  }

  /** Runs a command on the caller's terminal and returns its exit code. It does not outlive the lab. */
  async visit(argv: readonly string[], place: Place): Promise<number> {
    const path = [BIN, dirname(toolPath('kubectl')), process.env['PATH'], '/usr/sbin', '/sbin'].join(':');
    const env = { KUBECONFIG: this.hub.kubeconfig, KUBECACHEDIR: join(this.dir, 'kubectl-cache'), PATH: path };
    return this.#parts.visit([...(await this.enter(place)), ...argv], env);
  }

  /**
   * The words that come before a command to run it in that place.
   * Never `ip netns exec`: it mounts a new /sys, and a kubelet then finds no cgroups.
   */
  async enter({ netns, node }: Place): Promise<readonly string[]> {
    if (node !== undefined) {
      const holder = await this.find(node);
      if (!holder) throw new Error(`${node} is not a running node of lab ${this.name}`);
      return ['nsenter', `--target=${holder.pid}`, '--mount', '--uts', '--net', '--'];
    }
    return netns === undefined ? [] : ['nsenter', `--net=${netnsPath(netns)}`, '--'];
  }

  async kubectl(args: readonly string[], options: KubectlOptions = {}): Promise<string> {
    const { kubeconfig = this.hub.kubeconfig, ...rest } = options;
    const env = { KUBECONFIG: kubeconfig, KUBECACHEDIR: join(this.dir, 'kubectl-cache') };
    return this.run([toolPath('kubectl'), ...args], { ...rest, env, netns: this.hub.netns });
  }

  async apply(objects: readonly KubeObject[], options: KubectlOptions & { readonly fieldManager?: string } = {}): Promise<void> {
    const { fieldManager = 'hcpio-lab', ...rest } = options;
    // JSON is YAML, and one document per object keeps the order.
    const stdin = objects.map((object) => JSON.stringify(object)).join('\n---\n');
    await this.kubectl(['apply', '--server-side', '--force-conflicts', `--field-manager=${fieldManager}`, '-f', '-'], { ...rest, stdin });
  }

  async addNetns(name: string): Promise<string> {
    const full = `${this.name}-${name}`;
    await makeNetns(this.dir, full, (argv) => this.run(argv));
    return full;
  }

  removeNetns(name: string): Promise<void> {
    return dropNetns(this.dir, `${this.name}-${name}`);
  }

  async importImage(archive: string): Promise<void> {
    await Promise.all(this.nodes.map((node) => importImageInto(this, node, archive)));
  }

  async step<T>(title: string, work: () => Promise<T>, options: StepOptions = {}): Promise<T> {
    const since = performance.now();
    this.#reporter.start(title);
    try {
      const result = await work();
      this.#reporter.end(title, 'done');
      await this.#noteStep(title, since, 'done');
      return result;
    } catch (cause) {
      // Another step has failed: this one was only stopped, and the other knows which logs matter.
      const stopped = cause instanceof StepFailed;
      this.#reporter.end(title, stopped ? 'stopped' : 'FAILED');
      await this.#noteStep(title, since, stopped ? 'stopped' : 'failed');
      if (stopped) throw cause;
      throw new StepFailed(
        title,
        cause,
        (options.parts ?? []).map((part) => this.#parts.logOf(part)),
      );
    }
  }

  /** For benchmarks and post-mortems. A lab taken down meanwhile has nothing to note. */
  async #noteStep(title: string, since: number, result: string): Promise<void> {
    const seconds = Math.round(performance.now() - since) / 1000;
    await appendFile(join(this.logs, 'steps.jsonl'), `${JSON.stringify({ title, seconds, result })}\n`).catch(() => {});
  }

  async declareStandIn(standIn: StandIn): Promise<void> {
    const file = `${createHash('sha256').update(standIn.name).digest('hex').slice(0, 16)}.json`;
    await writeFile(join(this.dir, 'stand-ins', file), JSON.stringify(standIn));
  }

  async standIns(): Promise<readonly StandIn[]> {
    const dir = join(this.dir, 'stand-ins');
    const texts = await Promise.all((await readdir(dir)).map((file) => readFile(join(dir, file), 'utf8')));
    return texts.map((text) => JSON.parse(text) as StandIn).sort((a, b) => a.name.localeCompare(b.name));
  }
}
