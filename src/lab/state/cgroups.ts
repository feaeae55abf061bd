/**
 * The lab's cgroups: one tree that accounts for every process of the lab, and the trees that kubelets hang pods into.
 *
 * Children inherit the cgroup, so whatever a part starts (shims, containers, CNI plugins) is in the tracking tree whoever its parent
 * is by now. On a v1 machine runc moves containers in the v1 hierarchies only, so the v2 tree beside them keeps them all; on a v2
 * machine they move to the node's cgroup, which is below the lab's.
 */
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export interface CgroupHost {
  readonly version: 'v1' | 'v1 with v2 beside it' | 'v2';
  /** Where processes are accounted for. */
  readonly tracking: string;
  /** Every hierarchy a kubelet uses. */
  readonly hierarchies: readonly Hierarchy[];
}

interface Hierarchy {
  readonly path: string;
  /** Empty for v2, whose controllers are switched on by file. */
  readonly controllers: readonly string[];
}

/** Which hierarchies the machine has mounted. Throws what to do when there are none. */
export function cgroupHost(mountinfo: string): CgroupHost {
  const mounts = mountinfo.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [type, , options = ''] = after.split(' ');
    const path = before.split(' ')[4];
    return path && type?.startsWith('cgroup') ? [{ path, type, controllers: options.split(',').filter((option) => option !== 'rw') }] : [];
  });
  const v1 = mounts.filter((mount) => mount.type === 'cgroup').map(({ path, controllers }) => ({ path, controllers }));
  const v2 = mounts.find((mount) => mount.type === 'cgroup2');
  if (v1.length === 0 && v2) return { version: 'v2', tracking: v2.path, hierarchies: [{ path: v2.path, controllers: [] }] };
  const pids = v1.find((hierarchy) => hierarchy.controllers.includes('pids')) ?? v1[0];
  if (!pids) throw new Error('no cgroup filesystem is mounted: mount -t cgroup2 none /sys/fs/cgroup');
  return { version: v2 ? 'v1 with v2 beside it' : 'v1', tracking: v2?.path ?? pids.path, hierarchies: v1 };
}

export class LabCgroups {
  readonly #host: CgroupHost;
  /** The lab's cgroup in every hierarchy, and the value of a kubelet's `cgroupRoot` up to the node. */
  readonly #name: string;

  constructor(host: CgroupHost, labName: string) {
    this.#host = host;
    this.#name = `hcpio-lab-${labName}`;
  }

  get version(): CgroupHost['version'] {
    return this.#host.version;
  }

  /** What a kubelet is told: relative to the root of each hierarchy. */
  kubeletRoot(node: string): string {
    return `/${this.#name}/${node}`;
  }

  partDir(part: string): string {
    return join(this.#host.tracking, this.#name, 'parts', part);
  }

  async addPart(part: string): Promise<string> {
    const dir = this.partDir(part);
    await mkdir(dir, { recursive: true });
    return dir;
  }

  async addNode(node: string): Promise<void> {
    for (const hierarchy of this.#host.hierarchies) {
      const lab = join(hierarchy.path, this.#name);
      await mkdir(join(lab, node), { recursive: true });
      if (hierarchy.controllers.length === 0) await enableControllers([hierarchy.path, lab]);
      await weigh(lab, hierarchy);
      if (hierarchy.controllers.includes('cpuset')) await fillCpuset([hierarchy.path, lab, join(lab, node)]);
    }
  }

  /** Every process of the lab. */
  pids(): Promise<readonly number[]> {
    return members(join(this.#host.tracking, this.#name));
  }

  /** Kills whatever is in the part's cgroup, returns when it is empty, and removes it. */
  async endPart(part: string): Promise<void> {
    await killTree(this.partDir(part));
    await removeTree(this.partDir(part));
  }

  /** Everything of the lab, in every hierarchy. */
  async endAll(): Promise<void> {
    for (const dir of this.#dirs()) await killTree(dir);
    for (const dir of this.#dirs()) await removeTree(dir);
  }

  /** The lab's cgroups that exist. */
  async remains(): Promise<readonly string[]> {
    const found = await Promise.all(this.#dirs().map(async (dir) => ((await exists(dir)) ? [dir] : [])));
    return found.flat();
  }

  #dirs(): readonly string[] {
    const roots = new Set([this.#host.tracking, ...this.#host.hierarchies.map((hierarchy) => hierarchy.path)]);
    return [...roots].map((root) => join(root, this.#name));
  }
}

/**
 * A cgroup weighs as much as one process beside it, however many pods there are in it: on a busy machine keepalived then waits 700 ms for a
 * processor and loses the VIP, with this weight 14 ms (sixteen loops on two cores). On a node of its own, kubelet lets the pods weigh as
 * much as all processors do.
 */
const PROCESSES = 8;

async function weigh(lab: string, { controllers }: Hierarchy): Promise<void> {
  if (controllers.includes('cpu')) await writeFile(join(lab, 'cpu.shares'), String(1024 * PROCESSES));
  if (controllers.length === 0) await writeFile(join(lab, 'cpu.weight'), String(100 * PROCESSES), { flag: 'r+' }).catch(unlessAbsent);
}

/** A v2 machine may keep the controller to itself. */
function unlessAbsent(failure: unknown): void {
  if ((failure as NodeJS.ErrnoException).code !== 'ENOENT') throw failure;
}

/** v2 gives a child only the controllers that its parent hands down. */
async function enableControllers(dirs: readonly string[]): Promise<void> {
  for (const dir of dirs) {
    const available = (await readFile(join(dir, 'cgroup.controllers'), 'utf8')).split(/\s+/).filter(Boolean);
    for (const controller of available) await writeFile(join(dir, 'cgroup.subtree_control'), `+${controller}`);
  }
}

/** A v1 cpuset starts empty, and nothing can run in it until it has been given processors and memory nodes. */
async function fillCpuset([root = '', ...below]: readonly string[]): Promise<void> {
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    const value = await readFile(join(root, file), 'utf8');
    for (const dir of below) await writeFile(join(dir, file), value);
  }
}

async function killTree(dir: string): Promise<void> {
  // Without cgroup.kill (v1, kernels before 5.14) a process may fork while we read: look again until nobody is left.
  while (await exists(dir)) {
    await writeFile(join(dir, 'cgroup.kill'), '1', { flag: 'r+' }).catch(() => {});
    const pids = await members(dir);
    if (pids.length === 0) return;
    for (const pid of pids) sendKill(pid);
    await pause(20);
  }
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself meanwhile.
  }
}

async function members(dir: string): Promise<readonly number[]> {
  const below = await Promise.all((await children(dir)).map(members));
  const own = await readFile(join(dir, 'cgroup.procs'), 'utf8').catch(() => '');
  return [...own.split('\n').filter(Boolean).map(Number), ...below.flat()];
}

async function removeTree(dir: string): Promise<void> {
  for (const child of await children(dir)) await removeTree(child);
  for (let tries = 0; await exists(dir); tries++) {
    try {
      await rmdir(dir);
    } catch (failure) {
      // The last process has ended, but the kernel has not let go of the cgroup yet.
      if (tries === 250) throw failure;
      await pause(20);
    }
  }
}

async function children(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(dir, entry.name));
}

async function exists(dir: string): Promise<boolean> {
  return readdir(dir).then(
    () => true,
    () => false,
  );
}
