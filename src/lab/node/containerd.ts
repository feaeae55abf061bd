/** Each node's own containerd. The paths are the usual ones: /run and /var/lib are the node's own. */
import type { LabNode } from '../contract.ts';
import { toToml } from './toml.ts';

export const PAUSE_IMAGE = 'localhost/hcpio/pause:lab';
export const CNI_CONF_DIR = '/run/cni/net.d';
export const CNI_BIN_DIR = '/run/cni/bin';

export function containerdConfig(node: LabNode): string {
  return toToml({
    version: 3,
    root: '/var/lib/containerd',
    state: '/run/containerd',
    // Seen from outside of the node as `node.containerd.socket`.
    grpc: { address: '/run/containerd/containerd.sock' },
    // What a node of the lab never uses, and what would look for things that the machine does not have.
    disabled_plugins: ['io.containerd.nri.v1.nri', 'io.containerd.snapshotter.v1.blockfile', 'io.containerd.snapshotter.v1.devmapper'],
    plugins: {
      'io.containerd.cri.v1.images': { snapshotter: 'overlayfs', pinned_images: { sandbox: PAUSE_IMAGE } },
      'io.containerd.cri.v1.runtime': {
        // Without CAP_SYS_RESOURCE a lower score cannot be set, and every sandbox would fail.
        restrict_oom_score_adj: true,
        cni: { bin_dirs: [CNI_BIN_DIR], conf_dir: CNI_CONF_DIR },
        containerd: { runtimes: { runc: { runtime_type: 'io.containerd.runc.v2', options: { SystemdCgroup: false } } } },
      },
      'io.containerd.grpc.v1.cri': { stream_server_address: node.address },
    },
  });
}
