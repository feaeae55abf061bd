/**
 * What HyperShift would have written by now: a pure function of what is there. The order of its operators is in the conditions of
 * this one file; everything it returns may be applied again and again, as they do.
 */
import type { ControlPlaneFacts, Progress } from './conditions.ts';
import { type Endpoints, infrastructureReady, type Published, type ReadyEndpoints, readEndpoints, waitingFor } from './endpoints.ts';
import { controlPlaneNamespace, type HostedCluster, type HostedControlPlane, type Manifest, strategyOf } from './hosted-cluster.ts';
import { hostedControlPlane } from './hosted-control-plane.ts';
import { namespace } from './namespace.ts';
import { type HubNetworks, networkPolicies } from './network-policies.ts';
import { kubeconfigSecrets, type Material, pkiObjects, userSecrets } from './pki/secrets.ts';
import { ignitionRoute, infrastructureRoutes } from './routes.ts';
import {
  firstComponentServices,
  ignitionProxyService,
  infrastructureServices,
  konnectivityLocalService,
  remainingServices,
} from './services.ts';
import { hostedClusterStatus, hostedControlPlaneStatus, type Status } from './status.ts';
import { kubeControllerManager, machineApprover, oauthOpenshift } from './workloads/after-kube-apiserver.ts';
import { etcd } from './workloads/etcd.ts';
import { ignitionServer, ignitionServerProxy } from './workloads/ignition.ts';
import { kubeApiserver } from './workloads/kube-apiserver.ts';

export interface HubFacts extends HubNetworks {
  readonly ingressDomain: string;
}

/** All that is read before anything is decided. */
export interface World extends Published {
  readonly cluster: HostedCluster;
  readonly hub: HubFacts;
  /** As it is on the hub; undefined until it was written for the first time. */
  readonly controlPlane: HostedControlPlane | undefined;
  readonly capiCluster: { readonly name: string; readonly uid: string } | undefined;
  /** Deployments and StatefulSets of the control plane, by name. */
  readonly workloads: Readonly<Record<string, Progress>>;
  /** Made once the endpoints are known, because their names go into the certificates. */
  readonly material: Material | undefined;
}

export interface Play {
  /** In the order in which they are to be applied. */
  readonly objects: readonly Manifest[];
  /** Set when keys are to be made before the next look. */
  readonly wantsMaterial: ReadyEndpoints | undefined;
  readonly controlPlaneStatus: Status | undefined;
  readonly clusterStatus: Status;
}

export function play(world: World): Play {
  const { cluster, controlPlane } = world;
  const endpoints = readEndpoints(cluster.spec, world);
  const facts = observe(world, endpoints);
  const controlPlaneStatus =
    controlPlane && world.services.length > 0 ? hostedControlPlaneStatus(controlPlane, endpoints, facts) : undefined;
  const ready = infrastructureReady(cluster.spec, endpoints) ? endpoints : undefined;
  return {
    objects: [...byHyperShiftOperator(world), ...byControlPlaneOperator(world, ready)],
    wantsMaterial: world.material === undefined && knowsIgnitionHost(world, endpoints) ? ready : undefined,
    controlPlaneStatus,
    clusterStatus: hostedClusterStatus(cluster, controlPlaneStatus, endpoints, facts.ignitionServer),
  };
}

/** It goes into a certificate: the address of a NodePort from the start, the host of a Route when there is one. */
function knowsIgnitionHost({ cluster }: World, { ignition }: Endpoints): boolean {
  return ignition !== undefined || strategyOf(cluster.spec, 'Ignition').type === 'NodePort';
}

function observe(world: World, endpoints: Endpoints): ControlPlaneFacts {
  const progress = (name: string): Progress => world.workloads[name] ?? 'Absent';
  return {
    infrastructureReady: infrastructureReady(world.cluster.spec, endpoints),
    waitingFor: waitingFor(world.cluster.spec, world),
    etcd: progress('etcd'),
    kubeApiserver: progress('kube-apiserver'),
    ignitionServer: progress('ignition-server'),
    kubeconfig: progress('kube-apiserver') !== 'Absent',
    missing: LAST_COMPONENTS.filter((name) => progress(name) !== 'Available'),
  };
}

/** Without these the whole is not called available. */
const LAST_COMPONENTS = ['ignition-server-proxy', 'kube-controller-manager', 'oauth-openshift'];

function byHyperShiftOperator({ cluster, hub, controlPlane, capiCluster }: World): readonly Manifest[] {
  return [
    namespace(cluster),
    hostedControlPlane(cluster, { finalizer: controlPlane !== undefined, ...(capiCluster ? { capiCluster } : {}) }),
    ...networkPolicies(cluster, hub),
    clusterApiCluster(cluster),
  ];
}

/** Cluster API's handle on the whole, and the owner of the HostedControlPlane. */
function clusterApiCluster(cluster: HostedCluster): Manifest {
  const { infraID } = cluster.spec;
  const namespaced = { name: infraID, namespace: controlPlaneNamespace(cluster) };
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: {
      ...namespaced,
      annotations: { 'hypershift.openshift.io/cluster': `${cluster.metadata.namespace}/${cluster.metadata.name}` },
    },
    spec: {
      controlPlaneRef: { apiGroup: 'hypershift.openshift.io', kind: 'HostedControlPlane', name: cluster.metadata.name },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'KubevirtCluster', name: infraID },
    },
  };
}

function byControlPlaneOperator(world: World, endpoints: ReadyEndpoints | undefined): readonly Manifest[] {
  const { cluster, controlPlane: hcp, hub, material, workloads } = world;
  if (hcp === undefined) return [];
  const infrastructure = [...infrastructureServices(hcp), ...infrastructureRoutes(hcp, hub.ingressDomain)];
  if (endpoints === undefined) return infrastructure;
  const routes = [...infrastructure, ...ignitionRoute(hcp, hub.ingressDomain)];
  if (material === undefined) return routes;
  const is = (name: string) => workloads[name] === 'Available';
  return [
    ...routes,
    ...pkiObjects(hcp, endpoints, material),
    ...firstComponentServices(hcp),
    etcd(hcp),
    ...ignitionServer(hcp),
    ...(is('ignition-server') ? [ignitionProxyService(hcp), ignitionServerProxy(hcp)] : []),
    ...(is('etcd')
      ? [
          ...kubeconfigSecrets(hcp, endpoints, material),
          ...userSecrets(cluster, endpoints, material),
          konnectivityLocalService(hcp),
          ...kubeApiserver(hcp),
        ]
      : []),
    ...(is('kube-apiserver') ? [kubeControllerManager(hcp), oauthOpenshift(hcp), ...machineApprover(hcp), ...remainingServices(hcp)] : []),
  ];
}
