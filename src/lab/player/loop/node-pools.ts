/** NodePools become machines, and machines become workers of the lab. */
import { createHash, randomInt } from 'node:crypto';
import type { Next } from '../../../kube/controller.ts';
import { addFinalizer, removeFinalizer } from '../../../kube/finalizers.ts';
import { type Key, type KubeObject, keyOf, splitKey } from '../../../kube/object.ts';
import { mapParallel } from '../../../kube/parallel.ts';
import { infrastructureReady, readEndpoints } from '../endpoints.ts';
import {
  controlPlaneNamespace,
  FINALIZER,
  type HostedCluster,
  type HostedControlPlane,
  type Manifest,
  type Route,
  type Service,
} from '../hosted-cluster.ts';
import { isPaused, NODE_POOL_ANNOTATION, type NodePool, scaling } from '../machines/node-pool.ts';
import { nodePoolConditions } from '../machines/node-pool-conditions.ts';
import { type HubView, RESOURCES } from './hub-view.ts';
import { AT_ONCE, type Machines } from './machines.ts';
import { type Built, provision } from './provision.ts';
import type { Writer } from './write.ts';

export interface NodePoolsOptions {
  readonly view: HubView;
  readonly writer: Writer;
  readonly machines: Machines;
}

const MACHINE = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine' };
const REACHED = 'hypershift.openshift.io/ignition-reached';
/** Steps of workers are read from disk: nobody tells us. */
const LOOK_AGAIN_MS = 1000;

export class NodePools {
  readonly #view: HubView;
  readonly #writer: Writer;
  readonly #machines: Machines;
  readonly #made = new Map<Key, readonly KubeObject[]>();

  constructor({ view, writer, machines }: NodePoolsOptions) {
    this.#view = view;
    this.#writer = writer;
    this.#machines = machines;
  }

  async reconcile(key: Key, signal: AbortSignal): Promise<Next> {
    const { namespace = '', name } = splitKey(key);
    const pool = this.#view.get<NodePool & Manifest>('NodePool', namespace, name);
    if (pool === undefined) return undefined;
    const cluster = this.#view.get<HostedCluster & Manifest>('HostedCluster', namespace, pool.spec.clusterName);
    if (cluster === undefined) return pool.metadata.deletionTimestamp ? this.#forget(pool, signal) : undefined;
    const machines = this.#machinesOf(pool, cluster);
    if (pool.metadata.deletionTimestamp !== undefined) return this.#remove(pool, cluster, machines, signal);
    if (await this.#adopt(pool, cluster, signal)) return undefined;
    const built = this.#built(pool, cluster);
    const paused = isPaused(pool, new Date());
    // A pause keeps what is there and makes nothing new.
    if (built !== undefined && !paused && (await provision(built, this.#view, this.#writer, signal)))
      await this.#scale(built, machines, signal);
    const ready = built === undefined ? 0 : await this.#machines.refresh(built, machines, signal);
    await this.#report(pool, cluster, built, paused, machines.length, ready, signal);
    return machines.length > 0 ? { requeueAfterMs: LOOK_AGAIN_MS } : undefined;
  }

  #machinesOf(pool: NodePool, cluster: HostedCluster): readonly Manifest[] {
    const all = this.#view.list('Machine', controlPlaneNamespace(cluster));
    return all.filter(({ metadata }) => metadata.annotations?.[NODE_POOL_ANNOTATION] === keyOf(pool.metadata));
  }

  async #adopt(pool: NodePool & Manifest, cluster: HostedCluster, signal: AbortSignal): Promise<boolean> {
    const added = await addFinalizer(this.#writer.client, RESOURCES.NodePool, pool, FINALIZER, signal);
    if (added !== undefined) return true;
    if (pool.metadata.ownerReferences?.length) return false;
    const { name, uid = '' } = cluster.metadata;
    const ownerReferences = [{ apiVersion: cluster.apiVersion, kind: 'HostedCluster', name, uid }];
    const annotations = {
      'hypershift.openshift.io/canonical-data-plane-images': 'true',
      'hypershift.openshift.io/nodepool-supports-kubevirt-topology-spread-constraints': 'true',
    };
    await this.#writer.patch('NodePool', pool, { metadata: { ownerReferences, annotations } }, signal);
    return true;
  }

  /** HyperShift's own gates: the endpoint and the authority of ignition are known, and the guest has a kubeconfig. */
  #built(pool: NodePool, cluster: HostedCluster): Built | undefined {
    const namespace = controlPlaneNamespace(cluster);
    const controlPlane = this.#view.get<HostedControlPlane & Manifest>('HostedControlPlane', namespace, cluster.metadata.name);
    const published = { services: this.#view.list<Service>('Service', namespace), routes: this.#view.list<Route>('Route', namespace) };
    const endpoints = readEndpoints(cluster.spec, published);
    const has = (secret: string) => this.#view.get('Secret', namespace, secret) !== undefined;
    if (controlPlane === undefined || !infrastructureReady(cluster.spec, endpoints) || endpoints.ignition === undefined) return undefined;
    if (!has('ignition-server-ca-cert') || !has('bootstrap-kubeconfig')) return undefined;
    const configHash = createHash('sha256')
      .update(JSON.stringify([pool.spec.release.image, cluster.spec.configuration ?? {}]))
      .digest('hex')
      .slice(0, 8);
    return { pool, cluster, controlPlane, endpoints: { ...endpoints, ignition: endpoints.ignition }, configHash };
  }

  async #scale(built: Built, machines: readonly Manifest[], signal: AbortSignal): Promise<void> {
    // What was made a moment ago may not have come back yet; it counts.
    const key = keyOf(built.pool.metadata);
    const seen = new Set(machines.map(({ metadata }) => metadata.name));
    const unseen = (this.#made.get(key) ?? []).filter(({ metadata }) => !seen.has(metadata.name));
    const { create, remove } = scaling(built.pool, [...machines, ...unseen]);
    const names = Array.from({ length: create }, () => `${built.pool.metadata.name}-${built.configHash.slice(0, 5)}-${randomName()}`);
    this.#made.set(key, [...unseen, ...names.map((name) => ({ ...MACHINE, metadata: { name } }))]);
    await this.#machines.create(built, names, signal);
    await mapParallel(remove, AT_ONCE, (name) => this.#machines.remove(built.cluster, name, signal), signal);
  }

  async #report(
    pool: NodePool & Manifest,
    cluster: HostedCluster,
    built: Built | undefined,
    paused: boolean,
    machines: number,
    ready: number,
    signal: AbortSignal,
  ): Promise<void> {
    const namespace = controlPlaneNamespace(cluster);
    const token = built && this.#view.get('Secret', namespace, `token-${pool.metadata.name}-${built.configHash}`);
    const conditions = nodePoolConditions(pool, {
      paused,
      ignitionCa: this.#view.get('Secret', namespace, 'ignition-server-ca-cert') !== undefined,
      buildable: built !== undefined,
      configHash: built?.configHash ?? '',
      token: { exists: token !== undefined, reached: token?.metadata.annotations?.[REACHED] === 'True' },
      machines,
      ready,
    });
    await this.#writer.status(pool, { conditions, replicas: ready }, Date.now(), signal);
  }

  async #remove(pool: NodePool & Manifest, cluster: HostedCluster, machines: readonly Manifest[], signal: AbortSignal): Promise<Next> {
    await mapParallel(machines, AT_ONCE, ({ metadata }) => this.#machines.remove(cluster, metadata.name, signal), signal);
    if (machines.length > 0) return { requeueAfterMs: LOOK_AGAIN_MS };
    const namespace = controlPlaneNamespace(cluster);
    const own = this.#view
      .list('Secret', namespace)
      .filter(({ metadata }) => metadata.annotations?.[NODE_POOL_ANNOTATION] === keyOf(pool.metadata));
    for (const secret of own) await this.#writer.delete('Secret', secret, signal);
    return this.#forget(pool, signal);
  }

  async #forget(pool: NodePool & KubeObject, signal: AbortSignal): Promise<Next> {
    await removeFinalizer(this.#writer.client, RESOURCES.NodePool, pool, FINALIZER, signal);
    return undefined;
  }
}

/** The alphabet of Kubernetes' own generated names. */
function randomName(): string {
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
  return Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join('');
}
