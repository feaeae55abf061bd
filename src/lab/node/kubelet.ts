/** Configuration of the kubelet and of kube-proxy on a node of the lab. Both are JSON, which both read as YAML. */
import type { Lab, LabNode } from '../contract.ts';
import { pkiFile } from '../hub/pki.ts';

export function kubeletConfig(lab: Lab, node: LabNode, cgroupRoot: string, resolvConf: string): unknown {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: lab.hub.ca.cert } },
    authorization: { mode: 'Webhook' },
    tlsCertFile: pkiFile(lab, `kubelet-${node.name}.crt`),
    tlsPrivateKeyFile: pkiFile(lab, `kubelet-${node.name}.key`),
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    clusterDomain: 'cluster.local',
    clusterDNS: [lab.hub.dns],
    resolvConf,
    cgroupDriver: 'cgroupfs',
    cgroupRoot,
    failCgroupV1: false,
    // The machine is not the node's alone: limits for the node as a whole would have to be set on cgroups that are not ours.
    enforceNodeAllocatable: [],
    failSwapOn: false,
    // Needs CAP_SYS_RESOURCE, which not every root has.
    oomScoreAdj: 0,
    makeIPTablesUtilChains: false,
    // Images are imported, not pulled: what the collector removes would not come back. And the disk is the machine's.
    imageGCHighThresholdPercent: 100,
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '0%', 'nodefs.inodesFree': '0%', 'imagefs.available': '0%' },
    serializeImagePulls: false,
  };
}

export function kubeProxyConfig(lab: Lab, node: LabNode, kubeconfig: string): unknown {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    clientConnection: { kubeconfig },
    hostnameOverride: node.name,
    clusterCIDR: lab.hub.podCidr,
    // The size of the connection table is the machine's, and read-only here.
    conntrack: { maxPerCore: 0 },
    oomScoreAdj: 0,
  };
}
