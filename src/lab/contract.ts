/**
 * What a running lab offers to the parts that live in it: the HyperShift player, the workers, the scenarios.
 *
 * The one rule behind every function here: what is made is recorded on disk first, so that `lab down` finds it whatever
 * happened in between. Make namespaces and processes through the lab only; what lives inside a recorded namespace or below
 * the lab's directory (veths, taps, bridges, mounts, files) goes away with it.
 */
import type { KubeObject } from '../kube/object.ts';

export const PUBLISHING_STRATEGIES = ['loadbalancer', 'nodeport', 'route'] as const;
export type PublishingStrategy = (typeof PUBLISHING_STRATEGIES)[number];

export interface LabOptions {
  readonly name: string;
  /** 0 gives the control plane alone, for benchmarks of the operator. */
  readonly nodes: number;
  readonly strategy: PublishingStrategy;
  /** False gives the bare hub: no hosted cluster is played. */
  readonly player: boolean;
  /** False: the player stands by, and nobody has ordered a hosted cluster yet. */
  readonly hostedCluster?: boolean;
  /** True: hcpio's operator is installed. */
  readonly operator?: boolean;
}

export interface Lab {
  readonly name: string;
  readonly options: LabOptions;
  /** Everything the lab keeps on disk but its logs. Gone after `down`. */
  readonly dir: string;
  /** One directory per run, one file per part; stays for the post-mortem. */
  readonly logs: string;
  readonly hub: Hub;
  /** Where the player puts the administrator's kubeconfig of the hosted cluster; `lab kubeconfig hosted` prints it. */
  readonly hostedKubeconfig: string;
  /** The same of a cluster that somebody ordered besides. */
  hostedKubeconfigOf(cluster: string): string;
  readonly nodes: readonly LabNode[];
  readonly fabric: { readonly netns: string };
  readonly segments: readonly Segment[];

  /** Starts a long-running part, recorded before it executes, its output in `logs/<part>.log`. Refused when the part already runs. */
  spawn(part: string, command: SpawnCommand): Promise<LabProcess>;
  /** The part as recorded, if it is (still) alive. */
  find(part: string): Promise<LabProcess | undefined>;
  /** Every living part. */
  parts(): Promise<readonly LabProcess[]>;
  /** SIGTERM, then SIGKILL, to exactly that process and what it started; returns when they are gone. */
  stop(part: string): Promise<void>;
  /** Starts a part again with the command it had, after it was stopped or has ended. */
  restart(part: string): Promise<LabProcess>;
  /** Runs a command to its end. Rejects with `CommandFailed` (exit code and output) unless it ends with 0. */
  run(argv: readonly string[], options?: RunOptions): Promise<string>;

  /** kubectl against the hub (or another kubeconfig), from inside the hub's namespace. Returns stdout. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<string>;
  /** Server-side apply with force, field manager `hcpio-lab` unless told otherwise. In the order given, in one call. */
  apply(objects: readonly KubeObject[], options?: KubectlOptions & { readonly fieldManager?: string }): Promise<void>;

  /** Makes a network namespace that `down` removes. `name` is the short one ("worker-3"); returns the namespace's full name. */
  addNetns(name: string): Promise<string>;
  removeNetns(name: string): Promise<void>;

  /** Loads an image archive (docker-archive or OCI tar) into the containerd of every node, unless the same file was loaded before. */
  importImage(archive: string): Promise<void>;

  /** One line of progress with its time; when `work` fails, the last lines of the logs of `parts` are shown with the error. */
  step<T>(title: string, work: () => Promise<T>, options?: StepOptions): Promise<T>;
  /** A part that imitates something: shown by `lab status` under "played". Recorded, so that later commands tell it too. */
  declareStandIn(standIn: StandIn): Promise<void>;
}

export interface Hub {
  /** Reachable only inside the lab's namespaces. */
  readonly apiUrl: string;
  /** cluster-admin, certificates embedded. */
  readonly kubeconfig: string;
  readonly ca: { readonly cert: string; readonly key: string };
  /** Where etcd, the API server and its friends run; the place for anything that talks to the API from outside of a pod. */
  readonly netns: string;
  readonly address: string;
  readonly nodeCidr: string;
  readonly podCidr: string;
  readonly serviceCidr: string;
  /** The cluster DNS service. */
  readonly dns: string;
}

export interface LabNode {
  /** The node's name in the API: hub-a, hub-b, ... */
  readonly name: string;
  /** Full name, as below /run/netns. */
  readonly netns: string;
  readonly address: string;
  readonly podCidr: string;
  readonly containerd: { readonly socket: string; readonly namespace: 'k8s.io' };
  /** The node's own directory below the lab's; its /run, /var/lib and /var/log are in there. */
  readonly dir: string;
  /** By segment name: the bridge inside the node's namespace, for example { vlan100: 'br100' }. Taps of worker VMs go here. */
  readonly bridges: Readonly<Record<string, string>>;
}

/** A tenant's L2: a bridge in the fabric, a leg into every node, and a router that leads nowhere but is there. */
export interface Segment {
  /** vlan100, vlan200, ... */
  readonly name: string;
  /** The bridge in the fabric's namespace; its name is the same in the nodes. */
  readonly bridge: string;
  readonly cidr: string;
  readonly router: { readonly netns: string; readonly address: string; readonly interface: string };
  /** On a segment that has both families. Its router has the address and announces nothing. */
  readonly ipv6?: { readonly cidr: string; readonly router: string };
}

export interface Place {
  /** Full name of the namespace to run in; without it the command runs in the machine's own one. */
  readonly netns?: string;
  /** Enter a node as a whole: its network, mounts (/run, /var/lib, /sys) and hostname. Wins over `netns`. */
  readonly node?: string;
}

export interface SpawnCommand extends Place {
  readonly argv: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface RunOptions extends Place {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly signal?: AbortSignal;
}

export interface KubectlOptions {
  readonly kubeconfig?: string;
  readonly stdin?: string;
  readonly signal?: AbortSignal;
}

export interface LabProcess {
  readonly part: string;
  readonly pid: number;
  /** Field 22 of /proc/PID/stat: with the pid it names a process for ever. */
  readonly startTime: string;
  readonly log: string;
}

export interface StepOptions {
  /** Whose logs to show when the step fails. */
  readonly parts?: readonly string[];
}

export interface StandIn {
  readonly name: string;
  /** What is played, and what the real thing would be. */
  readonly says: string;
}

/**
 * A guest of the lab: started by `lab up` as soon as the hub stands and its own images are on the nodes, beside the other guests. Images
 * are made and loaded one after the other, in the order of the list in `attachments.ts`.
 * What it spawned through the lab is stopped by `down` without its help.
 */
export interface Attachment {
  readonly name: string;
  wanted(options: LabOptions): boolean;
  /** Before any node exists and in parallel with the control plane: build images and the like. Returns archives to import into every node. */
  prepare?(options: LabOptions, signal: AbortSignal): Promise<readonly string[]>;
  start(lab: Lab, signal: AbortSignal): Promise<void>;
  /** Lines for `lab status` and for the end of `lab up`. */
  describe?(lab: Lab): Promise<readonly string[]>;
}

/** `hcpio lab worker ...`: the other half of the CLI, implemented beside the workers. */
export interface WorkerControl {
  start(lab: Lab, order: WorkerOrder, signal: AbortSignal): Promise<readonly WorkerReport[]>;
  stop(lab: Lab, names: readonly string[], signal: AbortSignal): Promise<void>;
  list(lab: Lab): Promise<readonly WorkerReport[]>;
  /** How to get a shell in it: the namespace of a netns worker, the console of a VM. Undefined when there is no such worker. */
  shell(lab: Lab, name: string): Promise<{ readonly argv: readonly [string, ...string[]]; readonly place: Place } | undefined>;
}

export interface WorkerOrder {
  readonly kind: 'vm' | 'netns';
  readonly count: number;
  readonly segment: string;
}

export interface WorkerReport {
  readonly name: string;
  readonly kind: 'vm' | 'netns';
  /** Reached steps in order, with seconds since power-on: lease, dns, ignition, registered, ready. */
  readonly steps: readonly { readonly step: string; readonly seconds: number; readonly detail?: string }[];
  readonly problem?: string;
}
