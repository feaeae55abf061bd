import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ConfigFile } from '../../src/gateway/rendered.ts';
import { debianRoot } from '../../tools/paths.ts';
import { Daemon } from '../../tools/testing/daemon.ts';

/** The Node of this project, which runs TypeScript as it is; the one that runs the tests may be older. */
const NODE = join(import.meta.dirname, '..', '..', 'node_modules', 'node', 'bin', 'node');

/**
 * A network of namespaces that leads nowhere. Each namespace is held by a process of ours, so all of it goes when the test ends, whatever
 * way it ends.
 */
export class Network implements AsyncDisposable {
  readonly dir = mkdtempSync(join(tmpdir(), 'hcpio-network-'));
  readonly #daemons: Daemon[] = [];

  async host(name: string): Promise<Host> {
    const holder = this.daemon(`holder of ${name}`, ['unshare', '--net', 'sleep', 'infinity']);
    const namespace = (pid: number | 'self') => readlinkSync(`/proc/${pid}/ns/net`);
    await holder.until(async () => namespace(holder.pid) !== namespace('self'), AbortSignal.timeout(10_000));
    const host = new Host(this, name, holder.pid);
    await host.run('ip', 'link', 'set', 'lo', 'up');
    return host;
  }

  /** A cable between two hosts, with an interface at either end. */
  async connect([left, leftName]: readonly [Host, string], [right, rightName]: readonly [Host, string]): Promise<void> {
    await left.run('ip', 'link', 'add', leftName, 'type', 'veth', 'peer', 'name', rightName, 'netns', String(right.pid));
    await left.run('ip', 'link', 'set', leftName, 'up');
    await right.run('ip', 'link', 'set', rightName, 'up');
  }

  /** A switch: every host gets an interface of the given name that is plugged into it. */
  async segment(name: string, hosts: readonly (readonly [Host, string])[]): Promise<void> {
    const fabric = await this.host(name);
    await fabric.run('ip', 'link', 'add', 'switch', 'type', 'bridge');
    await fabric.run('ip', 'link', 'set', 'switch', 'up');
    for (const [i, [host, link]] of hosts.entries()) {
      await this.connect([host, link], [fabric, `port${i}`]);
      await fabric.run('ip', 'link', 'set', `port${i}`, 'master', 'switch');
    }
  }

  daemon(name: string, command: readonly string[]): Daemon {
    const daemon = new Daemon(name, command, join(this.dir, `${this.#daemons.length}.log`));
    daemon.start();
    this.#daemons.push(daemon);
    return daemon;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const daemon of this.#daemons.toReversed()) await daemon.kill();
    rmSync(this.dir, { recursive: true });
  }
}

/** One host of a network, with the folders that a pod of ours would have. */
export class Host {
  readonly #network: Network;
  readonly name: string;
  readonly pid: number;

  constructor(network: Network, name: string, pid: number) {
    this.#network = network;
    this.name = name;
    this.pid = pid;
    for (const folder of ['etc', 'run', 'lib']) mkdirSync(join(this.dir, folder), { recursive: true });
  }

  get dir(): string {
    return join(this.#network.dir, this.name);
  }

  run(...command: readonly string[]): Promise<string> {
    const [program = '', ...args] = this.inside(command);
    return new Promise((resolve, reject) => {
      execFile(program, args, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${this.name}: ${error.message}\n${stdout}${stderr}`)),
      );
    });
  }

  start(name: string, command: readonly string[]): Daemon {
    return this.#network.daemon(name, this.inside(command));
  }

  /** A program of ours beside the tests, written for one task inside a namespace; it prints JSON. */
  async program(file: string, ...args: readonly string[]): Promise<unknown> {
    return JSON.parse(await this.run(...program(file, args)));
  }

  startProgram(file: string, ...args: readonly string[]): Daemon {
    return this.start(file, program(file, args));
  }

  /** Accepts TCP connections at `address:port`. */
  async listen(...targets: readonly string[]): Promise<void> {
    const daemon = this.startProgram('tcp.ts', 'listen', ...targets);
    await daemon.until(async () => readFileSync(daemon.log, 'utf8').includes('listening'), AbortSignal.timeout(10_000));
  }

  /** What becomes of connections to each: `open`, an error code, or `silence`. */
  async dial(...targets: readonly string[]): Promise<unknown> {
    return this.program('tcp.ts', 'dial', ...targets);
  }

  /** Places files where the pod would see them: `/etc/hcpio/<container>/<name>`. */
  configure(files: readonly ConfigFile[]): void {
    for (const { container, name, content } of files) {
      mkdirSync(join(this.dir, 'etc', container), { recursive: true });
      writeFileSync(join(this.dir, 'etc', container, name), content);
    }
  }

  inside(command: readonly string[]): string[] {
    return ['nsenter', `--net=/proc/${this.pid}/ns/net`, '--', ...command];
  }

  /** The same for a command that sees the configuration: the daemons of the edge's Debian in a tree that they cannot change. */
  edge(...command: readonly string[]): string[] {
    return ['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-euc', EDGE, 'sh', debianRoot(), this.dir, ...command];
  }

  /** And for one of this machine, which is given another /etc. */
  pod(...command: readonly string[]): string[] {
    return ['unshare', '--mount', 'sh', '-euc', POD, 'sh', this.dir, ...command];
  }
}

const program = (file: string, args: readonly string[]): string[] => [NODE, join(import.meta.dirname, 'programs', file), ...args];

// A pid namespace as well, so that a kill ends all processes of a daemon at once, as the end of a container does.
const EDGE = `
root=$1 dir=$2
shift 2
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
mount --bind "$dir/run" "$root/run"
mount --bind "$dir/lib" "$root/var/lib"
mkdir -p "$root/run/keepalived" "$root/run/kea" "$root/var/lib/kea"
mkdir -p -m 0750 "$root/run/kea/ctl"
mount --bind "$dir/etc" "$root/mnt"
exec chroot "$root" "$@"
`;

const POD = `
dir=$1
shift
mount -t tmpfs tmpfs /etc
ln -s "$dir/etc" /etc/hcpio
exec "$@"
`;

/** Looks again until it is as expected; the last look is the error's. */
export async function eventually<T>(
  look: () => Promise<T>,
  expected: (seen: T) => boolean,
  signal = AbortSignal.timeout(30_000),
): Promise<T> {
  for (;;) {
    const seen = await look();
    if (expected(seen)) return seen;
    if (signal.aborted) throw new Error(`still not as expected: ${JSON.stringify(seen)}`);
    await setTimeout(50);
  }
}
