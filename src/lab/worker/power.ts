/** Powers workers on and off. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Lab, LabNode, SpawnCommand } from '../contract.ts';
import { ensureDerived } from '../images/derived.ts';
import { accelerator } from './accelerator.ts';
import { workerDisk } from './disk.ts';
import { qemuCommand } from './qemu.ts';
import { partOf, readWorkers, shortId, type WorkerKind, type WorkerRecord, type WorkerSpec, workerFiles } from './worker.ts';

const GUEST = join(import.meta.dirname, 'guest');

/** `userData` is what KubeVirt would put on the config drive. */
export async function powerOn(lab: Lab, spec: WorkerSpec, userData: string, signal: AbortSignal): Promise<void> {
  const files = workerFiles(lab, spec.name);
  // Something may be left of a start that was killed half-way.
  await powerOff(lab, spec.name);
  await mkdir(files.dir, { recursive: true });
  await note(lab, spec, { poweredOn: Date.now(), started: false });
  await Promise.all([writeFile(files.userData, userData, { mode: 0o600 }), writeFile(files.steps, '')]);
  const [command] = await Promise.all([
    spec.kind === 'vm' ? vmCommand(lab, spec, signal) : lightCommand(lab, spec, signal),
    plug[spec.kind](lab, spec),
  ]);
  const poweredOn = Date.now();
  await lab.spawn(partOf(spec.name), command);
  // After it: what is said to be started and has no process is missed.
  await note(lab, spec, { poweredOn, started: true });
}

/** Written aside and renamed: others read it at any time. */
async function note(lab: Lab, spec: WorkerSpec, state: Pick<WorkerRecord, 'poweredOn' | 'started'>): Promise<void> {
  const { record } = workerFiles(lab, spec.name);
  const content: WorkerRecord = { ...spec, ...state };
  await writeFile(`${record}.new`, JSON.stringify(content));
  await rename(`${record}.new`, record);
}

export async function powerOff(lab: Lab, name: string): Promise<void> {
  const worker = (await readWorkers(lab)).find((candidate) => candidate.name === name);
  if (worker === undefined) return;
  if (await lab.find(partOf(name))) await lab.stop(partOf(name));
  await unplug[worker.kind](lab, worker);
  await rm(workerFiles(lab, name).dir, { recursive: true, force: true });
}

const wireOf = (name: string) => `w${shortId(name)}`;
const netnsOf = (name: string) => `w-${shortId(name)}`;

/** A cable into the segment's bridge on the worker's node: a tap for a VM, one end of a veth for a namespace. */
const plug: Readonly<Record<WorkerKind, (lab: Lab, spec: WorkerSpec) => Promise<void>>> = {
  async vm(lab, spec) {
    const { node, bridge } = socketOf(lab, spec);
    const wire = wireOf(spec.name);
    await ip(lab, node.netns, [`tuntap add dev ${wire} mode tap`, `link set dev ${wire} master ${bridge} up`]);
  },
  async netns(lab, spec) {
    const { node, bridge } = socketOf(lab, spec);
    const wire = wireOf(spec.name);
    const own = await lab.addNetns(netnsOf(spec.name));
    const cable = `link add ${wire} type veth peer name eth0 netns ${own} address ${spec.mac}`;
    await ip(lab, node.netns, [cable, `link set dev ${wire} master ${bridge} up`]);
    await ip(lab, own, ['link set dev lo up', 'link set dev eth0 up']);
  },
};

const unplug: Readonly<Record<WorkerKind, (lab: Lab, spec: WorkerSpec) => Promise<void>>> = {
  async vm(lab, spec) {
    const { netns } = socketOf(lab, spec).node;
    const wire = wireOf(spec.name);
    if (await lab.run(['ip', '-brief', 'link', 'show', 'dev', wire], { netns }).catch(() => ''))
      await ip(lab, netns, [`link del dev ${wire}`]);
  },
  // The veth goes with the namespace.
  netns: (lab, spec) => lab.removeNetns(netnsOf(spec.name)),
};

function socketOf(lab: Lab, spec: WorkerSpec): { readonly node: LabNode; readonly bridge: string } {
  const node = lab.nodes.find(({ name }) => name === spec.node);
  const bridge = node?.bridges[spec.segment];
  if (node === undefined || bridge === undefined) throw new Error(`${spec.node} has no leg in ${spec.segment}`);
  return { node, bridge };
}

const ip = (lab: Lab, netns: string, commands: readonly string[]) =>
  lab.run(['ip', '-batch', '-'], { netns, stdin: `${commands.join('\n')}\n` });

async function vmCommand(lab: Lab, spec: WorkerSpec, signal: AbortSignal): Promise<SpawnCommand> {
  const files = workerFiles(lab, spec.name);
  const base = await ensureDerived(workerDisk, signal);
  await lab.run(['qemu-img', 'create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', base.disk, files.disk], { signal });
  await makeConfigDrive(lab, spec.name, signal);
  const { node } = socketOf(lab, spec);
  const argv = qemuCommand({
    name: spec.name,
    mac: spec.mac,
    tap: wireOf(spec.name),
    kernel: base.kernel,
    initrd: base.initrd,
    disk: files.disk,
    configDrive: files.configDrive,
    files,
    accelerator: await accelerator(lab, base.kernel, signal),
    memoryMiB: spec.memoryMiB,
    dhcpClient: spec.dhcpClient,
  });
  return { netns: node.netns, argv };
}

/** OpenStack's layout on a volume called config-2: KubeVirt's cloudInitConfigDrive. KubeVirt makes an ISO; Ignition mounts what there is. */
async function makeConfigDrive(lab: Lab, name: string, signal: AbortSignal): Promise<void> {
  const files = workerFiles(lab, name);
  const tree = join(files.dir, 'config-drive');
  const target = join(tree, 'openstack', 'latest');
  await mkdir(target, { recursive: true });
  await lab.run(['cp', files.userData, join(target, 'user_data')], { signal });
  await lab.run(['mke2fs', '-q', '-t', 'ext2', '-L', 'config-2', '-d', tree, files.configDrive, '1M'], { signal });
}

async function lightCommand(lab: Lab, { name }: WorkerSpec, signal: AbortSignal): Promise<SpawnCommand> {
  const files = workerFiles(lab, name);
  const { guest } = await ensureDerived(workerDisk, signal);
  return {
    netns: `${lab.name}-${netnsOf(name)}`,
    argv: ['sh', join(GUEST, 'light.sh'), join(GUEST, 'dhcp.sh')],
    env: { LAB_DIR: files.dir, LAB_STEPS: files.steps, LAB_BIN: dirname(guest) },
  };
}
