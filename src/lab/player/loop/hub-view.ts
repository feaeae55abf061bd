/** What the player sees of the hub: a store for every kind that it reads or writes. */
import { Informer, withoutManagedFields } from '../../../kube/informer.ts';
import { apiVersionOf, type KubeObject, keyOf, type Resource, type WireObject } from '../../../kube/object.ts';
import type { Store } from '../../../kube/store.ts';
import type { Logger } from '../../../kube/telemetry.ts';
import type { Transport } from '../../../kube/transport.ts';

const resource = (group: string, version: string, plural: string, kind: string, namespaced = true): Resource => ({
  group,
  version,
  plural,
  kind,
  namespaced,
});
const core = (plural: string, kind: string, namespaced = true) => resource('', 'v1', plural, kind, namespaced);
const rbac = (plural: string, kind: string) => resource('rbac.authorization.k8s.io', 'v1', plural, kind);
const hypershift = (plural: string, kind: string) => resource('hypershift.openshift.io', 'v1beta1', plural, kind);

export const RESOURCES = {
  HostedCluster: hypershift('hostedclusters', 'HostedCluster'),
  HostedControlPlane: hypershift('hostedcontrolplanes', 'HostedControlPlane'),
  NodePool: hypershift('nodepools', 'NodePool'),
  Cluster: resource('cluster.x-k8s.io', 'v1beta2', 'clusters', 'Cluster'),
  Machine: resource('cluster.x-k8s.io', 'v1beta2', 'machines', 'Machine'),
  KubevirtMachine: resource('infrastructure.cluster.x-k8s.io', 'v1alpha1', 'kubevirtmachines', 'KubevirtMachine'),
  VirtualMachine: resource('kubevirt.io', 'v1', 'virtualmachines', 'VirtualMachine'),
  VirtualMachineInstance: resource('kubevirt.io', 'v1', 'virtualmachineinstances', 'VirtualMachineInstance'),
  Route: resource('route.openshift.io', 'v1', 'routes', 'Route'),
  Namespace: core('namespaces', 'Namespace', false),
  Service: core('services', 'Service'),
  Secret: core('secrets', 'Secret'),
  ConfigMap: core('configmaps', 'ConfigMap'),
  ServiceAccount: core('serviceaccounts', 'ServiceAccount'),
  Role: rbac('roles', 'Role'),
  RoleBinding: rbac('rolebindings', 'RoleBinding'),
  NetworkPolicy: resource('networking.k8s.io', 'v1', 'networkpolicies', 'NetworkPolicy'),
  Deployment: resource('apps', 'v1', 'deployments', 'Deployment'),
  StatefulSet: resource('apps', 'v1', 'statefulsets', 'StatefulSet'),
  EndpointSlice: resource('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice'),
} as const;

export type Kind = keyof typeof RESOURCES;

export class HubView {
  readonly informers: readonly Informer<WireObject>[];
  readonly #stores: ReadonlyMap<string, Store<WireObject>>;

  constructor(transport: Transport, log: Logger) {
    const made = Object.values(RESOURCES).map(
      (wanted) => [wanted, new Informer<WireObject>({ transport, resource: wanted, project: withoutManagedFields, log })] as const,
    );
    this.informers = made.map(([, informer]) => informer);
    this.#stores = new Map(made.map(([{ kind }, { store }]) => [kind, store]));
  }

  store(kind: Kind): Store<WireObject> {
    const store = this.#stores.get(kind);
    if (store === undefined) throw new TypeError(`the player does not watch ${kind}`);
    return store;
  }

  get<T extends KubeObject = WireObject>(kind: Kind, namespace: string, name: string): T | undefined {
    return this.store(kind).get(keyOf({ namespace, name })) as unknown as T | undefined;
  }

  list<T extends KubeObject = WireObject>(kind: Kind, namespace: string): readonly T[] {
    const all = this.store(kind).list() as readonly unknown[] as readonly T[];
    return all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  /** The object as known, for whoever is about to write it. Kinds that are not watched are unknown. */
  live(object: KubeObject): WireObject | undefined {
    const known = Object.values(RESOURCES).find(
      (candidate) => candidate.kind === object.kind && apiVersionOf(candidate) === object.apiVersion,
    );
    return known && this.#stores.get(known.kind)?.get(keyOf(object.metadata));
  }
}
