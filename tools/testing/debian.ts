import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { debianRoot } from '../paths.ts';

export interface DebianOptions {
  /** A folder of the caller's, seen at /mnt inside. */
  readonly files?: string;
  /** Interfaces to have, up and leading nowhere: daemons refuse a configuration that names one that does not exist. */
  readonly links?: readonly string[];
  /** Paths that are empty and writable inside, beside /run and /tmp. */
  readonly scratch?: readonly string[];
  readonly input?: string;
  readonly signal?: AbortSignal;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

// Mounts are private to the command's own mount namespace, and the tree itself is read-only there: it is shared by every test on
// the machine. The network namespace holds only what is made here, so nothing that runs inside can reach anything.
const ENTER = `
root=$1 files=$2 scratch=$3 links=$4
shift 4
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
for path in /run /tmp $scratch; do mount -t tmpfs tmpfs "$root$path"; done
if [ -n "$files" ]; then mount --bind "$files" "$root/mnt"; fi
ip link set lo up
for link in $links; do
  ip link add "$link" type veth peer name "$link-far"
  ip link set "$link" up
  ip link set "$link-far" up
done
exec chroot "$root" "$@"
`;

/** Runs a command of the edge image's Debian in namespaces of its own. Needs root. */
export async function inDebian(command: readonly string[], options: DebianOptions = {}): Promise<Ended> {
  const { files = '', links = [], scratch = [], input = '', signal } = options;
  // Ends with us, however we end; and with it everything inside.
  const enter = ['--pdeathsig', 'KILL', 'unshare', '--mount', '--net', '--pid', '--fork', '--kill-child', 'sh', '-euc', ENTER, 'sh'];
  const child = spawn('setpriv', [...enter, debianRoot(), files, scratch.join(' '), links.join(' '), ...command], {
    ...(signal === undefined ? {} : { signal }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  child.stdin.on('error', () => {}); // a command that ends without reading its input is no failure
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code: code as number | null, stdout, stderr };
}
