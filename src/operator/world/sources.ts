/**
 * Which objects of the hub are watched, and how little of each is asked for. Selectors do at the server what projections do
 * here: a hub has ten times more Services, pods and NetworkAttachmentDefinitions than concern us.
 */

import { EDGE_SELECTOR, PROBER_SELECTOR } from '../../gateway/labels.ts';
import { AUTHORITY_SOURCES, type AuthoritySource } from '../../hosted-cluster/authorities.ts';
import { controlPlaneNamespace } from '../../hosted-cluster/namespace.ts';
import type { EndpointSlice, Service } from '../../hosted-cluster/objects.ts';
import { upstreamOf } from '../../hosted-cluster/publishing.ts';
import type { Selection } from '../../kube/list-pager.ts';
import type { WireObject } from '../../kube/object.ts';
import type { Indexers } from '../../kube/store.ts';
import type { Logger, Metrics } from '../../kube/telemetry.ts';
import type { Transport } from '../../kube/transport.ts';
import { Interned } from '../ledger/interned.ts';
import { type Entry, ledgerKeeping, OWN_OBJECTS } from '../ledger/ledger.ts';
import * as r from '../resources.ts';
import { type Authority, authorityOf } from './authority.ts';
import { edgePod } from './edge-pod.ts';
import { asText, type Identified } from './keeping.ts';
import { type Kept, projectionsFor } from './projections.ts';
import { clusterOf, type KeptTenant, namespacesOf, tenantLabel, tenantOf } from './tenant.ts';
import { Tracked } from './tracked.ts';

export interface SourceOptions {
  readonly transport: Transport;
  readonly log?: Logger;
  readonly metrics?: Metrics;
}

/** On every VM that HyperShift makes; what else runs on OpenShift Virtualization is none of our business. */
export const NODE_POOL_LABEL = 'hypershift.openshift.io/nodepool-name';
export const SERVICE_NAME = 'kubernetes.io/service-name';

const NAME = 'app.kubernetes.io/name';

/** The Services of a control plane that workers are led to, and the two more that may say where it is published. */
const UPSTREAMS = Object.values(upstreamOf).map(({ service }) => service);
const PUBLISHERS = ['router', 'kube-apiserverlb'];

/** The pods of the edges and of the probers. */
const OWN_PODS = `${OWN_OBJECTS},${NAME} in (${[EDGE_SELECTOR, PROBER_SELECTOR].map((labels) => labels[NAME]).join(',')})`;

export type Sources = ReturnType<typeof openSources>;

export type Services = Tracked<Kept<Service>>;
export type EndpointSlices = Tracked<Kept<EndpointSlice>>;

export function openSources(options: SourceOptions) {
  const interned = new Interned();
  const project = projectionsFor(interned);
  const shared = <T>(indexes: Indexers<T>): Indexers<T> =>
    Object.fromEntries(
      Object.entries(indexes).map(([name, values]) => [name, (object: T) => values(object).map((value) => interned.of(value))]),
    );
  const track = <T extends Identified>(
    selection: Selection,
    projection: (object: WireObject) => T,
    indexes: Indexers<T> = {},
    name?: string,
  ): Tracked<T> =>
    new Tracked({ ...options, ...selection, keeping: asText(projection), indexes: shared(indexes), ...(name ? { name } : {}) });
  return {
    tenants: track({ resource: r.TENANT_NETWORK }, tenantOf, tenantIndexes),
    hostedClusters: track({ resource: r.HOSTED_CLUSTER }, project.hostedCluster, {
      controlPlane: ({ metadata }) => [controlPlaneNamespace(metadata)],
    }),
    hostedControlPlanes: track({ resource: r.HOSTED_CONTROL_PLANE }, project.hostedControlPlane, { namespace }),
    nodePools: track({ resource: r.NODE_POOL }, project.nodePool, {
      cluster: ({ metadata, spec }) => [`${metadata.namespace}/${spec.clusterName}`],
    }),
    machines: track({ resource: r.VIRTUAL_MACHINE_INSTANCE, labelSelector: NODE_POOL_LABEL }, project.machine, { namespace }),
    routes: track({ resource: r.ROUTE }, project.route, { namespace }),
    attachments: track({ resource: r.NETWORK_ATTACHMENT, labelSelector: not(OWN_OBJECTS) }, project.attachment, {
      wire: ({ wire }) => [wire],
    }),
    pods: track({ resource: r.POD, labelSelector: OWN_PODS }, edgePod, {
      tenant: ({ tenant }) => [tenant],
    }),
    /** By name, in whatever control plane. */
    authorities: {
      root: openAuthority(AUTHORITY_SOURCES.root),
      konnectivity: openAuthority(AUTHORITY_SOURCES.konnectivity),
      ignition: openAuthority(AUTHORITY_SOURCES.ignition),
    },
    hub: {
      networks: track({ resource: r.HUB_NETWORK }, project.hubNetwork),
      ingresses: track({ resource: r.HUB_INGRESS }, project.hubIngress),
      dnses: track({ resource: r.HUB_DNS }, project.hubDns),
      proxies: track({ resource: r.HUB_PROXY }, project.hubProxy),
      nodes: track({ resource: r.NODE }, project.node),
      serviceCidrs: track({ resource: r.SERVICE_CIDR }, project.serviceCidr),
    },
    ledger: r.TENANT_RESOURCES.map(
      (resource) =>
        new Tracked({
          ...options,
          ...{ resource, labelSelector: OWN_OBJECTS, metadataOnly: true, name: ledgerName(resource) },
          keeping: ledgerKeeping(resource, interned),
          indexes: shared({ owner: ({ owner }: Entry) => [owner] }),
        }),
    ),
    /** By name. A Service's name is all that can be asked for, and one at a time; its slices carry it as a label. */
    services: new Map([...UPSTREAMS, ...PUBLISHERS].map((name) => [name, openServices(name)])),
    endpointSlices: [openSlices(UPSTREAMS)],
    /** Those of one more name, in whatever control plane. */
    openServices,
    openSlices,
  };

  function openAuthority(source: AuthoritySource): Tracked<Authority> {
    const resource = source.kind === 'Secret' ? r.SECRET : r.CONFIG_MAP;
    return track(
      { resource, fieldSelector: `metadata.name=${source.name}` },
      authorityOf(source),
      {},
      `${resource.plural}[${source.name}]`,
    );
  }

  function openServices(name: string): Services {
    return track({ resource: r.SERVICE, fieldSelector: `metadata.name=${name}` }, project.service, {}, `services[${name}]`);
  }

  function openSlices(names: readonly string[]): EndpointSlices {
    const selected = { resource: r.ENDPOINT_SLICE, labelSelector: `${SERVICE_NAME} in (${names.join(',')})` };
    return track(selected, project.endpointSlice, { service }, `endpointslices.discovery.k8s.io[${names.join(',')}]`);
  }
}

const service = ({ metadata }: Kept<EndpointSlice>): string[] => [`${metadata.namespace}/${metadata.labels[SERVICE_NAME] ?? ''}`];

const tenantIndexes: Indexers<KeptTenant> = {
  cluster: (tenant) => [clusterOf(tenant)],
  controlPlane: (tenant) => [namespacesOf(tenant).controlPlane],
  attachment: ({ spec }) => (spec ? [spec.segment.attachment] : []),
  label: (tenant) => [tenantLabel(tenant)],
};

const namespace = ({ metadata }: { readonly metadata: { readonly namespace: string } }): string[] => [metadata.namespace];
const ledgerName = ({ plural, group }: { readonly plural: string; readonly group: string }): string =>
  `ledger of ${group ? `${plural}.${group}` : plural}`;
const not = (equality: string): string => equality.replace('=', '!=');
