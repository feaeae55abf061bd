/** Keeps a kubeconfig of every hosted cluster that works from the hub's namespace, without going through anything that hcpio makes. */
import { rename, writeFile } from 'node:fs/promises';
import { infrastructureReady, readEndpoints } from '../endpoints.ts';
import {
  controlPlaneNamespace,
  type HostedCluster,
  type HostedControlPlane,
  type Manifest,
  type Route,
  type Service,
} from '../hosted-cluster.ts';
import { kubeconfig } from '../pki/secrets.ts';
import type { HubView } from './hub-view.ts';
import { readMaterial } from './material.ts';

export class HostedKubeconfig {
  readonly #view: HubView;
  readonly #fileOf: (cluster: string) => string;
  readonly #written = new Map<string, string>();

  constructor(view: HubView, fileOf: (cluster: string) => string) {
    this.#view = view;
    this.#fileOf = fileOf;
  }

  async refresh(cluster: HostedCluster): Promise<void> {
    const text = this.#text(cluster);
    const file = this.#fileOf(cluster.metadata.name);
    if (text === undefined || text === this.#written.get(file)) return;
    await writeFile(`${file}.new`, text, { mode: 0o600 });
    await rename(`${file}.new`, file);
    this.#written.set(file, text);
  }

  #text(cluster: HostedCluster): string | undefined {
    const namespace = controlPlaneNamespace(cluster);
    const controlPlane = this.#view.get<HostedControlPlane & Manifest>('HostedControlPlane', namespace, cluster.metadata.name);
    const published = { services: this.#view.list<Service>('Service', namespace), routes: this.#view.list<Route>('Route', namespace) };
    const endpoints = readEndpoints(cluster.spec, published);
    if (controlPlane === undefined || !infrastructureReady(cluster.spec, endpoints)) return undefined;
    const material = readMaterial(controlPlane, endpoints, this.#view.list('Secret', namespace));
    const address = this.#podAddress(namespace);
    if (material === undefined || address === undefined) return undefined;
    return kubeconfig(`https://${address}:6443`, material, 'system-admin-client', 'kube-apiserver');
  }

  #podAddress(namespace: string): string | undefined {
    const slices = this.#view
      .list('EndpointSlice', namespace)
      .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === 'kube-apiserver');
    const endpoints = slices.flatMap(
      (slice) => (slice['endpoints'] ?? []) as readonly { addresses: readonly string[]; conditions?: { ready?: boolean } }[],
    );
    return endpoints.find(({ conditions }) => conditions?.ready !== false)?.addresses[0];
  }
}
