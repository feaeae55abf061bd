/** HyperShift's two operators in one loop: look, decide (play.ts), write; and the way back when a HostedCluster is deleted. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Next } from '../../../kube/controller.ts';
import { addFinalizer, removeFinalizer } from '../../../kube/finalizers.ts';
import { type Key, splitKey } from '../../../kube/object.ts';
import type { Logger } from '../../../kube/telemetry.ts';
import type { Progress } from '../conditions.ts';
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
import { PULL_SECRET, SSH_KEY } from '../hosted-control-plane.ts';
import { copiedSecret, type Material } from '../pki/secrets.ts';
import { type HubFacts, play, type World } from '../play.ts';
import { type HubView, RESOURCES } from './hub-view.ts';
import { makeMaterial, readMaterial } from './material.ts';
import type { Writer } from './write.ts';

export interface HostedClustersOptions {
  readonly view: HubView;
  readonly writer: Writer;
  readonly hub: HubFacts;
  readonly log: Logger;
}

export class HostedClusters {
  readonly #view: HubView;
  readonly #writer: Writer;
  readonly #hub: HubFacts;
  readonly #log: Logger;
  /** Made and not yet seen again on the hub. */
  readonly #fresh = new Map<Key, Material>();

  constructor({ view, writer, hub, log }: HostedClustersOptions) {
    this.#view = view;
    this.#writer = writer;
    this.#hub = hub;
    this.#log = log;
  }

  async reconcile(key: Key, signal: AbortSignal): Promise<Next> {
    const { namespace = '', name } = splitKey(key);
    const cluster = this.#view.get<HostedCluster & Manifest>('HostedCluster', namespace, name);
    if (cluster === undefined) {
      this.#fresh.delete(key);
      return undefined;
    }
    if (cluster.metadata.deletionTimestamp !== undefined) return this.#remove(cluster, signal);
    if (await this.#adopt(cluster, signal)) return undefined;
    const world = this.#observe(key, cluster);
    const played = play(world);
    if (played.wantsMaterial !== undefined && world.controlPlane !== undefined) {
      this.#fresh.set(key, makeMaterial(world.controlPlane, played.wantsMaterial, new Date()));
      this.#log.info({ cluster: key }, 'made the certificates of the control plane');
      return { requeueAfterMs: 0 };
    }
    await this.#writer.applyAll([...played.objects.slice(0, 2), ...this.#copies(cluster), ...played.objects.slice(2)], signal);
    const now = Date.now();
    if (world.controlPlane && played.controlPlaneStatus)
      await this.#writer.status(world.controlPlane, played.controlPlaneStatus, now, signal);
    await this.#writer.status(cluster, played.clusterStatus, now, signal);
    return undefined;
  }

  #observe(key: Key, cluster: HostedCluster): World {
    const namespace = controlPlaneNamespace(cluster);
    const capi = this.#view.get('Cluster', namespace, cluster.spec.infraID);
    const controlPlane = this.#view.get<HostedControlPlane & Manifest>('HostedControlPlane', namespace, cluster.metadata.name);
    const services = this.#view.list<Service>('Service', namespace);
    const routes = this.#view.list<Route>('Route', namespace);
    const endpoints = readEndpoints(cluster.spec, { services, routes });
    const secrets = this.#view.list('Secret', namespace);
    const known = controlPlane && infrastructureReady(cluster.spec, endpoints) ? readMaterial(controlPlane, endpoints, secrets) : undefined;
    return {
      cluster,
      hub: this.#hub,
      controlPlane,
      capiCluster: capi?.metadata.uid === undefined ? undefined : { name: capi.metadata.name, uid: capi.metadata.uid },
      services,
      routes,
      workloads: this.#workloads(namespace),
      material: known ?? this.#fresh.get(key),
    };
  }

  #workloads(namespace: string): Readonly<Record<string, Progress>> {
    const found = [...this.#view.list('Deployment', namespace), ...this.#view.list('StatefulSet', namespace)];
    return Object.fromEntries(
      found.map(({ metadata, status }) => {
        const { readyReplicas = 0, observedGeneration = 0 } = (status ?? {}) as { readyReplicas?: number; observedGeneration?: number };
        return [metadata.name, readyReplicas > 0 && observedGeneration === metadata.generation ? 'Available' : 'Waiting'];
      }),
    );
  }

  /** HyperShift fills in what a user may leave out, once: the version makes a second try on an old reading fail. True when it wrote. */
  async #adopt(cluster: HostedCluster & Manifest, signal: AbortSignal): Promise<boolean> {
    const added = await addFinalizer(this.#writer.client, RESOURCES.HostedCluster, cluster, FINALIZER, signal);
    if (added !== undefined) return true;
    const { spec, metadata } = cluster;
    const missing = {
      ...(spec.infraID ? {} : { infraID: `${metadata.name}-${randomBytes(4).toString('hex').slice(0, 5)}` }),
      ...(spec['clusterID'] ? {} : { clusterID: randomUUID() }),
      ...(spec['issuerURL'] ? {} : { issuerURL: 'https://kubernetes.default.svc' }),
      ...(spec.platform.kubevirt?.generateID ? {} : { platform: { kubevirt: { generateID: randomBytes(5).toString('hex') } } }),
    };
    const platform = 'hypershift.openshift.io/management-platform';
    const annotations = metadata.annotations?.[platform] === undefined ? { [platform]: 'None' } : {};
    if (Object.keys(missing).length === 0 && Object.keys(annotations).length === 0) return false;
    await this.#writer.patch(
      'HostedCluster',
      cluster,
      { metadata: { annotations, resourceVersion: metadata.resourceVersion }, spec: missing },
      signal,
    );
    return true;
  }

  #copies(cluster: HostedCluster): readonly Manifest[] {
    const { namespace = '' } = cluster.metadata;
    const wanted: readonly (readonly [string, string | undefined])[] = [
      [PULL_SECRET, cluster.spec.pullSecret.name],
      [SSH_KEY, cluster.spec.sshKey?.name],
    ];
    return wanted.flatMap(([name, from]) => {
      const source = from === undefined ? undefined : this.#view.get('Secret', namespace, from);
      return source === undefined ? [] : [copiedSecret(cluster, name, source)];
    });
  }

  /** Pools first, so that workers drain through what is still there; then the control plane; then its namespace. */
  async #remove(cluster: HostedCluster & Manifest, signal: AbortSignal): Promise<Next> {
    const { namespace = '', name } = cluster.metadata;
    const again: Next = { requeueAfterMs: 1000 };
    const pools = this.#view.list('NodePool', namespace).filter(({ spec }) => (spec as { clusterName?: string }).clusterName === name);
    for (const pool of pools) await this.#writer.delete('NodePool', pool, signal);
    if (pools.length > 0) return again;
    const controlPlaneNs = controlPlaneNamespace(cluster);
    const capi = this.#view.get('Cluster', controlPlaneNs, cluster.spec.infraID);
    if (capi !== undefined) await this.#writer.delete('Cluster', capi, signal);
    const controlPlane = this.#view.get('HostedControlPlane', controlPlaneNs, name);
    if (controlPlane !== undefined) {
      await this.#writer.delete('HostedControlPlane', controlPlane, signal);
      await removeFinalizer(this.#writer.client, RESOURCES.HostedControlPlane, controlPlane, FINALIZER, signal);
      return again;
    }
    const space = this.#view.store('Namespace').get(controlPlaneNs);
    if (space !== undefined) {
      await this.#writer.delete('Namespace', space, signal);
      return again;
    }
    await removeFinalizer(this.#writer.client, RESOURCES.HostedCluster, cluster, FINALIZER, signal);
    return undefined;
  }
}
