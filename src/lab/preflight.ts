/** Says in one line what the machine lacks, before anything is made. */
import { readFileSync } from 'node:fs';
import { missingPackages } from '../../tools/packages.ts';
import { toolPath } from '../../tools/paths.ts';
import { CommandFailed, runCommand } from './command.ts';
import { cgroupHost } from './state/cgroups.ts';
import { environment } from './state/parts.ts';

/** What the lab cannot run on. The message is one line and says what to do. */
export class Unfit extends Error {
  override readonly name = 'Unfit';
}

export function requireRoot(): void {
  if (process.getuid?.() !== 0)
    throw new Unfit('the lab makes network namespaces, mounts and cgroups: run it as root (sudo hcpio lab ...)');
}

export async function checkMachine(nodes: number): Promise<void> {
  requireRoot();
  if (process.platform !== 'linux') throw new Unfit(`the lab needs Linux, this is ${process.platform}`);
  const packages = missingPackages(nodes > 0 ? [...ALWAYS_NEEDED, ...NEEDED_FOR_NODES] : ALWAYS_NEEDED);
  if (packages.length > 0) throw new Unfit(`missing on this machine: apt-get install --no-install-recommends ${packages.join(' ')}`);
  checkTools(nodes > 0 ? [...CONTROL_PLANE_TOOLS, ...NODE_TOOLS] : CONTROL_PLANE_TOOLS);
  try {
    cgroupHost(readFileSync('/proc/self/mountinfo', 'utf8'));
  } catch (failure) {
    throw new Unfit(failure instanceof Error ? failure.message : String(failure));
  }
  await checkKernel(nodes > 0 ? [...ALWAYS, ...FOR_NODES] : ALWAYS);
}

/** Debian's name for it, and the command that counts. `make lab` installs all of them. */
const ALWAYS_NEEDED = [
  { package: 'iproute2', brings: 'ip' },
  { package: 'tar', brings: 'tar' },
  { package: 'util-linux', brings: 'nsenter' },
  { package: 'util-linux', brings: 'unshare' },
  { package: 'util-linux', brings: 'flock' },
] as const;
const NEEDED_FOR_NODES = [
  { package: 'ipset', brings: 'ipset' },
  { package: 'iptables', brings: 'iptables' },
  { package: 'mount', brings: 'mount' },
  { package: 'nftables', brings: 'nft' },
  { package: 'runc', brings: 'runc' },
] as const;

/** What the lab itself runs. Its guests look for theirs when they prepare. */
const CONTROL_PLANE_TOOLS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'crds'] as const;
const NODE_TOOLS = ['containerd', 'ctr', 'kubelet', 'kube-proxy', 'kube-router', 'multus', 'bridge', 'coredns', 'pause'] as const;

function checkTools(tools: readonly string[]): void {
  for (const tool of tools) {
    try {
      toolPath(tool);
    } catch (failure) {
      throw new Unfit(failure instanceof Error ? failure.message : String(failure));
    }
  }
}

interface Feature {
  readonly name: string;
  /** Tried in a namespace that is thrown away: a kernel is asked, not read about. */
  readonly probe: string;
  readonly remedy: string;
}

const ALWAYS: readonly Feature[] = [
  { name: 'bridges', probe: 'ip link add probe0 type bridge', remedy: 'modprobe bridge' },
  { name: 'veth pairs', probe: 'ip link add probe1 type veth peer name probe2', remedy: 'modprobe veth' },
];

const FOR_NODES: readonly Feature[] = [
  { name: 'nftables', probe: 'nft add table inet probe', remedy: 'modprobe nf_tables' },
  {
    name: 'nftables NAT',
    probe: "nft 'add chain inet probe nat { type nat hook prerouting priority 0; }'",
    remedy: 'modprobe nft_chain_nat',
  },
  { name: 'IP sets', probe: 'ipset create probe hash:ip', remedy: 'modprobe ip_set_hash_ip' },
  { name: 'filtering of bridged traffic', probe: 'test -e /proc/sys/net/bridge/bridge-nf-call-iptables', remedy: 'modprobe br_netfilter' },
  { name: 'overlayfs', probe: 'grep -qw overlay /proc/filesystems', remedy: 'modprobe overlay' },
];

async function checkKernel(features: readonly Feature[]): Promise<void> {
  const script = features.map(({ probe }, index) => `{ ${probe}; } 2>/dev/null || exit ${100 + index}`).join('\n');
  try {
    await runCommand(['unshare', '--net', '--mount', 'sh', '-c', script], { env: environment() });
  } catch (failure) {
    const lacking = failure instanceof CommandFailed ? features[(failure.exitCode ?? 0) - 100] : undefined;
    if (!lacking)
      throw new Unfit(`network namespaces cannot be made here: ${failure instanceof Error ? failure.message : String(failure)}`);
    throw new Unfit(`the kernel has no ${lacking.name}: ${lacking.remedy} (or boot a kernel that has them)`);
  }
}
