/** The parts of HyperShift's own objects that HyperShift itself acts on, and how its names are made. */
import type { KubeObject, OwnerReference, WireObject } from '../../kube/object.ts';

export const HYPERSHIFT = 'hypershift.openshift.io/v1beta1';
const BACK_LINK = 'hypershift.openshift.io/cluster';
export const COMPONENT_LABEL = 'hypershift.openshift.io/control-plane-component';
export const HOSTED_CONTROL_PLANE_LABEL = 'hypershift.openshift.io/hosted-control-plane';
export const INFRA_ID_LABEL = 'hypershift.openshift.io/infra-id';
/** HostedCluster, NodePool and HostedControlPlane all use this one. */
export const FINALIZER = 'hypershift.openshift.io/finalizer';

/** An object the player writes. */
export type Manifest = WireObject;

export type ServiceName = 'APIServer' | 'OAuthServer' | 'Konnectivity' | 'Ignition';

export interface Strategy {
  readonly type: 'LoadBalancer' | 'NodePort' | 'Route';
  readonly loadBalancer?: { readonly hostname?: string };
  readonly nodePort?: { readonly address: string; readonly port?: number };
  readonly route?: { readonly hostname?: string };
}

export interface Proxy {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  readonly noProxy?: string;
}

export interface ClusterSpec {
  readonly infraID: string;
  readonly platform: {
    readonly type: string;
    readonly kubevirt?: { readonly baseDomainPassthrough?: boolean; readonly generateID?: string };
  };
  readonly dns: { readonly baseDomain: string; readonly baseDomainPrefix?: string };
  readonly networking: {
    readonly clusterNetwork: readonly { readonly cidr: string }[];
    readonly serviceNetwork: readonly { readonly cidr: string }[];
    readonly machineNetwork?: readonly { readonly cidr: string }[];
    readonly apiServer?: { readonly advertiseAddress?: string; readonly port?: number };
  };
  readonly services: readonly { readonly service: ServiceName; readonly servicePublishingStrategy: Strategy }[];
  readonly configuration?: { readonly proxy?: Proxy };
  readonly [field: string]: unknown;
}

export interface HostedCluster extends KubeObject {
  readonly spec: ClusterSpec & {
    readonly release: { readonly image: string };
    readonly pullSecret: { readonly name: string };
    readonly sshKey?: { readonly name: string };
  };
  readonly status?: { readonly conditions?: readonly Condition[]; readonly [field: string]: unknown };
}

export interface HostedControlPlane extends KubeObject {
  readonly spec: ClusterSpec;
  readonly status?: { readonly conditions?: readonly Condition[]; readonly [field: string]: unknown };
}

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string;
}

export interface Service extends KubeObject {
  readonly spec: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly ports: readonly { readonly port: number; readonly nodePort?: number }[];
  };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[] } };
}

export interface Route extends KubeObject {
  readonly spec: { readonly host?: string };
  readonly status?: { readonly ingress?: readonly unknown[] };
}

/** Not injective: `a` + `b-c` and `a-b` + `c` meet. That is HyperShift's, and why the back-link annotation exists. */
export function controlPlaneNamespace(cluster: KubeObject): string {
  return `${cluster.metadata.namespace}-${cluster.metadata.name.replaceAll('.', '-')}`;
}

export function backLink(cluster: KubeObject): Readonly<Record<string, string>> {
  return { [BACK_LINK]: `${cluster.metadata.namespace}/${cluster.metadata.name}` };
}

/** Every namespaced object of the control-plane operator has the HostedControlPlane as its owner. */
export function ownedBy(hcp: KubeObject): readonly OwnerReference[] {
  const { name, uid = '' } = hcp.metadata;
  return [{ apiVersion: HYPERSHIFT, blockOwnerDeletion: true, controller: true, kind: 'HostedControlPlane', name, uid }];
}

export function strategyOf(spec: ClusterSpec, name: ServiceName): Strategy {
  const found = spec.services.find((entry) => entry.service === name);
  if (found === undefined) throw new Error(`spec.services names no ${name}: HyperShift's CRD wants all four`);
  return found.servicePublishingStrategy;
}

/** Routes go to a router of the control plane's own, instead of the hub's, exactly when the API is a Route with a hostname. */
export function usesOwnRouter(spec: ClusterSpec): boolean {
  const strategy = strategyOf(spec, 'APIServer');
  return strategy.type === 'Route' && Boolean(strategy.route?.hostname);
}
