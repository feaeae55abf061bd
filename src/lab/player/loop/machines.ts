/** One worker of the lab per machine: made with its objects, watched by its steps, removed with them. */
import { canonicalJson } from '../../../kube/canonical.ts';
import { mapParallel } from '../../../kube/parallel.ts';
import type { Logger } from '../../../kube/telemetry.ts';
import type { Lab } from '../../contract.ts';
import { powerOff, powerOn } from '../../worker/power.ts';
import { type DhcpClient, leasedAddress, readSteps, readWorkers, type WorkerKind, type WorkerRecord } from '../../worker/worker.ts';
import { controlPlaneNamespace, type HostedCluster, type Manifest } from '../hosted-cluster.ts';
import { machineObjects, machineStatus, macOf, type Running, virtualMachineInstance, type Worker } from '../machines/machine.ts';
import { DHCP_CLIENT, WORKER_KIND } from '../machines/node-pool.ts';
import type { HubView, Kind } from './hub-view.ts';
import type { Built } from './provision.ts';
import type { Writer } from './write.ts';

/** What a kubelet, containerd and the agent need; the memory a NodePool asks for would be wasted on them. */
const VM_MEMORY_MIB = 1024;
/** Each start is a handful of short commands. */
export const AT_ONCE = 8;

export class Machines {
  readonly #lab: Lab;
  readonly #view: HubView;
  readonly #writer: Writer;
  readonly #log: Logger;

  constructor(lab: Lab, view: HubView, writer: Writer, log: Logger) {
    this.#lab = lab;
    this.#view = view;
    this.#writer = writer;
    this.#log = log;
  }

  /** The objects first: KubeVirt shows a machine's MAC before it runs, and hcpio prepares its lease from that. */
  async create(built: Built, names: readonly string[], signal: AbortSignal): Promise<void> {
    await Promise.all(
      names.map(async (name) => {
        for (const object of machineObjects(workerOf(built, name))) await this.#writer.apply(object, signal);
      }),
    );
  }

  /** Brings the objects of machines and the workers behind them together; tells how many of them are Ready. */
  async refresh(built: Built, machines: readonly Manifest[], signal: AbortSignal): Promise<number> {
    const workers = new Map((await readWorkers(this.#lab)).map((worker) => [worker.name, worker]));
    const namespace = controlPlaneNamespace(built.cluster);
    const load = new Load(this.#lab, [...workers.values()]);
    const refreshOne = async ({ metadata: { name } }: Manifest): Promise<boolean> => {
      const vm = this.#view.get('VirtualMachine', namespace, name);
      if (vm === undefined) return false;
      const worker = workers.get(name);
      if (worker !== undefined) return this.#follow(built, name, vm, worker, signal);
      await this.#start(built, name, vm, load.take(), signal);
      return false;
    };
    const alive = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const ready = await mapParallel(alive, AT_ONCE, refreshOne, signal);
    return ready.filter(Boolean).length;
  }

  async #start(built: Built, name: string, vm: Manifest, node: string, signal: AbortSignal): Promise<void> {
    await this.#show(built, name, vm, { node, address: undefined, nodeRef: false }, signal);
    const userData = this.#userData(built);
    if (userData === undefined) return;
    const kind: WorkerKind = built.pool.metadata.annotations?.[WORKER_KIND] === 'netns' ? 'netns' : 'vm';
    const dhcpClient: DhcpClient = built.pool.metadata.annotations?.[DHCP_CLIENT] === 'networkmanager' ? 'networkmanager' : 'busybox';
    const spec = { name, kind, mac: macOf(name), segment: segmentOf(built), node, memoryMiB: VM_MEMORY_MIB, dhcpClient };
    await powerOn(this.#lab, spec, userData, signal);
  }

  async #follow(built: Built, name: string, vm: Manifest, worker: WorkerRecord, signal: AbortSignal): Promise<boolean> {
    const steps = await readSteps(this.#lab, worker);
    const has = (step: string) => steps.some((reached) => reached.step === step);
    const ready = steps.find(({ step }) => step === 'ready');
    const readyAt = ready && new Date(worker.poweredOn + ready.seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
    await this.#show(built, name, vm, { node: worker.node, address: leasedAddress(steps), nodeRef: has('registered'), readyAt }, signal);
    return ready !== undefined;
  }

  async #show(built: Built, name: string, vm: Manifest, running: Running, signal: AbortSignal): Promise<void> {
    const { status: seen, ...instance } = virtualMachineInstance(workerOf(built, name), vm, running);
    await this.#writer.apply(instance as Manifest, signal);
    // KubeVirt's instances have no status subresource: their status is written with the object, and apply leaves it out.
    const live = this.#view.live(instance as Manifest);
    if (live !== undefined && canonicalJson(live['status'] ?? {}) !== canonicalJson(seen)) {
      await this.#writer.patch('VirtualMachineInstance', live, { status: seen }, signal);
    }
    const machine = this.#view.get('Machine', controlPlaneNamespace(built.cluster), name);
    if (machine === undefined) return;
    const { apiVersion, kind, metadata } = machine;
    const status = { apiVersion, kind, metadata: { name, namespace: metadata.namespace ?? '' }, status: machineStatus(name, running) };
    await this.#writer.apply(status, signal, { subresource: 'status' });
  }

  #userData({ cluster, pool, configHash }: Built): string | undefined {
    const secret = this.#view.get('Secret', controlPlaneNamespace(cluster), `user-data-${pool.metadata.name}-${configHash}`);
    const value = (secret?.['data'] as { readonly value?: string } | undefined)?.value;
    return value === undefined ? undefined : Buffer.from(value, 'base64').toString();
  }

  /** The Node goes with the machine, as with Cluster API; a guest whose API does not answer keeps it. */
  async remove(cluster: HostedCluster, name: string, signal: AbortSignal): Promise<void> {
    await powerOff(this.#lab, name);
    const forget = ['delete', 'node', name, '--ignore-not-found', '--wait=false', '--request-timeout=5s'];
    await this.#lab.kubectl(forget, { kubeconfig: this.#lab.hostedKubeconfigOf(cluster.metadata.name), signal }).catch((err: unknown) => {
      this.#log.warn({ node: name, err }, 'the Node of a removed machine stays');
    });
    const kinds: readonly Kind[] = ['VirtualMachineInstance', 'VirtualMachine', 'KubevirtMachine', 'Machine'];
    for (const kind of kinds) {
      const object = this.#view.get(kind, controlPlaneNamespace(cluster), name);
      if (object !== undefined) await this.#writer.delete(kind, object, signal);
    }
  }
}

const workerOf = ({ pool, cluster, configHash }: Built, name: string): Worker => ({ name, pool, cluster, configHash });

/** Which node the next worker goes to: the one with the fewest, and of equals the last, so that the first worker is not beside the first edge. */
class Load {
  readonly #counts: Map<string, number>;

  constructor(lab: Lab, workers: readonly WorkerRecord[]) {
    this.#counts = new Map(lab.nodes.toReversed().map(({ name }) => [name, workers.filter(({ node }) => node === name).length]));
  }

  take(): string {
    const [best] = [...this.#counts].toSorted(([, a], [, b]) => a - b);
    if (best === undefined) throw new Error('a lab without nodes has no place for workers');
    const [node, count] = best;
    this.#counts.set(node, count + 1);
    return node;
  }
}

/** `default/vlan100` names the segment: the lab calls its attachments as its segments. */
function segmentOf({ pool }: Built): string {
  const [network] = pool.spec.platform.kubevirt?.additionalNetworks ?? [];
  if (network === undefined)
    throw new Error(`NodePool ${pool.metadata.name} has no additional network: the lab cannot plug its workers in`);
  return network.name.split('/').at(-1) ?? '';
}
