/** Brings up one node: its own view of the machine, containerd with the images, then kubelet, kube-proxy and the policy enforcer. */
import { access, mkdir, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { cacheRoot } from '../../../tools/cache.ts';
import { toolPath } from '../../../tools/paths.ts';
import type { LabNode } from '../contract.ts';
import { kubeconfigOf } from '../hub/pki.ts';
import { STATE_ROOT } from '../layout.ts';
import type { RunningLab } from '../running-lab.ts';
import { waitFor } from '../wait.ts';
import { multusConfig } from './cni.ts';
import { CNI_BIN_DIR, CNI_CONF_DIR, containerdConfig } from './containerd.ts';
import { kubeletConfig, kubeProxyConfig } from './kubelet.ts';

const INIT = join(import.meta.dirname, 'node-init.sh');
const PROJECT = join(import.meta.dirname, '..', '..', '..');
const PLUGINS = ['bridge', 'host-local', 'loopback', 'macvlan', 'multus', 'portmap', 'sbr', 'static'] as const;

export const containerdPart = (node: LabNode): string => `${node.name}.containerd`;
export const kubeletPart = (node: LabNode): string => `${node.name}.kubelet`;
export const kubeProxyPart = (node: LabNode): string => `${node.name}.kube-proxy`;
export const policyPart = (node: LabNode): string => `${node.name}.kube-router`;

/** Needs nothing but the fabric, so it can run while the control plane starts. Returns when containerd answers. */
export async function startContainerd(lab: RunningLab, node: LabNode, signal: AbortSignal): Promise<void> {
  await lab.cgroups.addNode(node.name);
  await writeNodeFiles(lab, node);
  const held = ['unshare', '--mount', '--uts', '--propagation=private', '/bin/sh', INIT, node.dir, node.name] as const;
  await lab.spawn(node.name, { netns: node.netns, argv: [...held, STATE_ROOT, cacheRoot(), PROJECT] });
  await waitFor(`${node.name} itself`, () => there(join(node.dir, 'ready')), { lab, parts: [node.name], signal, everyMs: 10 });
  const containerd = toolPath('containerd');
  await lab.spawn(containerdPart(node), {
    node: node.name,
    argv: [containerd, `--config=${join(node.dir, 'containerd.toml')}`],
    // Where it finds its shim.
    env: { PATH: `${dirname(containerd)}:${process.env['PATH']}:/usr/sbin:/sbin`, TMPDIR: join(node.dir, 'tmp') },
  });
  const ask = async () => lab.run([toolPath('ctr'), `--address=${node.containerd.socket}`, 'version'], { signal });
  await waitFor(`containerd of ${node.name}`, ask, { lab, parts: [containerdPart(node)], signal });
}

/** Needs the API server, and the images that the first pods use. */
export async function startKubelet(lab: RunningLab, node: LabNode): Promise<void> {
  await lab.spawn(kubeletPart(node), {
    ...place(node),
    argv: [
      toolPath('kubelet'),
      `--config=${join(node.dir, 'kubelet.json')}`,
      `--kubeconfig=${kubeconfigOf(lab, `kubelet-${node.name}`)}`,
      `--hostname-override=${node.name}`,
      `--node-ip=${node.address}`,
    ],
  });
  const config = `--config=${join(node.dir, 'kube-proxy.json')}`;
  await lab.spawn(kubeProxyPart(node), { ...place(node), argv: [toolPath('kube-proxy'), config] });
}

/** kube-router, for its NetworkPolicies alone. */
export async function startPolicyEnforcer(lab: RunningLab, node: LabNode): Promise<void> {
  await lab.spawn(policyPart(node), {
    ...place(node),
    argv: [
      toolPath('kube-router'),
      '--run-firewall=true',
      '--run-router=false',
      '--run-service-proxy=false',
      `--kubeconfig=${kubeconfigOf(lab, 'kube-router')}`,
      `--hostname-override=${node.name}`,
      `--service-cluster-ip-range=${lab.hub.serviceCidr}`,
    ],
  });
}

const place = (node: LabNode) => ({ node: node.name, env: { TMPDIR: join(node.dir, 'tmp') } });

async function writeNodeFiles(lab: RunningLab, node: LabNode): Promise<void> {
  const inside = (path: string) => join(node.dir, path);
  for (const dir of ['tmp', 'run/containerd', CNI_CONF_DIR, CNI_BIN_DIR]) await mkdir(inside(dir), { recursive: true });
  for (const plugin of PLUGINS) await symlink(toolPath(plugin), inside(join(CNI_BIN_DIR, basename(plugin))));
  const resolvConf = inside('resolv.conf');
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  await writeFile(resolvConf, ''); // nothing outside of the lab has a name here
  await writeFile(inside('containerd.toml'), containerdConfig(node));
  await writeFile(inside(join(CNI_CONF_DIR, '00-multus.conf')), json(multusConfig(node, kubeconfigOf(lab, 'multus'))));
  await writeFile(inside('kubelet.json'), json(kubeletConfig(lab, node, lab.cgroups.kubeletRoot(node.name), resolvConf)));
  await writeFile(inside('kube-proxy.json'), json(kubeProxyConfig(lab, node, kubeconfigOf(lab, 'kube-proxy'))));
}

async function there(path: string): Promise<true | undefined> {
  return access(path).then(
    () => true,
    () => undefined,
  );
}
