/** All that is played here, for `lab status` and the documentation. What is not in this list is the real thing. */
import type { StandIn } from '../contract.ts';

export const STAND_INS: readonly StandIn[] = [
  {
    name: 'hypershift',
    says: 'HyperShift, Cluster API and KubeVirt are played: their objects and status are written in their order and words, from their CRDs; a hub runs their operators',
  },
  {
    name: 'load balancer and router',
    says: 'addresses of LoadBalancer Services and the admission of Routes are written by the player; a hub has MetalLB or a cloud, and its ingress routers',
  },
  {
    name: 'ignition-server',
    says: "checks the token and the headers as the real one and annotates the token, but the config it serves is made by the lab; the real one renders it with the release's machine-config operator",
  },
  { name: 'ignition-server-proxy', says: 'a small TLS proxy with the real certificate and route; the real one is haproxy' },
  {
    name: 'oauth-openshift',
    says: 'a TLS server with the real certificate that logs nobody in; the real one is the OpenShift OAuth server',
  },
  { name: 'machine-approver', says: 'approves certificates of known Machines only, as the real one, in a hundred lines' },
  {
    name: 'hosted control plane',
    says: "kube-apiserver, kube-controller-manager, etcd and konnectivity-server are upstream's; OpenShift's other forty components, its scheduler among them, are absent and only their Services are there",
  },
  {
    name: 'worker VM',
    says: "Debian with its own kernel, kubelet, containerd, konnectivity agent and the real Ignition, in QEMU on the node's bridge; on a hub it is RHCOS in a virt-launcher pod. Units are started by a script instead of systemd, and pods of two workers have no network between them",
  },
  {
    name: 'light worker',
    says: 'a network namespace with a real DHCP client; DNS, ignition, certificate and Node by a small program without a kubelet: for numbers',
  },
];
