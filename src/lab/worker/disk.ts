/** The disk of a worker VM: Debian with the real Ignition, kubelet, containerd and konnectivity agent, and our process 1. */
import { chmod, cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { toolPath } from '../../../tools/paths.ts';
import type { BuildContext } from '../../../tools/tool.ts';
import { buildGo, type Derived } from '../images/derived.ts';
import { writeScratchImage } from '../node/scratch-image.ts';
import { toToml } from '../node/toml.ts';

const GUEST = join(import.meta.dirname, 'guest');
const PAUSE_IMAGE = 'localhost/hcpio/pause:lab';
const PLUGINS = ['bridge', 'host-local', 'loopback', 'portmap'];
/** Sparse: what is not written takes no room. */
const DISK_SIZE = '3G';
/** Read by nobody in a machine that lives for minutes. */
const UNUSED = ['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'usr/share/info', 'var/cache/apt', 'var/lib/apt'];

export const workerDisk = {
  name: 'worker-disk',
  outputs: { disk: 'disk.img', kernel: 'vmlinuz', initrd: 'initrd.img', guest: 'guest', busybox: 'busybox' },
  sources: [GUEST, import.meta.filename],
  tools: ['debian-worker', 'kubelet', 'konnectivity-agent', 'pause', ...PLUGINS],
  packages: [{ package: 'e2fsprogs', brings: 'mke2fs' }],
  build,
} satisfies Derived;

async function build(context: BuildContext): Promise<void> {
  const { out, scratch, run } = context;
  const root = join(scratch, 'root');
  const debian = toolPath('debian-worker');
  await run(['cp', '--archive', '--reflink=auto', debian, root]);
  for (const unused of UNUSED) await rm(join(root, unused), { recursive: true, force: true });
  await takeKernel(join(root, 'boot'), out);
  await buildGo(context, GUEST, join(out, 'guest'));
  await cp(join(debian, 'usr/bin/busybox'), join(out, 'busybox'));
  await populate(context, root);
  await run(['mke2fs', '-q', '-t', 'ext4', '-O', '^has_journal', '-L', 'root', '-d', root, join(out, 'disk.img'), DISK_SIZE]);
}

async function takeKernel(boot: string, out: string): Promise<void> {
  const files = await readdir(boot);
  for (const name of ['vmlinuz', 'initrd.img']) {
    const file = files.find((candidate) => candidate.startsWith(`${name}-`));
    if (file === undefined) throw new Error(`the Debian root of workers has no ${name}`);
    await cp(join(boot, file), join(out, name));
  }
  await rm(boot, { recursive: true });
}

async function populate({ out, scratch, run }: BuildContext, root: string): Promise<void> {
  const binaries = {
    'lab/bin/guest': join(out, 'guest'),
    'usr/bin/kubelet': toolPath('kubelet'),
    'usr/bin/konnectivity-agent': toolPath('konnectivity-agent'),
    'lab/bin/ignition': join(root, 'usr/lib/dracut/modules.d/30ignition/ignition'),
    'lab/bin/setfiles': join(GUEST, 'setfiles.sh'),
    'lab/init': join(GUEST, 'init.sh'),
    'lab/dhcp.sh': join(GUEST, 'dhcp.sh'),
    'lab/networkmanager.sh': join(GUEST, 'networkmanager.sh'),
    ...Object.fromEntries(PLUGINS.map((plugin) => [`opt/cni/bin/${plugin}`, toolPath(plugin)])),
  };
  for (const [target, source] of Object.entries(binaries)) {
    await mkdir(dirname(join(root, target)), { recursive: true });
    await cp(source, join(root, target));
    await chmod(join(root, target), 0o755);
  }
  await mkdir(join(root, 'etc/kubernetes/manifests'), { recursive: true });
  const texts = {
    'etc/containerd/config.toml': toToml(containerd()),
    // The files stage of Ignition refuses a root without one; see setfiles.sh.
    'etc/selinux/config': 'SELINUX=disabled\nSELINUXTYPE=targeted\n',
    'etc/resolv.conf': '',
  };
  // Names are DHCP's to give.
  await rm(join(root, 'etc/hostname'), { force: true });
  for (const [target, text] of Object.entries(texts)) {
    await mkdir(dirname(join(root, target)), { recursive: true });
    await writeFile(join(root, target), text);
  }
  const pause = await writeScratchImage({ reference: PAUSE_IMAGE, binary: toolPath('pause') }, join(scratch, 'images'), (argv) =>
    run(argv),
  );
  await cp(pause, join(root, 'lab/pause.tar'));
}

function containerd() {
  return {
    version: 2,
    plugins: {
      'io.containerd.grpc.v1.cri': {
        sandbox_image: PAUSE_IMAGE,
        cni: { bin_dir: '/opt/cni/bin', conf_dir: '/etc/cni/net.d' },
        containerd: { runtimes: { runc: { runtime_type: 'io.containerd.runc.v2', options: { SystemdCgroup: false } } } },
      },
    },
  };
}
